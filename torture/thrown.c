// What is thrown at each other does not cross, by a checker that knows nothing of contacts: at the end of every step,
// and on every straight way that was taken to there; nor does it gain energy in steps of backward Euler that have
// converged.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test/crossings_run.h"
#include "contact/inside.h"
#include "thrown_scene.h"
#include "torture.h"
#include "world/report.h"

enum { STEPS = 8, SAMPLES = 16 };

static int step_count = STEPS;
#define GAIN 1e-3 // of the energy that there was

// --- the ways that are taken

static struct {
    CrossingRun* run; // NULL: nobody looks
    double *before, *after;
    bool moved; // obstacles did
    int frame;  // the last
} ways;

#ifdef SN_WATCH_WAYS
void __real_sn_contacts_take(SnContacts* contacts);
void __wrap_sn_contacts_take(SnContacts* contacts);

static void check_swept(const SnContacts* c)
{
    CrossingCount way;
    size_t size = 3 * (size_t)ways.run->surface.node_count * sizeof *ways.before;
    if (c->point_count != ways.run->surface.node_count) {
        broken("%d points are looked at, %d are there", c->point_count, ways.run->surface.node_count);
        return;
    }
    memcpy(ways.after, c->safe, size);
    if (!crossing_count_swept(&ways.run->surface, ways.before, ways.after, &way)) broken("no memory");
    if (way.self + way.others > 0)
        broken("%d pairs of a body with itself and %d of two cross on the way, as of nodes %d %d %d %d", (int)way.self,
               (int)way.others, way.example[0], way.example[1], way.example[2], way.example[3]);
}

// Where no obstacle moves, points along the way are outside of all, too.
static void check_outside(const SnContacts* c)
{
    CrossingDepth depth;
    double* x = ways.run->x;
    for (int i = 1; i <= SAMPLES; i++) {
        for (int k = 0; k < 3 * c->node_count; k++)
            x[k] = ways.before[k] + i * (ways.after[k] - ways.before[k]) / SAMPLES;
        if (crossing_run_depth(ways.run, ways.frame, &depth) != SN_OK) broken("%s", sn_last_error());
        if (depth.nodes > 0)
            broken("%d nodes pass through obstacle %d, as node %d", depth.nodes, depth.obstacle, depth.node);
    }
}

void __wrap_sn_contacts_take(SnContacts* c)
{
    if (ways.run) memcpy(ways.before, c->safe, 3 * (size_t)c->point_count * sizeof *ways.before);
    __real_sn_contacts_take(c);
    if (!ways.run) return;
    check_swept(c);
    ways.moved |= c->obstacles_move;
    if (!ways.moved) check_outside(c);
}
#endif

// --- the state after a step

static bool check_frame(CrossingRun* run, int frame)
{
    CrossingCount now;
    CrossingDepth depth;
    int64_t nested;
    if (sn_run_file_refresh(run->file) != SN_OK || crossing_run_read(run, frame) != SN_OK ||
        crossing_run_depth(run, frame, &depth) != SN_OK)
        return broken("%s", sn_last_error());
    if (!crossing_count(&run->surface, run->x, &now) || !crossing_count_nested(&run->surface, run->x, &nested))
        return broken("no memory");
    if (now.self + now.others > 0)
        return broken("%d pairs of a body with itself and %d of two cross, as of nodes %d %d %d %d", (int)now.self,
                      (int)now.others, now.example[0], now.example[1], now.example[2], now.example[3]);
    if (nested > 0) return broken("%d bodies are inside others", (int)nested);
    if (depth.nodes > 0)
        return broken("%d nodes are inside, node %d by %g m in obstacle %d", depth.nodes, depth.node, depth.depth,
                      depth.obstacle);
    return true;
}

// All that was given is in `pins`.
static bool check_energy(bool exact, const SnStepReport* a, const SnStepReport* b, double* most)
{
    double before = a->energy.kinetic + a->energy.elastic + a->energy.gravity - a->energy.pins;
    double after = b->energy.kinetic + b->energy.elastic + b->energy.gravity - b->energy.pins;
    *most = fmax(*most, b->energy.kinetic + fabs(b->energy.elastic) + fabs(b->energy.gravity - a->energy.gravity) +
                            fabs(b->energy.pins));
    if (!exact || !sn_outcome_meets(b->outcome)) return true;
    if (after - before <= GAIN * *most) return true;
    return broken("gains %g J of %g J", after - before, *most);
}

static int walk(SnWorld* world, bool exact, SnRunFile* file, CrossingRun* run)
{
    SnStepReport last, report;
    if (sn_world_measure(world, &last) != SN_OK) return REFUSED;
    double most = last.energy.kinetic + fabs(last.energy.elastic);
    if (!check_frame(run, 0)) return broken_in(0);
    for (int i = 1; i <= step_count; i++) {
        ways.run = run, ways.frame = i - 1;
        SnStatus status = sn_world_step(world, &report);
        ways.run = NULL;
        if (status != SN_OK) return STOPPED;
        if (sn_run_file_add_step(file, &report) != SN_OK || sn_run_file_write_frame(file, world) != SN_OK)
            broken("%s", sn_last_error());
        check_frame(run, i);
        check_energy(exact, &last, &report, &most);
        if (is_broken()) return broken_in(i);
        last = report;
    }
    return DONE;
}

// By backward Euler, to a tolerance that is one.
static bool is_exact(const char* text)
{
    const char* tolerance = strstr(text, "tolerance: ");
    return strstr(text, "integrator: backward-euler") && (!tolerance || atof(tolerance + 11) <= 1e-4);
}

static int one_case(const char* text, SnRandom* random)
{
    (void)random;
    char path[4096];
    int code;
    SnWorld* world = torture_world(text, 1, &code);
    SnRunFile* file = NULL;
    CrossingRun run = {0};
    if (!world) return code;
    snprintf(path, sizeof path, "%s/thrown-%d.run", SN_BINARY_DIR, (int)getpid());
    SnRunOptions options = sn_default_run_options();
    options.scene = text;
    if (sn_run_file_create(path, world, &options, &file) == SN_OK && crossing_run_open(path, &run) == SN_OK) {
        size_t size = 3 * (size_t)run.surface.node_count + 1;
        ways.before = malloc(size * sizeof(double)), ways.after = malloc(size * sizeof(double));
        code = walk(world, is_exact(text), file, &run);
        free(ways.before), free(ways.after);
    } else
        broken("%s", sn_last_error()), code = BROKEN;
    crossing_run_close(&run);
    sn_run_file_close(file);
    sn_world_destroy(world);
    unlink(path);
    return code;
}

static void make_text(SnRandom* random, int index, char* text)
{
    (void)index;
    thrown_scene(random, text);
}

int torture_thrown(const Torture* t)
{
    if (!t->scene) return torture_each(t, "thrown", 1000, make_text, one_case);
    step_count = t->count ? t->count : STEPS; // a scene of any size: its ways are looked at as those of random ones are
    return torture_one(t, one_case);
}
