// Trails: of each body the nodes that are farthest from each other are followed.
#include "view/run_trails.h"

#include <math.h>
#include <string.h>

#include "archive/palette.h"
#include "core/memory.h"
#include "linalg/vec3.h"

enum { NODES = 6, MOST_TRAILS = 600 };
static const double RADIUS = 0.0025; // of the scene's size

struct SnRunTrails {
    SnRunPicture* picture;
    double seconds;
    int count, frame_count, rope_count; // ropes: without trails
    int *nodes, *bodies;                // count
    double* times;                      // frame_count
    double* points;                     // frame_count x 3 for each trail
    int* edges;                         // 2 x (frame_count - 1): one after the other
};

// The nodes of a body, at rest, each the farthest from those before it; the first is the farthest from its middle.
static void choose_nodes(const SnBodyInfo* body, double* nearest, int wanted, int* chosen)
{
    double from[3] = {0};
    for (int n = 0; n < body->node_count; n++) {
        nearest[n] = INFINITY;
        for (int c = 0; c < 3; c++) from[c] += body->rest[3 * (size_t)n + (size_t)c] / body->node_count;
    }
    for (int i = 0; i < wanted; i++) {
        int best = 0;
        for (int n = 0; n < body->node_count; n++) {
            nearest[n] = fmin(i == 1 ? INFINITY : nearest[n], sn_distance3(from, body->rest + 3 * (size_t)n));
            if (nearest[n] > nearest[best]) best = n;
        }
        chosen[i] = body->first_node + best;
        memcpy(from, body->rest + 3 * (size_t)best, sizeof from);
    }
}

static SnStatus choose_all(SnRunTrails* t)
{
    SnRunFile* run = t->picture->run;
    int bodies = sn_run_file_body_count(run), each = bodies > 0 ? MOST_TRAILS / bodies : 0;
    each = each < 1 ? 1 : each > NODES ? NODES : each;
    double* nearest;
    if (!SN_NEW(nearest, sn_run_file_node_count(run), "trails") ||
        !SN_NEW(t->nodes, (int64_t)bodies * each, "trails") || !SN_NEW(t->bodies, (int64_t)bodies * each, "trails")) {
        sn_free(nearest);
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < bodies && t->count < MOST_TRAILS; b++) {
        const SnBodyInfo* body = &sn_run_file_bodies(run)[b];
        int wanted = body->node_count < each ? body->node_count : each;
        choose_nodes(body, nearest, wanted, t->nodes + t->count);
        for (int i = 0; i < wanted; i++) t->bodies[t->count++] = b;
    }
    sn_free(nearest);
    return SN_OK;
}

static SnStatus follow(SnRunTrails* t)
{
    SnRunFile* run = t->picture->run;
    double* x;
    if (!SN_NEW(x, 3 * (int64_t)sn_run_file_node_count(run), "trails")) return SN_ERROR_MEMORY;
    SnStatus status = SN_OK;
    for (int f = 0; status == SN_OK && f < t->frame_count; f++) {
        t->times[f] = sn_run_file_frame_time(run, f);
        status = sn_run_file_read_frame(run, f, x, NULL);
        for (int i = 0; status == SN_OK && i < t->count; i++) {
            double* point = t->points + 3 * ((size_t)i * (size_t)t->frame_count + (size_t)f);
            memcpy(point, x + 3 * (size_t)t->nodes[i], 3 * sizeof *point);
            sn_run_picture_turn(t->picture, point);
        }
    }
    sn_free(x);
    return status;
}

// Ropes of the scene, then trails.
static SnStatus add_ropes(SnRunTrails* t)
{
    SnRunPicture* p = t->picture;
    SnPictureRope* all;
    t->rope_count = p->scene.rope_count;
    if (!SN_NEW(all, t->rope_count + (int64_t)t->count, "trails")) return SN_ERROR_MEMORY;
    if (t->rope_count) memcpy(all, p->ropes, (size_t)t->rope_count * sizeof *all);
    for (int i = 0; i < t->count; i++) {
        SnPictureRope* rope = &all[t->rope_count + i];
        rope->edges = t->edges, rope->radius = RADIUS * p->scene.ground_size;
        sn_palette(t->bodies[i], rope->colour);
        for (int c = 0; c < 3; c++) rope->colour[c] = 0.5f * rope->colour[c] + 0.1f; // darker than what it follows
    }
    sn_free(p->ropes);
    p->scene.ropes = p->ropes = all;
    return SN_OK;
}

static SnStatus fill(SnRunTrails* t)
{
    t->frame_count = sn_run_file_frame_count(t->picture->run);
    SN_TRY(choose_all(t));
    if (!SN_NEW(t->times, t->frame_count, "trails") ||
        !SN_NEW(t->points, 3 * (int64_t)t->frame_count * t->count, "trails") ||
        !SN_NEW(t->edges, 2 * (int64_t)t->frame_count, "trails"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < 2 * t->frame_count; i++) t->edges[i] = (i + 1) / 2; // 0 1, 1 2, 2 3, ...
    SN_TRY(follow(t));
    return add_ropes(t);
}

SnStatus sn_run_trails_create(SnRunPicture* picture, double seconds, SnRunTrails** out)
{
    SnRunTrails* t;
    *out = NULL;
    if (!SN_NEW(t, 1, "trails")) return SN_ERROR_MEMORY;
    t->picture = picture, t->seconds = seconds;
    SN_FINISH(fill(t), t, sn_run_trails_destroy, out);
}

void sn_run_trails_destroy(SnRunTrails* t)
{
    if (t) SN_FREE(t->nodes, t->bodies, t->times, t->points, t->edges, t);
}

void sn_run_trails_show(SnRunTrails* t, int frame)
{
    int first = frame;
    while (first > 0 && t->times[first - 1] >= t->times[frame] - t->seconds * (1 + 1e-9)) first--;
    t->picture->scene.rope_count = t->rope_count + (frame > first ? t->count : 0);
    for (int i = 0; i < t->count; i++) {
        SnPictureRope* rope = &t->picture->ropes[t->rope_count + i];
        rope->node_count = frame - first + 1, rope->edge_count = frame - first;
        rope->positions = t->points + 3 * ((size_t)i * (size_t)t->frame_count + (size_t)first);
    }
}
