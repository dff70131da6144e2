// Writes a short run of a ball that falls on a plate, and reads it back: bodies, steps, frames, obstacles.
//
//   cc read_run.c $(pkg-config --cflags --libs sinew) -o read_run
//   ./read_run            a run of its own, fall.run
//   ./read_run my.run     any run file
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_on(SnStatus status)
{
    if (status == SN_OK) return;
    fprintf(stderr, "%s\n", sn_last_error());
    exit(1);
}

static void write_run(const char* path)
{
    static const char text[] = "name: fall\n"
                               "time: {step: 1/60, frames: 30}\n"
                               "bodies:\n"
                               "  - {name: ball, mesh: {sphere: {radius: 0.1, cells: 2}}, place: {move: [0, 0.3, 0]}}\n"
                               "obstacles:\n"
                               "  - {type: box, name: plate, size: [1, 0.1, 1], motion: {velocity: [0, 0.1, 0]}}\n";
    SnScene* scene;
    SnWorld* world;
    SnRunFile* run;
    stop_on(sn_scene_parse(text, sizeof text - 1, "fall.yaml", NULL, 0, &scene));
    stop_on(sn_scene_create_world(scene, &world));
    SnRunOptions options = sn_default_run_options();
    options.name = sn_scene_name(scene);
    options.scene = sn_scene_text(scene);
    stop_on(sn_run_file_create(path, world, &options, &run));
    for (int i = 1; i <= sn_scene_frames(scene); i++) {
        SnStepReport report;
        stop_on(sn_world_step(world, &report));
        stop_on(sn_run_file_add_step(run, &report));
        if (i % 10 == 0) stop_on(sn_run_file_write_frame(run, world)); // every tenth step is a frame
    }
    stop_on(sn_run_file_close(run));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void print_steps(SnRunFile* run)
{
    const SnRunStep* steps;
    int count, stalled = 0;
    double worst = 0; // how much of what was allowed is used
    stop_on(sn_run_file_read_steps(run, -1, &steps, &count));
    for (int i = 1; i < count; i++) {
        if (steps[i].gradient > worst * steps[i].tolerance) worst = steps[i].gradient / steps[i].tolerance;
        if (steps[i].detail[0]) stalled++, printf("step %d stalled: %s\n", (int)steps[i].step, steps[i].detail);
    }
    printf("%d steps, %d stalled; residuals at most %.2g of what is allowed\n", count - 1, stalled, worst);
}

static void print_frame(SnRunFile* run, int frame, double* x)
{
    int nodes = sn_run_file_node_count(run);
    double height = 0;
    stop_on(sn_run_file_read_frame(run, frame, x, NULL));
    for (int i = 0; i < nodes; i++) height += x[3 * i + 1] / nodes;
    printf("t = %.3f s  mean height of the nodes %6.3f m", sn_run_file_frame_time(run, frame), height);
    for (int i = 0; i < sn_run_file_obstacle_count(run); i++) {
        SnPose pose;
        stop_on(sn_run_file_read_obstacle(run, frame, i, &pose, NULL));
        printf("  %s moved by %.3f m", sn_run_file_obstacles(run)[i].name, pose.shift[1]);
    }
    printf("\n");
}

int main(int argc, char** argv)
{
    const char* path = argc > 1 ? argv[1] : "fall.run";
    if (argc == 1) write_run(path);
    SnRunFile* run;
    stop_on(sn_run_file_open(path, &run));
    printf("%s: %d bodies, %d obstacles, %d frames\n", sn_run_file_name(run), sn_run_file_body_count(run),
           sn_run_file_obstacle_count(run), sn_run_file_frame_count(run));
    print_steps(run);
    double* x = malloc(3 * (size_t)sn_run_file_node_count(run) * sizeof *x + 1);
    if (!x) return 1;
    for (int i = 0; i < sn_run_file_frame_count(run); i++) print_frame(run, i, x);
    free(x);
    sn_run_file_destroy(run);
    return 0;
}
