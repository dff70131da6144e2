// Run files: a good one with some of its bytes changed (position, value, and how many), or, where the first byte is
// odd, the bytes themselves. All that can be read is read; one in sixteen is gone on with.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/run_file.h"
#include "fuzz.h"

void fuzz_run_file(const uint8_t* bytes, size_t size);

static uint8_t* good;
static size_t good_size;

static SnWorld* make_world(void)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh* mesh;
    def.threads = 1, def.solver.iterations = 4;
    FUZZ_CHECK(sn_world_create(&def, &world) == SN_OK);
    FUZZ_CHECK(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh) == SN_OK);
    SnBodyDef body = sn_default_body_def();
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    body.mesh = mesh, body.damping = &damping, body.damping_count = 1;
    FUZZ_CHECK(sn_world_add_body(world, &body, NULL) == SN_OK);
    SnObstacleDef ball = sn_default_obstacle_def();
    ball.shape = sn_obstacle("sphere"), ball.shape.point[1] = -3;
    FUZZ_CHECK(sn_world_add_obstacle(world, &ball, NULL) == SN_OK);
    sn_mesh_destroy(mesh);
    return world;
}

static void make_good(void)
{
    SnWorld* world = make_world();
    SnRunFile* run;
    SnStepReport report;
    const char* path = fuzz_path(".good");
    FUZZ_CHECK(sn_run_file_create(path, world, NULL, &run) == SN_OK);
    for (int i = 0; i < 2; i++) {
        FUZZ_CHECK(sn_world_step(world, &report) == SN_OK && sn_run_file_add_step(run, &report) == SN_OK);
        FUZZ_CHECK(sn_run_file_write_frame(run, world) == SN_OK);
    }
    FUZZ_CHECK(sn_run_file_close(run) == SN_OK);
    sn_world_destroy(world);
    FILE* file = fopen(path, "rb");
    good = malloc(1 << 20);
    good_size = fread(good, 1, 1 << 20, file);
    fclose(file), unlink(path);
}

size_t fuzz_good_run(const uint8_t** bytes)
{
    if (!good) make_good();
    *bytes = good;
    return good_size;
}

static void read_all(SnRunFile* run)
{
    const SnRunStep* steps;
    const SnRunLoss* losses;
    const char* text;
    int count, nodes = sn_run_file_node_count(run);
    double* x = nodes < 100000 ? malloc(48 * (size_t)nodes + 1) : NULL;
    for (int i = 0; i < sn_run_file_frame_count(run) && i < 4 && x; i++)
        sn_run_file_read_frame(run, i, x, x + 3 * (size_t)nodes);
    for (int o = 0; o < sn_run_file_obstacle_count(run) && o < 4; o++) {
        int vertices = sn_run_file_obstacles(run)[o].vertex_count;
        double* y = vertices < 100000 ? malloc(24 * (size_t)vertices + 1) : NULL;
        SnPose pose;
        if (y) sn_run_file_read_obstacle(run, 0, o, &pose, y);
        free(y);
    }
    sn_run_file_read_steps(run, -1, &steps, &count);
    sn_run_file_read_losses(run, -1, &losses, &count);
    sn_run_file_meta(run, "overrides", &text);
    free(x);
}

static void open_and_read(const char* path)
{
    SnRunFile* run;
    if (sn_run_file_open(path, &run) == SN_OK) {
        read_all(run);
        sn_run_file_destroy(run);
    } else
        FUZZ_CHECK(*sn_last_error());
}

static void resume(const char* path)
{
    SnRunFile* run;
    SnWorld* world = make_world();
    if (sn_run_file_resume(path, NULL, world, &run) == SN_OK) {
        SnStepReport report;
        if (sn_world_step(world, &report) == SN_OK && sn_run_file_add_step(run, &report) == SN_OK)
            sn_run_file_write_frame(run, world);
        sn_run_file_destroy(run);
    } else
        FUZZ_CHECK(*sn_last_error());
    sn_world_destroy(world);
}

void fuzz_run_file(const uint8_t* bytes, size_t size)
{
    static const char* const endings[] = {".bytes", ".bytes-wal", ".bytes-shm", ".bytes-journal", ".bytes-lock"};
    if (size < 1) return;
    if (!good) make_good();
    SnBudget budget;
    fuzz_begin(&budget);
    const char* path;
    if (bytes[0] % 2)
        path = fuzz_file(bytes + 1, size - 1);
    else {
        uint8_t* changed = malloc(good_size);
        memcpy(changed, good, good_size);
        for (FuzzInput in = {bytes + 1, size - 1}; in.left >= 4;) {
            size_t at = (fuzz_byte(&in) | fuzz_byte(&in) << 8 | fuzz_byte(&in) << 16) % good_size;
            changed[at] = (uint8_t)fuzz_byte(&in);
        }
        path = fuzz_file(changed, good_size);
        free(changed);
    }
    open_and_read(path);
    if (bytes[0] / 2 % 16 == 1) resume(path);
    fuzz_end(&budget);
    for (int i = 0; i < 5; i++) unlink(fuzz_path(endings[i]));
}
