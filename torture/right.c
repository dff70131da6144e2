// What says `converged` is right: random bodies at the defaults, by every solver, are within 1 % of the motion (0.5 %
// of an equilibrium) of Newton's solved to rounding. Not counted are motions that nobody can find: those that end a
// hundred times as far off as they are shaken by in each of up to forty steps; and steps with more than one minimum, of
// which a solver finds another than Newton with hardly any residual, too.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pi.h"
#include "right_scene.h"
#include "torture.h"
#include "world/report.h"
#include <sinew/scene.h>

#define EXACT "solver: {type: newton, tolerance: 1e-13, iterations: 500}\n"
#define STILL 0.005 // of an equilibrium,
#define MOVING 0.01 // and of a motion, are the errors that are allowed,
#define GROWTH 100  // and so many times what it is shaken by a motion is off that nobody can find

static const char* const solvers[] = {"auto",
                                      "newton",
                                      "newton, linear: pcg",
                                      "lbfgs",
                                      "lbfgs, initial: trace-laplacian",
                                      "lbfgs, initial: kept-hessian",
                                      "lbfgs, initial: hessian",
                                      "dot",
                                      "chebyshev",
                                      "admm"};
static const char* const closer[] = {", tolerance: 1e-8, iterations: 3000", ", tolerance: 1e-11, iterations: 3000"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, CLOSER = sizeof closer / sizeof *closer };

// All frames of a run; steps: how many of them have converged, from the first on.
typedef struct Track {
    int steps, numbers; // 3 x nodes
    double* x;          // (RIGHT_STEPS + 1) x numbers
} Track;

static SnWorld* world_of(const char* solver, const char* text)
{
    static char whole[RANDOM_SCENE_SIZE];
    SnScene* scene;
    SnWorld* world = NULL;
    snprintf(whole, sizeof whole, "%s%s", solver, text);
    if (sn_scene_parse(whole, strlen(whole), "random.yaml", NULL, 0, &scene) != SN_OK) return NULL;
    sn_scene_world_def(scene)->threads = 1;
    sn_scene_create_world(scene, &world);
    sn_scene_destroy(scene);
    return world;
}

// Along a wave of the body's size: what bends or buckles takes it up. Held nodes go back to where they belong.
static void shake(SnWorld* world, double size, SnRandom* random)
{
    int numbers = 3 * sn_world_node_count(world);
    const double* now = sn_world_positions(world);
    double *x = malloc((size_t)numbers * sizeof *x), wave[3][4], length = 0;
    for (int i = 0; i < numbers; i++) length = fmax(length, fabs(now[i] - now[i % 3]));
    for (int k = 0; k < 12; k++) wave[k / 4][k % 4] = sn_random_uniform(random, -SN_PI, SN_PI);
    for (int i = 0; i < numbers; i++) {
        const double *w = wave[i % 3], *at = now + i - i % 3;
        x[i] = at[i % 3] + size * sin(w[3] + (w[0] * at[0] + w[1] * at[1] + w[2] * at[2]) / length);
    }
    if (sn_world_set_positions(world, x) != SN_OK) broken("cannot be shaken: %s", sn_last_error());
    free(x);
}

// by: what it is shaken by before each step; 0: it is not.
static bool walk(SnWorld* world, int steps, double by, SnRandom* random, Track* track)
{
    SnStepReport report;
    int n = track->numbers = 3 * sn_world_node_count(world);
    size_t size = (size_t)n * sizeof(double);
    if (!track->x) track->x = malloc((RIGHT_STEPS + 1) * size);
    memcpy(track->x, sn_world_positions(world), size);
    for (track->steps = 0; track->steps < steps; track->steps++) {
        if (by > 0) shake(world, by, random);
        if (sn_world_step(world, &report) != SN_OK || !sn_outcome_meets(report.outcome)) break;
        memcpy(track->x + (track->steps + 1) * (int64_t)n, sn_world_positions(world), size);
    }
    sn_world_destroy(world);
    return track->steps > 0;
}

// The largest distance of any node between two frames.
static double distance(int numbers, const double* a, const double* b)
{
    double most = 0;
    for (int i = 0; i < numbers; i += 3)
        most = fmax(most, hypot(hypot(a[i] - b[i], a[i + 1] - b[i + 1]), a[i + 2] - b[i + 2]));
    return most;
}

// Of two tracks, in any frame that both have; which one: in `at`.
static double apart(const Track* a, const Track* b, int* at)
{
    double most = 0;
    for (int i = 1; i <= a->steps && i <= b->steps; i++) {
        int64_t first = i * (int64_t)a->numbers;
        double d = distance(a->numbers, a->x + first, b->x + first);
        if (d > most) most = d, *at = i;
    }
    return most;
}

static double motion_of(const Track* track)
{
    double most = 0;
    for (int i = 1; i <= track->steps; i++)
        most = fmax(most, distance(track->numbers, track->x, track->x + i * (int64_t)track->numbers));
    return most;
}

// How many times as far off the exact motion is, at most, where it is shaken in each step.
static double growth_of(const char* text, const Track* exact, double motion, SnRandom* random)
{
    static const double sizes[] = {1e-9, 1e-6, 1e-4};
    Track shaken = {0};
    double most = 0;
    int at;
    for (int k = 0; k < 3; k++) {
        walk(world_of(EXACT, text), exact->steps, sizes[k] * motion, random, &shaken);
        most = fmax(most, apart(exact, &shaken, &at) / (sizes[k] * motion));
    }
    free(shaken.x);
    return most;
}

typedef struct Worst {
    double error, closely; // closely: with hardly any residual
    int solver, step;
} Worst;

static double error_of(const char* text, int solver, const char* more, const Track* exact, double motion, int* step)
{
    char line[200];
    Track track = {0};
    *step = 0;
    snprintf(line, sizeof line, "solver: {type: %s%s}\n", solvers[solver], more);
    walk(world_of(line, text), exact->steps, 0, NULL, &track);
    double error = apart(exact, &track, step) / motion;
    free(track.x);
    return error;
}

static Worst find_worst(const char* text, const Track* exact, double motion)
{
    Worst worst = {0};
    for (int k = 0; k < SOLVERS; k++) {
        int step;
        double error = error_of(text, k, "", exact, motion, &step);
        if (error > worst.error) worst = (Worst){error, 0, k, step};
    }
    return worst;
}

static int one_case(const char* text, SnRandom* random)
{
    Track exact = {0};
    SnWorld* world = world_of(EXACT, text);
    if (!world) return REFUSED;
    bool still = strstr(text, "integrator: static");
    bool known = walk(world, right_steps(text), 0, NULL, &exact);
    double motion = motion_of(&exact);
    if (!known || !(motion > 0)) broken("there is nothing to compare with");
    if (is_broken()) return STOPPED;
    Worst worst = find_worst(text, &exact, motion);
    double allowed = still ? STILL : MOVING, growth = 0;
    int step;
    if (worst.error > allowed) {
        for (int k = 0; k < CLOSER; k++)
            worst.closely = fmax(worst.closely, error_of(text, worst.solver, closer[k], &exact, motion, &step));
        growth = growth_of(text, &exact, motion, random);
        broken("%s is %.2g of the motion off after step %d, and %.2g with hardly any residual; shaken in each step the "
               "motion is %.2g times as far off",
               solvers[worst.solver], worst.error, worst.step, worst.closely, growth);
    }
    free(exact.x);
    if (worst.error <= allowed) return DONE;
    return growth > GROWTH || worst.closely > allowed ? STOPPED : BROKEN;
}

static void make_text(SnRandom* random, int index, char* text)
{
    (void)index;
    right_scene(random, text);
}

int torture_right(const Torture* t)
{
    return t->scene ? torture_one(t, one_case) : torture_each(t, "right", 100, make_text, one_case);
}
