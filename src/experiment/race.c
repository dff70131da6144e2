// Running a race: the reference first, whose states are kept; then each solver, put back on the reference's state
// before every step.
#include "experiment/race.h"

#include <math.h>
#include <sinew/run.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "experiment/gauge.h"
#include "scene/override_list.h"
#include "solver/initial.h"
#include "world/world.h"

// Everything there is: each solver, and lbfgs around each initial inverse.
static const char* all_solvers(SnArena* arena)
{
    const char* list = "";
    for (int i = 0; i < sn_solver_count() && list; i++) {
        const char* name = sn_solver_at(i)->name;
        if (strcmp(name, "lbfgs") != 0) {
            list = sn_arena_print(arena, "%s%s%s", list, *list ? "," : "", name);
            continue;
        }
        for (int k = 0; k < sn_initial_count() && list; k++) {
            const char* initial = sn_initial_at(k)->name;
            if (sn_solver_find(initial)) continue; // a solver of its own, as dot is
            list = sn_arena_print(arena, "%s%s%s/%s", list, *list ? "," : "", name, initial);
        }
    }
    return list;
}

SnStatus sn_race_add(SnRace* race, const SnRacer* racer)
{
    if (!SN_GROW(race->racers, race->racer_capacity, race->racer_count + 1, "racers")) return SN_ERROR_MEMORY;
    race->racers[race->racer_count++] = *racer;
    return SN_OK;
}

SnStatus sn_race_enter(SnRace* race, const char* list)
{
    if (!list || strcmp(list, "all") == 0) list = all_solvers(&race->arena);
    if (!list) return SN_ERROR_MEMORY;
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length > 0) {
            const char* name = sn_arena_text(&race->arena, list, length);
            if (!name) return SN_ERROR_MEMORY;
            SN_TRY(sn_race_add(race, &(SnRacer){.name = name, .solver = name}));
        }
        list += length + (list[length] == ',');
    }
    return SN_OK;
}

// One solver at work.
typedef struct Run {
    SnRace* race;
    SnRacer* racer;
    SnScene* scene;
    SnWorld* world;
    const SnAllocator* allocator; // which measures the memory
    double begin_ms;              // of the step
    double watched_ms;            // of the step, spent on watching
    int step, stage;
    bool out_of_memory;
} Run;

static double now_of(const Run* run)
{
    return run->race->processor_time ? sn_processor_ms() : sn_now_ms();
}

static double furthest(int count, const double* x, const double* other)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        double d = 0;
        for (int c = 0; c < 3; c++) d += (x[3 * i + c] - other[3 * i + c]) * (x[3 * i + c] - other[3 * i + c]);
        most = fmax(most, d);
    }
    return sqrt(most);
}

// How far the first stage's iterate is from the reference's last; the reference's own is kept.
static double watch_positions(Run* run, const SnSearch* search)
{
    SnRaceState* state = &run->race->states[run->step];
    int count = search->objective->nodes.count;
    if (run->stage > 0) return 0;
    if (run->racer != &run->race->reference) return furthest(count, search->x, state->minimum);
    if (!state->minimum && !SN_NEW(state->minimum, 3 * (int64_t)count, "the reference's states"))
        run->out_of_memory = true;
    else
        memcpy(state->minimum, search->x, 3 * (size_t)count * sizeof *state->minimum);
    return 0;
}

static void watch(void* user, const SnSearch* search)
{
    Run* run = user;
    SnRacer* racer = run->racer;
    double now = now_of(run);
    sn_thread_set_allocator(NULL); // this is not the solver's memory
    if (search->iterations == 0) run->stage++;
    run->race->characteristic = sn_potential_characteristic_force(search->objective->potential);
    if (SN_GROW(racer->points, racer->point_capacity, racer->point_count + 1, "a race's points"))
        racer->points[racer->point_count++] = (SnRacePoint){
            .stage = run->stage,
            .iteration = search->iterations,
            .ms = now - run->begin_ms - run->watched_ms,
            .energy = search->value.total,
            .gradient = search->norm,
            .magnitude = search->value.magnitude,
            .distance = watch_positions(run, search),
        };
    else
        run->out_of_memory = true;
    sn_thread_set_allocator(run->allocator);
    run->watched_ms += now_of(run) - now;
}

static SnStatus make_step(Run* run, int index)
{
    SnStepReport report;
    SnRaceStep* step = &run->racer->steps[index];
    step->first_point = run->racer->point_count;
    run->step = index, run->stage = -1;
    run->watched_ms = 0, run->begin_ms = now_of(run);
    SN_TRY(sn_world_step(run->world, &report));
    double end = now_of(run);
    if (run->out_of_memory) return sn_fail_memory("a race's points", 0);
    step->point_count = run->racer->point_count - step->first_point;
    step->iterations = report.iterations;
    step->evaluations = report.evaluations;
    step->factorizations = report.factorizations;
    step->ms = end - run->begin_ms - run->watched_ms;
    step->outcome = report.outcome, step->parts = report.parts;
    step->gradient = report.gradient, step->tolerance = report.tolerance;
    return SN_OK;
}

static SnStatus keep_state(const Run* run, SnRaceState* state)
{
    state->size = sn_world_state_size(run->world);
    sn_thread_set_allocator(NULL); // this is not the solver's memory
    bool good = SN_NEW(state->bytes, state->size, "the reference's states");
    sn_thread_set_allocator(run->allocator);
    return good ? sn_world_save_state(run->world, state->bytes, state->size) : SN_ERROR_MEMORY;
}

static SnStatus run_reference(Run* run)
{
    SnRace* race = run->race;
    for (int i = 0; i < race->first; i++) SN_TRY(sn_world_step(run->world, NULL));
    sn_thread_set_allocator(NULL);
    bool good = SN_NEW(race->states, race->count + 1, "the reference's states");
    sn_thread_set_allocator(run->allocator);
    if (!good) return SN_ERROR_MEMORY;
    sn_world_watch(run->world, watch, run);
    for (int i = 0; i <= race->count; i++) {
        if (i > 0) SN_TRY(make_step(run, i - 1));
        SN_TRY(keep_state(run, &race->states[i]));
    }
    return SN_OK;
}

static SnStatus make_restored(Run* run, int index)
{
    const SnRaceState* state = &run->race->states[index];
    SN_TRY(sn_world_restore_state(run->world, state->bytes, state->size));
    SN_TRY(make_step(run, index));
    int count = sn_world_node_count(run->world);
    const char* end = state[1].bytes + state[1].size; // positions, then velocities
    run->racer->steps[index].distance =
        furthest(count, sn_world_positions(run->world), (const double*)end - 6 * (size_t)count);
    return SN_OK;
}

// The same step again, which counts if it was faster; what is kept from step to step may make another one of it.
static SnStatus make_again(Run* run, int index)
{
    SnRacer* racer = run->racer;
    SnRaceStep before = racer->steps[index];
    int points = racer->point_count;
    SN_TRY(make_restored(run, index));
    SnRaceStep* now = &racer->steps[index];
    bool faster = now->ms < before.ms && now->point_count == before.point_count && now->distance == before.distance;
    if (faster)
        memcpy(racer->points + before.first_point, racer->points + points,
               (size_t)before.point_count * sizeof *racer->points);
    else
        *now = before;
    now->first_point = before.first_point;
    racer->point_count = points;
    return SN_OK;
}

static SnStatus run_racer(Run* run)
{
    const SnRace* race = run->race;
    sn_world_watch(run->world, watch, run);
    for (int i = 0; i < race->count; i++) SN_TRY(make_restored(run, i));
    for (int pass = 1; pass < race->passes; pass++)
        for (int i = 0; i < race->count; i++) SN_TRY(make_again(run, i));
    return SN_OK;
}

// The world, and one step that does not count: what is made once (constant factors) and memory that is touched for the
// first time would otherwise be the first step's.
static SnStatus set_up(Run* run)
{
    const SnRace* race = run->race;
    SnStepReport now;
    double begin = sn_now_ms();
    SN_TRY(sn_run_start_world(run->scene, &run->world));
    SN_TRY(sn_world_measure(run->world, &now));
    if (race->states) {
        SN_TRY(sn_world_restore_state(run->world, race->states[0].bytes, race->states[0].size));
        SN_TRY(sn_world_step(run->world, NULL));
    }
    run->racer->setup_ms = sn_now_ms() - begin;
    return SN_OK;
}

static SnStatus run_measured(Run* run)
{
    bool reference = run->racer == &run->race->reference;
    SnGauge gauge;
    run->allocator = sn_gauge_start(&gauge);
    if (!SN_NEW(run->racer->steps, run->race->count, "a race's steps")) return SN_ERROR_MEMORY;
    sn_thread_set_allocator(run->allocator);
    SnStatus status = set_up(run);
    if (status == SN_OK) status = reference ? run_reference(run) : run_racer(run);
    sn_world_destroy(run->world);
    sn_thread_set_allocator(NULL);
    run->racer->peak_bytes = sn_gauge_peak(&gauge);
    return status;
}

// The scene with this solver.
static SnStatus load_scene(Run* run)
{
    const SnRace* race = run->race;
    bool reference = run->racer == &race->reference, good = true;
    SnOverrides overrides = {0};
    for (int i = 0; i < race->override_count && good; i++) good = sn_overrides_add(&overrides, race->overrides[i]);
    for (const char* const* more = run->racer->overrides; more && *more && good; more++)
        good = sn_overrides_add(&overrides, *more);
    good = good && sn_overrides_add_solver(&overrides, run->racer->solver);
    double tolerance = reference ? 1e-12 : race->tolerance;
    int iterations = reference ? 10000 : race->iterations;
    if (good && tolerance >= 0)
        good = sn_overrides_add(&overrides, sn_arena_print(&overrides.arena, "solver.tolerance=%.17g", tolerance));
    if (good && iterations > 0)
        good = sn_overrides_add(&overrides, sn_arena_print(&overrides.arena, "solver.iterations=%d", iterations));
    SnStatus status = SN_ERROR_MEMORY;
    if (good && race->text)
        status =
            sn_scene_parse(race->text, strlen(race->text), race->path, overrides.items, overrides.count, &run->scene);
    else if (good)
        status = sn_scene_load(race->path, overrides.items, overrides.count, &run->scene);
    sn_overrides_free(&overrides);
    return status;
}

static SnStatus run_one(SnRace* race, SnRacer* racer)
{
    Run run = {.race = race, .racer = racer};
    SnStatus status = load_scene(&run);
    if (status == SN_OK) {
        if (race->threads) sn_scene_world_def(run.scene)->threads = race->threads;
        if (race->tell) race->tell(racer->name, racer == &race->reference);
        if (!race->title) race->title = sn_arena_print(&race->arena, "%s", sn_scene_name(run.scene));
        status = race->title ? run_measured(&run) : SN_ERROR_MEMORY;
    }
    sn_scene_destroy(run.scene);
    return status;
}

// The point where a stage ends.
static const SnRacePoint* last_of(const SnRacer* racer, int step, int stage)
{
    const SnRaceStep* s = &racer->steps[step];
    const SnRacePoint* last = NULL;
    for (int i = 0; i < s->point_count; i++)
        if (racer->points[s->first_point + i].stage == stage) last = &racer->points[s->first_point + i];
    return last;
}

double sn_race_error(const SnRace* race, int step, const SnRacePoint* point)
{
    const SnRacePoint* start = point - point->iteration;
    const SnRacePoint* best = last_of(&race->reference, step, point->stage);
    if (!best) return 0;
    double drop = start->energy - best->energy;
    return fabs(drop) > 1e-15 * start->magnitude ? (point->energy - best->energy) / fabs(drop) : 0;
}

double sn_race_converged_to(const SnRace* race)
{
    double most = 0;
    for (int i = 0; i < race->count; i++) {
        const SnRaceStep* step = &race->reference.steps[i];
        if (step->tolerance > 0) most = fmax(most, 1e-12 * step->gradient / step->tolerance);
    }
    return most;
}

int sn_race_hardest(const SnRace* race)
{
    int hardest = 0, most = -1;
    for (int k = 0; k < race->count; k++) {
        int sum = 0;
        for (int i = 0; i < race->racer_count; i++) sum += race->racers[i].steps[k].iterations;
        if (sum > most) most = sum, hardest = k;
    }
    return hardest;
}

static void find_errors(SnRace* race, SnRacer* racer)
{
    for (int i = 0; i < race->count; i++) {
        const SnRacePoint* last = last_of(racer, i, 0);
        racer->steps[i].error = last ? sn_race_error(race, i, last) : 0;
    }
}

// What is wrong with a solver's name shows before anything is run.
static SnStatus check_names(SnRace* race)
{
    SnStatus status = SN_OK;
    for (int i = 0; i < race->racer_count && status == SN_OK; i++) {
        Run run = {.race = race, .racer = &race->racers[i]};
        status = load_scene(&run);
        sn_scene_destroy(run.scene);
    }
    return status;
}

SnStatus sn_race_run(SnRace* race)
{
    SN_TRY(check_names(race));
    SN_TRY(run_one(race, &race->reference));
    for (int i = 0; i < race->racer_count; i++) {
        SN_TRY(run_one(race, &race->racers[i]));
        find_errors(race, &race->racers[i]);
    }
    return SN_OK;
}

void sn_race_free(SnRace* race)
{
    for (int i = -1; i < race->racer_count; i++) {
        SnRacer* racer = i < 0 ? &race->reference : &race->racers[i];
        SN_FREE(racer->steps, racer->points);
    }
    for (int i = 0; race->states && i <= race->count; i++) SN_FREE(race->states[i].bytes, race->states[i].minimum);
    SN_FREE(race->states, race->racers);
    sn_arena_free(&race->arena);
}
