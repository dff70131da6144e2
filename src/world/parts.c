// A step that contacts would cut short is taken in parts.
//
// Where a minimisation does not get to its end, nodes stop on their way, though nothing may be in theirs, or contacts
// have not found their forces. Shorter steps change less, and get there: the part that did not is taken again with half
// its length, and again. The rest of the step goes on with parts of that length, for a failure costs more than many
// short parts, and the next steps with longer ones where these are easy. A step has so many failures and iterations and
// no more; where that does not help either, the rest of it is taken as it comes, and the next steps, too: what is
// jammed stays jammed whatever one does. Nor do parts help what goes many times its own size in the shortest of them.
#include <math.h>
#include <string.h>

#include "core/share.h"
#include "linalg/vec3.h"

#include "world/world.h"

enum {
    FAILURES = 6,   // of a step; after these it is taken as it comes
    MOST_WORK = 4,  // times as many iterations as a minimisation may have, or LITTLE; after these, too: that is told
    LITTLE = 300,   // iterations
    FAR = 100,      // times the sizes of all that is there, in the shortest part
    EASY = 4,       // times fewer iterations than there may be: a part can be longer
    EVERY = 4,      // steps a longer one is tried, easy or not
    LONG_REST = 32, // steps
    FIXED_PARTS =
        2, // at most, where the number of iterations is fixed: whoever fixes it wants to know what a step costs
};

// The step, and how much of it is done.
typedef struct SnParts {
    double length, start, end; // s
    int all, done;             // shortest parts
} SnParts;

static SnStatus save(SnWorld* world)
{
    sn_state_save(&world->model, &world->state, world->scratch.saved);
    return sn_constraint_set_copy(&world->state.constraints, &world->scratch.saved_constraints);
}

static SnStatus restore(SnWorld* world)
{
    sn_state_restore(&world->model, &world->state, world->scratch.saved);
    return sn_constraint_set_copy(&world->scratch.saved_constraints, &world->state.constraints);
}

// How much faster than others the fastest node is, things at rest among them, m/s.
static double range_of_speeds(const SnModel* model, const double* v)
{
    double most[6] = {0}; // against the axes, along them
    for (int i = 0; i < 3 * model->node_count; i++)
        most[i % 3] = fmax(most[i % 3], -v[i]), most[3 + i % 3] = fmax(most[3 + i % 3], v[i]);
    sn_share_most(model->tasks, 6, most);
    for (int c = 0; c < 3; c++) most[c] += most[3 + c];
    return sn_length3(most);
}

// The sum of the bodies' sizes at rest, m.
static double sum_of_sizes(const SnModel* model)
{
    double sum = 0;
    for (int b = 0; b < model->body_count; b++) sum += sn_body_rest_size(model, &model->bodies[b]);
    return sum;
}

// How often a step is halved at most.
static int most_halvings(const SnWorld* world)
{
    int most = 0, parts = world->model.def.contact.parts;
    if (!world->problem.constraints.contacts || world->state.resting > 0) return 0;
    if (world->model.def.solver.budget > 0) return 0;
    if (world->model.def.solver.tolerance == 0 && parts > FIXED_PARTS) parts = FIXED_PARTS;
    for (; parts > 1; parts /= 2) most++;
    double way = range_of_speeds(&world->model, world->state.v) * world->state.step_length;
    return way <= FAR * (1 << most) * sum_of_sizes(&world->model) ? most : 0;
}

// One part; if it fails and can be taken again, the state is as it was.
static SnStatus attempt(SnWorld* world, SnPart* part, SnStepReport* report)
{
    SnOutcome outcome = report->outcome;
    char detail[sizeof world->detail];
    if (part->again) {
        memcpy(detail, world->detail, sizeof detail);
        SN_TRY(save(world));
    }
    SN_TRY(sn_world_take_part(world, part, report));
    if (!part->failed || !part->again) return SN_OK;
    report->outcome = outcome;
    memcpy(world->detail, detail, sizeof detail);
    return restore(world);
}

// What the next steps begin with. helped: nothing failed in the end.
static void remember(SnState* state, bool tried, bool helped, int halvings)
{
    state->halvings = halvings;
    if (state->resting > 0) state->resting--;
    if (!tried) return;
    state->rest = helped ? 0 : state->rest == 0 ? 1 : state->rest < LONG_REST ? 2 * state->rest : LONG_REST;
    state->resting = state->rest;
    if (!helped) state->halvings = 0;
}

// How many shortest parts the next one has, halvings of the step being as given.
static int next_size(const SnParts* p, int* halvings)
{
    while (p->done % (p->all >> *halvings) != 0) ++*halvings;
    return p->all >> *halvings;
}

static SnStatus take_parts(SnWorld* world, SnParts* p, SnStepReport* report)
{
    SnState* state = &world->state;
    int most = most_halvings(world), failures = 0, limit = world->problem.search->iteration_limit;
    int halvings = state->halvings < most ? (int)state->halvings : most;
    if (state->step % EVERY == 0 && halvings > 0) halvings--;
    bool helps = true;
    p->all = 1 << most;
    while (p->done < p->all) {
        int before = report->iterations, size = next_size(p, &halvings);
        bool last = before >= (int64_t)MOST_WORK * (limit > LITTLE ? limit : LITTLE); // all that is left, at once
        if (last) size = p->all - p->done, helps = false, report->bounded++;
        int end = p->done + size;
        SnPart part = {.time = end == p->all ? p->end : p->start + (p->end - p->start) * end / p->all};
        part.again = helps && halvings < most && failures < FAILURES;
        state->step_length = p->length * size / p->all;
        SN_TRY(attempt(world, &part, report));
        if (part.failed && part.again) {
            halvings++, failures++;
            continue;
        }
        p->done += size, report->parts++;
        helps &= !part.failed;
        if (!helps)
            halvings = 0;
        else if (failures == 0 && halvings > 0 && report->iterations - before <= limit / EASY)
            halvings--;
    }
    remember(state, most > 0 && (failures > 0 || !helps), helps, halvings);
    return SN_OK;
}

SnStatus sn_world_take_parts(SnWorld* world, double time, SnStepReport* report)
{
    world->problem.search->spent = 0;
    SnParts parts = {.length = world->state.step_length, .start = world->state.time, .end = time};
    SnStatus status = take_parts(world, &parts, report);
    world->state.step_length = parts.length;
    return status;
}
