// Random scenes, twenty steps each, with all that is promised of any scene checked after every step.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/vec3.h"
#include "potential/pin.h"
#include "random_scene.h"
#include "scene/scene.h"
#include "torture.h"
#include "world/report.h"
#include <sinew/scene.h>

enum { STEPS = 20, ITERATIONS = 60, ENOUGH_MS = 1500 };

// --- what holds after every step

static bool check_finite(const SnWorld* world, const SnStepReport* r)
{
    const double* arrays[] = {sn_world_positions(world), sn_world_velocities(world)};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3 * sn_world_node_count(world); i++)
            if (!isfinite(arrays[k][i])) return broken("%s %d is %g", k ? "velocity" : "position", i, arrays[k][i]);
    const double numbers[] = {r->time,        r->gradient,       r->tolerance,          r->drift,
                              r->depth,       r->energy.kinetic, r->energy.elastic,     r->energy.gravity,
                              r->energy.pins, r->energy.viscous, r->energy.friction,    r->energy.numerical,
                              r->momentum[0], r->momentum[1],    r->momentum[2],        r->energy.unconverged,
                              r->impulse[0],  r->impulse[1],     r->impulse[2],         r->angular_momentum[0],
                              r->ms.total,    r->ms.contact,     r->angular_impulse[0], r->angular_impulse[1]};
    // Where there is no energy there is no residual either; both are infinite, and the step says that it stalled.
    bool infeasible = r->outcome == SN_OUTCOME_STALLED && isinf(r->gradient);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i]) && !(infeasible && (i == 1 || (i == 6 && isinf(numbers[i])))))
            return broken("number %zu of the report is %g", i, numbers[i]);
    return true;
}

static double largest(const SnEnergy* e)
{
    const double all[] = {e->kinetic, e->elastic, e->gravity, e->pins, e->viscous, e->friction, e->numerical};
    double most = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) most = fmax(most, fabs(all[i]));
    return most;
}

// What the state has gained is what was given less what was lost. most: the largest entry that there was so far.
static bool check_ledger(const SnEnergy* a, const SnEnergy* b, double* most)
{
    if (isinf(a->elastic) || isinf(b->elastic)) return true;
    double gained = b->kinetic + b->elastic + b->gravity - a->kinetic - a->elastic - a->gravity;
    double given = b->pins - b->viscous - b->friction - b->numerical;
    *most = fmax(*most, largest(a) + largest(b));
    if (!(fabs(gained - given) <= 1e-8 * *most + 1e-290))
        return broken("the ledger is off by %g of %g J", gained - given, *most);
    if (b->viscous < -1e-6 * *most || b->friction < -1e-6 * *most)
        return broken("gained from dissipation (%g J) or friction (%g J) of %g J", -b->viscous, -b->friction, *most);
    return true;
}

// Rounding is relative to what is summed, not to the sum.
static double sum_of_momenta(const SnWorld* world)
{
    const double *v = sn_world_velocities(world), *mass = world->problem.mass, *g = world->model.def.gravity;
    double sum = 0, fall = (fabs(g[0]) + fabs(g[1]) + fabs(g[2])) * world->state.time;
    for (int i = 0; i < 3 * world->model.node_count; i++) sum += mass[i / 3] * (fabs(v[i]) + fall);
    return sum;
}

typedef struct Momenta {
    double most;   // the largest that there was so far
    double off[3]; // of the last step
} Momenta;

// What handles, gravity and loads exert in a step, each by itself, kg m/s: what the impulses are added up of.
static double sum_of_pushes(const SnWorld* world)
{
    double sum = 0;
    for (int i = 0; i < 3 * world->model.node_count; i++)
        sum += fabs(world->scratch.reaction[i]) + fabs(world->problem.gravity[i]);
    for (int i = 0; i < world->model.load_count; i++) {
        SnWrench w = {0};
        if (sn_world_load_force(world, i, &w) == SN_OK) sum += sn_length3(w.force);
    }
    return isfinite(sum) ? sum * world->model.def.time_step : 0;
}

// Up to what the solve left over, a step that has converged changes the momentum by what was given in it. bdf2 goes on
// with a third of what the step before it did, and so of what that one left over.
static bool check_momentum(const SnWorld* world, const SnStepReport* a, const SnStepReport* b, Momenta* m)
{
    if (world->model.integrator->order == 0 || isinf(b->gradient)) return true;
    bool goes_on = strcmp(world->model.integrator->name, "bdf2") == 0;
    double h = world->model.def.time_step,
           left = 10 * fmax(b->gradient, b->tolerance) * h * sqrt(3.0 * world->model.node_count) +
                  1e-13 * sum_of_pushes(world);
    for (int c = 0; c < 3; c++) {
        m->most = fmax(m->most, fmax(fabs(b->impulse[c]), sum_of_momenta(world)));
        double off = b->momentum[c] - a->momentum[c] - (b->impulse[c] - a->impulse[c]);
        double allowed = left + (goes_on ? fabs(m->off[c]) / 3 : 0);
        m->off[c] = off;
        if (sn_outcome_meets(b->outcome) && !(fabs(off) <= allowed + 1e-7 * m->most + 1e-290))
            return broken("the momentum is off by %g kg m/s, where the solve left %g and the largest was %g", off,
                          allowed, m->most);
    }
    return true;
}

// How large the numbers are that x is made of, and how short the shortest side of an element is at rest.
static void measure_places(const SnModel* model, const double* x, double* size, double* side)
{
    *size = 0, *side = 1;
    for (int i = 0; i < 3 * model->node_count; i++) *size = fmax(*size, fabs(x[i]));
    for (const SnBody* b = model->bodies; b < model->bodies + model->body_count; b++) {
        SnElements e = sn_body_elements(b);
        for (int k = 0; k < e.nodes * e.count; k++)
            for (int other = k - k % e.nodes; other < k; other++)
                *side = fmin(*side, sn_distance3(b->rest + 3 * e.items[k], b->rest + 3 * e.items[other]));
    }
}

// What constraints push along d, by their forces as they are told at the end of the step.
static double push_along(const SnConstraintSet* set, const double* d)
{
    double sum = 0;
    for (int i = 0; i < set->count; i++) {
        const SnStencil* at = &set->items[i].constraint.at;
        const SnMultiplier* m = &set->items[i].multiplier;
        for (int k = 0; k < at->count; k++)
            for (int c = 0; c < 3; c++)
                sum += at->weight[k] * (m->force * at->normal[c] + m->rub[c]) * d[3 * (int64_t)at->node[k] + c];
    }
    return sum;
}

// |dE/dd - push - pull|, E without what keeps constraints, by a difference over 2 step, less what rounding, of E and of
// the places it is taken at, may make of it.
static double slope_along(const SnSearch* s, int n, const double* d, double step, double size, double pull, double* x)
{
    const SnConstraints* constraints = s->objective->constraints;
    double values[3], magnitude = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) x[i] = s->x[i] + (k - 1) * step * d[i];
        SnObjectiveValue value = sn_objective_value(s->objective, x);
        double kept = constraints->now->count > 0 ? sn_constraints_energy(constraints, x) : 0;
        values[k] = value.total - kept, magnitude = fmax(magnitude, value.magnitude + fabs(kept));
    }
    double curvature = fabs(values[0] + values[2] - 2 * values[1]) / (step * step);
    double noise = 1e-14 * magnitude / step + 10 * DBL_EPSILON * size * curvature;
    double push = push_along(constraints->now, d) + pull;
    return fmax(0, fabs((values[2] - values[0]) / (2 * step) - push) - noise);
}

// Whether limits are kept by a solver's own forces, and no energy's.
static bool has_own_forces(const SnProblem* p)
{
    for (int g = 0; g < p->potential->group_count; g++)
        if (p->potential->groups[g].keep == SN_KEEP_PROJECTION && !(p->pin_count > 0 && g == p->pin_group)) return true;
    return false;
}

// The length, area or volume of an element, times a number.
static double extent_of(const int* nodes, int count, const double* x)
{
    double a[3], b[3], c[3], normal[3];
    sn_subtract3(x + 3 * (int64_t)nodes[1], x + 3 * (int64_t)nodes[0], a);
    if (count == 2) return sn_length3(a);
    sn_subtract3(x + 3 * (int64_t)nodes[2], x + 3 * (int64_t)nodes[0], b);
    sn_cross3(a, b, normal);
    if (count == 3) return sn_length3(normal);
    sn_subtract3(x + 3 * (int64_t)nodes[3], x + 3 * (int64_t)nodes[0], c);
    return fabs(sn_dot3(normal, c));
}

static bool has_polar_rate(const SnPotential* p)
{
    for (int i = 0; i < p->group_count; i++)
        if (p->groups[i].dissipation && p->groups[i].dissipation->rate == SN_RATE_POLAR) return true;
    return false;
}

// A rope's cell without a length, or a triangle without an area, has no direction, and its energy no slope there. Nor
// has a dissipation by S = (F^T F)^1/2 in a tetrahedron that is flat, where a stretch |s| turns back, as one that is
// tied into its own face.
static bool has_collapsed(const SnModel* model, const SnPotential* potential, const double* x)
{
    int largest = has_polar_rate(potential) ? 4 : 3;
    for (const SnBody* b = model->bodies; b < model->bodies + model->body_count; b++) {
        SnElements e = sn_body_elements(b);
        const double* at = x + 3 * (int64_t)b->first_node;
        for (int k = 0; k < e.count && e.nodes <= largest; k++) {
            const int* nodes = e.items + (int64_t)e.nodes * k;
            if (extent_of(nodes, e.nodes, at) < 1e-6 * extent_of(nodes, e.nodes, b->rest)) return true;
        }
    }
    return false;
}

// E is at the end of the step, where nodes that are held by energy have been moved on to. Puts them back to where they
// were held when it was minimised, in the middle of it.
static void hold_in_the_middle(const SnWorld* world)
{
    const SnState* state = &world->state;
    const SnProblem* p = &world->problem;
    double* places = malloc(3 * (size_t)p->pin_count * sizeof *places + 1);
    for (int64_t i = 0; i < p->pin_count; i++) {
        const SnHandle* handle = &world->model.handles[p->pins[i].handle];
        double start[3];
        sn_handle_place(handle, p->pins[i].entry, state->time - state->step_length, start);
        sn_handle_place(handle, p->pins[i].entry, state->time, places + 3 * i);
        for (int c = 0; c < 3; c++) places[3 * i + c] = start[c] + 0.5 * (places[3 * i + c] - start[c]);
    }
    if (p->pin_count > 0) sn_pin_place(&p->potential->groups[p->pin_group], places);
    free(places);
}

// What holds nodes by the solver's own forces, along d.
static double pull_along(const SnProblem* p, const double* d)
{
    const SnTermGroup* group = p->pin_count > 0 ? &p->potential->groups[p->pin_group] : NULL;
    double sum = 0;
    if (!group || group->keep != SN_KEEP_PROJECTION) return 0;
    double* forces = malloc(3 * (size_t)p->pin_count * sizeof *forces);
    sn_pin_forces(group, p->pin_nodes, p->search->x, forces);
    for (int64_t i = 0; i < 3 * (int64_t)p->pin_count; i++)
        sum += forces[i] * d[3 * (int64_t)p->pin_nodes[i / 3] + i % 3];
    free(forces);
    return sum;
}

// The slope of E, from its values alone and the forces that are told, is as small as a converged step says.
static bool check_slope(const SnWorld* world, const SnStepReport* r, SnRandom* random)
{
    const SnProblem* p = &world->problem;
    int n = 3 * world->model.node_count;
    bool middle = world->model.integrator->extrapolate != 1 && world->state.last_length > 0;
    if (!sn_outcome_meets(r->outcome) || !(r->tolerance > 0) || !p->solver || p->search->settled || has_own_forces(p) ||
        has_collapsed(&world->model, p->potential, p->search->x) || (middle && p->pin_count > 0 && r->parts > 1))
        return true;
    if (middle) hold_in_the_middle(world);
    double *x = malloc((size_t)n * sizeof *x), *d = malloc((size_t)n * sizeof *d), size, side, sum = 0;
    measure_places(&world->model, p->search->x, &size, &side);
    for (int i = 0; i < n; i++) {
        d[i] = p->free_index[i / 3] >= 0 ? sn_random_uniform(random, -1, 1) : 0;
        sum += d[i] * d[i];
    }
    double slope = INFINITY;
    for (int i = 0; i < n && sum > 0; i++) d[i] /= sqrt(sum);
    for (double epsilon = 1e-4; epsilon > 1e-9 && sum > 0; epsilon /= 10) // curvature and rounding vie
        slope = fmin(slope, slope_along(p->search, n, d, epsilon * side, size, pull_along(p, d), x));
    if (middle && p->pin_count > 0) sn_pin_place(&p->potential->groups[p->pin_group], world->scratch.pin_place);
    free(x), free(d);
    if (isfinite(slope) && slope > 5 * r->tolerance)
        return broken("converged to %g N of %g, but E has a slope of %g N, with %d constraints", r->gradient,
                      r->tolerance, slope, p->constraints.now->count);
    return true;
}

static bool check_report(const SnWorld* world, const SnStepReport* r, int step)
{
    bool own = world->problem.search->settled; // the solver has a rule of its own, as the scene asked
    if (r->step != step) return broken("step %d calls itself %d", step, (int)r->step);
    if (sn_outcome_meets(r->outcome) && r->tolerance > 0 && !own && !(r->gradient <= r->tolerance * (1 + 1e-9)) &&
        r->iterations > 0)
        return broken("converged with %g N left where %g N is allowed", r->gradient, r->tolerance);
    if (r->outcome == SN_OUTCOME_STALLED && !*r->detail) return broken("stalled without a reason");
    return true;
}

// --- one case

SnWorld* torture_world(const char* text, int threads, int* code)
{
    SnScene* scene;
    SnWorld* world = NULL;
    SnStatus status = sn_scene_parse(text, strlen(text), "random.yaml", NULL, 0, &scene);
    if (status == SN_OK) {
        SnWorldDef* def = sn_scene_world_def(scene);
        def->threads = threads;
        if (def->solver.iterations > ITERATIONS) def->solver.iterations = ITERATIONS;
        status = sn_scene_create_world(scene, &world);
    }
    sn_scene_destroy(scene);
    *code = status == SN_OK ? DONE : REFUSED;
    if (status != SN_OK && !*sn_last_error()) broken("refused without a reason"), *code = BROKEN;
    return world;
}

typedef struct Kept {
    uint64_t hash;
    void* state;
    size_t size;
} Kept;

static bool keep(const SnWorld* world, Kept* kept)
{
    kept->hash = sn_world_hash(world);
    kept->size = sn_world_state_size(world);
    kept->state = malloc(kept->size);
    return sn_world_save_state(world, kept->state, kept->size) == SN_OK || broken("cannot save: %s", sn_last_error());
}

static int walk(SnWorld* world, SnRandom* random, Kept kept[STEPS + 1], int* steps)
{
    SnStepReport first, last, report;
    double start = sn_now_ms(), joules = 0;
    Momenta momenta = {0};
    *steps = 0;
    if (sn_world_measure(world, &first) != SN_OK) return REFUSED;
    if (!keep(world, &kept[0])) return BROKEN;
    last = first;
    for (int i = 1; i <= STEPS && sn_now_ms() - start < ENOUGH_MS; i++) {
        if (sn_world_step(world, &report) != SN_OK) return *sn_last_error() ? STOPPED : BROKEN;
        bool good = check_finite(world, &report) && check_report(world, &report, i) &&
                    check_ledger(&first.energy, &report.energy, &joules) && keep(world, &kept[i]);
        good = good && check_momentum(world, &last, &report, &momenta) && check_slope(world, &report, random);
        last = report;
        if (!good) return broken_in(i);
        *steps = i;
    }
    return DONE;
}

// Steps again, from the beginning with other threads or from a saved state, and compares.
static bool walk_again(const char* text, int threads, const Kept* kept, int from, int steps)
{
    int code;
    SnWorld* world = torture_world(text, threads, &code);
    if (!world) return broken("refused the second time: %s", sn_last_error());
    bool good = true;
    if (from > 0 && sn_world_restore_state(world, kept[from].state, kept[from].size) != SN_OK)
        good = broken("cannot restore step %d: %s", from, sn_last_error());
    for (int i = from + 1; i <= steps && good; i++) {
        if (sn_world_step(world, NULL) != SN_OK)
            good = broken("step %d fails the second time: %s", i, sn_last_error());
        else if (sn_world_hash(world) != kept[i].hash)
            good = broken("%d threads, from step %d: other bits after step %d", threads, from, i);
    }
    sn_world_destroy(world);
    return good;
}

static int one_case(const char* text, SnRandom* random)
{
    int code, steps = 0;
    Kept kept[STEPS + 1] = {{0}};
    SnWorld* world = torture_world(text, 1, &code);
    if (!world) return code;
    code = walk(world, random, kept, &steps);
    sn_world_destroy(world);
    if (code != BROKEN && steps > 0) {
        int from = 1 + (int)(sn_random_bits(random) % (uint64_t)steps);
        if (!walk_again(text, 3, kept, 0, steps) || !walk_again(text, 2, kept, from, steps)) code = BROKEN;
    }
    for (int i = 0; i <= STEPS; i++) free(kept[i].state);
    return code;
}

// --- all of them

static Wildness wildness_of(int index)
{
    return index % 10 < 6 ? WILD_TAME : index % 10 < 9 ? WILD_BROAD : WILD_EXTREME;
}

static void make_text(SnRandom* random, int index, char* text)
{
    random_scene(random, wildness_of(index), text);
}

int torture_scenes(const Torture* t)
{
    return t->scene ? torture_one(t, one_case) : torture_each(t, "scene", 1000, make_text, one_case);
}
