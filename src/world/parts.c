// A step that contacts would cut short is taken in parts.
//
// Where a minimisation does not get to its end, nodes stop on their way, though nothing may be in theirs. Shorter steps
// change less, and get there: the part that did not is taken again with half its length, and again. What follows goes
// on with parts of that length, and with longer ones where these are easy. A step has so many failures and no more, and
// where that does not help either, the next steps are not taken in parts: what is jammed stays jammed whatever one does.
#include <string.h>

#include "world/world.h"

enum {
    FAILURES = 6,   // of a step; after these it is taken as it comes
    EASY = 4,       // times fewer iterations than there may be: a part can be longer
    LONG_REST = 32, // steps
};

static SnStatus copy_constraints(const SnConstraintSet* from, SnConstraintSet* to)
{
    to->count = 0;
    for (int i = 0; i < from->count; i++) SN_TRY(sn_constraint_set_add(to, &from->items[i]));
    return SN_OK;
}

static SnStatus save(SnWorld* world)
{
    sn_state_save(&world->model, &world->state, world->scratch.saved);
    return copy_constraints(&world->state.constraints, &world->scratch.saved_constraints);
}

static SnStatus restore(SnWorld* world)
{
    sn_state_restore(&world->model, &world->state, world->scratch.saved);
    return copy_constraints(&world->scratch.saved_constraints, &world->state.constraints);
}

// How often a step is halved at most.
static int most_halvings(const SnWorld* world)
{
    int most = 0, parts = world->model.def.contact.parts;
    if (!world->problem.constraints.contacts || world->state.resting > 0) return 0;
    for (; parts > 1; parts /= 2) most++;
    return most;
}

// One part; if it can be taken again and is cut short, the state is as it was.
static SnStatus attempt(SnWorld* world, SnPart* part, SnStepReport* report)
{
    SnOutcome outcome = report->outcome;
    char detail[sizeof world->detail];
    if (part->again) {
        memcpy(detail, world->detail, sizeof detail);
        SN_TRY(save(world));
    }
    SN_TRY(sn_world_take_part(world, part, report));
    if (!part->cut || !part->again) return SN_OK;
    report->outcome = outcome;
    memcpy(world->detail, detail, sizeof detail);
    return restore(world);
}

// What the next steps begin with. helped: nothing was cut short in the end.
static void remember(SnState* state, bool tried, bool helped, int halvings)
{
    state->halvings = halvings;
    if (state->resting > 0) state->resting--;
    if (!tried) return;
    state->rest = helped ? 0 : state->rest == 0 ? 1 : state->rest < LONG_REST ? 2 * state->rest : LONG_REST;
    state->resting = state->rest;
    if (!helped) state->halvings = 0;
}

static SnStatus take_parts(SnWorld* world, double start, double time, double length, SnStepReport* report)
{
    SnState* state = &world->state;
    int most = most_halvings(world), all = 1 << most, done = 0, failures = 0;
    int halvings = state->halvings < most ? (int)state->halvings : most, limit = world->problem.search->iteration_limit;
    bool helped = true;
    while (done < all) {
        int size = all >> halvings, before = report->iterations;
        while (done % size != 0) size /= 2, halvings++;
        SnPart part = {.time = done + size == all ? time : start + (time - start) * (done + size) / all,
                       .again = halvings < most && failures < FAILURES};
        state->step_length = length * size / all;
        SN_TRY(attempt(world, &part, report));
        if (part.cut && part.again) {
            halvings++, failures++;
            continue;
        }
        helped &= !part.cut;
        done += size, report->parts++;
        if (halvings > 0 && report->iterations - before <= limit / EASY) halvings--;
    }
    remember(state, most > 0 && (failures > 0 || !helped), helped, halvings);
    return SN_OK;
}

SnStatus sn_world_take_parts(SnWorld* world, double time, SnStepReport* report)
{
    double length = world->state.step_length;
    SnStatus status = take_parts(world, world->state.time, time, length, report);
    world->state.step_length = length;
    return status;
}
