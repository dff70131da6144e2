// crossings RUN [--swept] [--skins] [--every N]: what crosses in each frame of a run file, and with --swept also from
// frame to frame, every node going straight; with --skins bodies have these for surfaces; the last line has the sums.
// Exit code 1: something crosses or is inside. What a straight line would cross between frames that were not come to in
// one step, or in a step in parts, is told apart: its ways were others, and only who makes the steps can look at them
// (`torture thrown scene=FILE`). A step may also get to its end by several straight ways, which a run does not tell:
// what goes round a corner in a step is told as crossing here and has to be looked at there, too.
#include "crossings_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Options {
    const char* path;
    bool swept, skins;
    int every;
} Options;

typedef struct Sums {
    int64_t self, others, swept, bent, inside, nested, touching;
    int frames; // with any of these but touching
    double depth;
} Sums;

static bool read_options(int argc, char** argv, Options* options)
{
    *options = (Options){.every = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--swept") == 0)
            options->swept = true;
        else if (strcmp(argv[i], "--skins") == 0)
            options->skins = true;
        else if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
            options->every = atoi(argv[++i]);
        else if (argv[i][0] != '-' && !options->path)
            options->path = argv[i];
        else
            return false;
    }
    return options->path && options->every > 0;
}

static void print_frame(CrossingRun* run, int frame, const CrossingCount* now, const CrossingCount* way, bool straight,
                        int64_t nested, const CrossingDepth* depth)
{
    printf("frame %d: %" PRId64 " of a body with itself, %" PRId64 " of two", frame, now->self, now->others);
    printf(", on the way %" PRId64 " and %" PRId64 "%s", way->self, way->others, straight ? "" : " if it was straight");
    if (nested > 0) printf(", %" PRId64 " bodies inside others", nested);
    if (depth->nodes > 0)
        printf(", %d nodes inside, node %d %.3g m in %s", depth->nodes, depth->node, depth->depth,
               sn_run_file_obstacles(run->file)[depth->obstacle].type);
    const int* e = now->example[0] >= 0 ? now->example : way->example;
    if (e[0] >= 0) printf(", as of nodes %d %d %d %d", e[0], e[1], e[2], e[3]);
    printf("\n");
}

static bool judge(CrossingRun* run, int frame, bool swept, Sums* sums)
{
    CrossingCount now, way = {.example = {-1, -1, -1, -1}};
    CrossingDepth depth;
    int64_t nested;
    bool straight = true;
    if (crossing_run_read(run, frame) != SN_OK || crossing_run_depth(run, frame, &depth) != SN_OK) return false;
    if (!crossing_count(&run->surface, run->x, &now) || !crossing_count_nested(&run->surface, run->x, &nested))
        return false;
    if (swept && frame > 0 &&
        (!crossing_count_swept(&run->surface, run->before, run->x, &way) ||
         crossing_run_straight(run, &straight) != SN_OK))
        return false;
    int64_t crossed = way.self + way.others;
    sums->self += now.self, sums->others += now.others, sums->touching += now.touching + way.touching;
    *(straight ? &sums->swept : &sums->bent) += crossed, sums->inside += depth.nodes;
    sums->nested += nested;
    if (depth.depth > sums->depth) sums->depth = depth.depth;
    bool bad = now.self + now.others + (straight ? crossed : 0) + nested + depth.nodes > 0;
    sums->frames += bad;
    if (bad || crossed > 0) print_frame(run, frame, &now, &way, straight, nested, &depth);
    return true;
}

int main(int argc, char** argv)
{
    Options options;
    CrossingRun run;
    Sums sums = {0};
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: crossings RUN [--swept] [--skins] [--every N]\n");
        return 2;
    }
    SnStatus status =
        options.skins ? crossing_run_open_skins(options.path, &run) : crossing_run_open(options.path, &run);
    bool good = status == SN_OK;
    int frames = good ? sn_run_file_frame_count(run.file) : 0;
    for (int i = 0; good && i < frames; i += options.every) good = judge(&run, i, options.swept, &sums);
    if (good)
        printf("%d frames, %d of them bad: %" PRId64 " of a body with itself, %" PRId64 " of two, %" PRId64
               " on the way (%" PRId64 " more if ways in parts were straight), %" PRId64
               " bodies inside others, %" PRId64 " nodes inside (deepest %.3g m); %" PRId64 " touch\n",
               frames, sums.frames, sums.self, sums.others, sums.swept, sums.bent, sums.nested, sums.inside, sums.depth,
               sums.touching);
    else
        fprintf(stderr, "crossings: %s: %s\n", options.path, sn_last_error());
    crossing_run_close(&run);
    return !good ? 2 : sums.frames > 0;
}
