// What the tests of run files and exporters share: a folder, three bodies, and frames made out of a seed.
#pragma once
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <sinew/world.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/run_file.h"
#include "core/random.h"

// --- a folder to work in ---

static char folder[64];

static inline int make_folder(void** state)
{
    (void)state;
    strcpy(folder, "/tmp/sinew-archive-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline void empty_folder(const char* path)
{
    DIR* directory = opendir(path);
    if (!directory) return;
    for (struct dirent* entry; (entry = readdir(directory));) {
        char* name;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (asprintf(&name, "%s/%s", path, entry->d_name) < 0) break;
        if (entry->d_type == DT_DIR)
            empty_folder(name), rmdir(name);
        else
            unlink(name);
        free(name);
    }
    closedir(directory);
}

static inline int remove_folder(void** state)
{
    (void)state;
    empty_folder(folder);
    return rmdir(folder);
}

// The path of a file in it, valid to the end.
static inline const char* in_folder(const char* name)
{
    enum { PATHS = 64 };
    static char paths[PATHS][128];
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (int i = 0; i < PATHS; i++) {
        if (!paths[i][0]) strcpy(paths[i], path);
        if (!strcmp(paths[i], path)) return paths[i];
    }
    fail_msg("more than %d paths", PATHS);
    return NULL;
}

static inline bool exists(const char* path, const char* ending)
{
    char name[256];
    struct stat info;
    snprintf(name, sizeof name, "%s%s", path, ending);
    return lstat(name, &info) == 0;
}

static inline char* read_bytes(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static inline void write_bytes(const char* path, const char* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    check(file != NULL);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// --- a run of three bodies: a cube of twelve tetrahedra around its centre, a sheet, a rope ---

enum { CUBE_NODES = 9, SHEET_NODES = 4, ROPE_NODES = 3, NODES = CUBE_NODES + SHEET_NODES + ROPE_NODES };

static const double cube_rest[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, .5, .5, .5};
static const double sheet_rest[] = {2, 0, 0, 3, 0, 0, 2, 0, 1, 3, 0, 1};
static const double rope_rest[] = {0, 2, 0, 1, 2, 0, 2, 2, 0};
static const int cube_surface[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const int sheet_triangles[] = {0, 2, 1, 1, 2, 3};
static const int rope_edges[] = {0, 1, 1, 2};
static int cube_tetrahedra[48];

static inline const SnBodyInfo* three_bodies(void)
{
    for (int i = 0; i < 12; i++) {
        for (int c = 0; c < 3; c++) cube_tetrahedra[4 * i + c] = cube_surface[3 * i + 2 - c];
        cube_tetrahedra[4 * i + 3] = 8;
    }
    static const SnBodyInfo bodies[] = {
        {.name = "a cube",
         .first_node = 0,
         .node_count = CUBE_NODES,
         .rest = cube_rest,
         .tetrahedron_count = 12,
         .tetrahedra = cube_tetrahedra,
         .surface_count = 12,
         .surface = cube_surface},
        {.name = "sheet",
         .first_node = CUBE_NODES,
         .node_count = SHEET_NODES,
         .rest = sheet_rest,
         .triangle_count = 2,
         .triangles = sheet_triangles,
         .surface_count = 2,
         .surface = sheet_triangles},
        {.name = "rope",
         .first_node = CUBE_NODES + SHEET_NODES,
         .node_count = ROPE_NODES,
         .rest = rope_rest,
         .edge_count = 2,
         .edges = rope_edges},
    };
    return bodies;
}

// A floor that stays, a tetrahedron that is moved every third step and one that changes every fifth.
enum { OBSTACLES = 3 };
static const int tetrahedron_faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const SnRunObstacle three_obstacles[OBSTACLES] = {
    {"floor", "plane", 0.5, 1e-3, true, {0, -1, 0}, {0, 1, 0}, false, 0, 0, NULL},
    {"moved", "mesh", 0.25, 2e-3, .vertex_count = 4, .triangle_count = 4, .triangles = tetrahedron_faces},
    {"changed", "mesh", 0, 0, .changes = true, .vertex_count = 4, .triangle_count = 4, .triangles = tetrahedron_faces},
};

// What step `step` of a run with this seed looks like, out of nothing.
enum { PROBES = 2 };
static const SnValueInfo two_probes[PROBES] = {{"tip", "displacement", "x", "m"}, {"gap \"a\"", "distance", "", "m"}};

typedef struct Moment {
    int nodes;
    double *x, *v;
    SnRunStep row;
    SnRunFrame frame;
    uint64_t state[4];
    SnLoss losses[2];
    double values[PROBES];
    SnRunPlace places[OBSTACLES];
    double vertices[OBSTACLES][12];
    SnContactInfo contacts[3];
} Moment;

static inline Moment moment_new(int nodes)
{
    return (Moment){.nodes = nodes, .x = calloc((size_t)nodes * 3 + 1, 8), .v = calloc((size_t)nodes * 3 + 1, 8)};
}

static inline void moment_free(Moment* m)
{
    free(m->x), free(m->v);
}

static inline void make_places(Moment* m, uint64_t seed, int64_t step)
{
    for (int o = 0; o < OBSTACLES; o++) {
        m->places[o] = (SnRunPlace){.pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}}};
        SnRandom random = {seed * 77 + (uint64_t)(o == 2 ? step / 5 : 0)};
        for (int i = 0; i < 12; i++) m->vertices[o][i] = sn_random_uniform(&random, -1, 1);
        if (o == 2 || step == 0) m->places[o].vertices = m->vertices[o];
    }
    SnRandom random = {seed * 55 + (uint64_t)step / 3};
    for (int i = 0; i < 9; i++) m->places[1].pose.rotation[i] = sn_random_uniform(&random, -1, 1);
    for (int i = 0; i < 3; i++) m->places[1].pose.shift[i] = sn_random_uniform(&random, -1, 1);
}

// As many contacts as `count`, with numbers of 24 bits.
static inline void make_contacts(Moment* m, int count, SnRandom* random)
{
    int bodies = m->nodes == NODES ? 3 : 1;
    for (int i = 0; i < count; i++) {
        bool obstacle = bodies == 3 && sn_random_bits(random) % 2;
        SnContactInfo* c = &m->contacts[i];
        *c = (SnContactInfo){
            .body = i % bodies, .other_body = obstacle ? -1 : (i + 1) % bodies, .obstacle = obstacle ? i : -1};
        c->state = i % 2 ? SN_CONTACT_STICKS : SN_CONTACT_SLIDES;
        c->node_count = 1 + i;
        for (int k = 0; k < SN_CONTACT_NODES; k++) c->nodes[k] = k < c->node_count ? (i + 5 * k) % m->nodes : -1;
        double* values[] = {c->point, c->normal, c->friction, &c->gap, &c->force};
        for (int k = 0; k < 11; k++)
            values[k < 9 ? k / 3 : k - 6][k < 9 ? k % 3 : 0] = (double)(sn_random_bits(random) >> 40) * 0x1p-24;
    }
    m->frame.contacts = m->contacts, m->frame.contact_count = count;
}

static inline void moment_make(Moment* m, uint64_t seed, int64_t step)
{
    SnRandom random = {seed * 1000003 + (uint64_t)step};
    for (int i = 0; i < 3 * m->nodes; i++) m->x[i] = sn_random_uniform(&random, -1, 1);
    for (int i = 0; i < 3 * m->nodes; i++) m->v[i] = sn_random_uniform(&random, -9, 9);
    for (int i = 0; i < 4; i++) m->state[i] = sn_random_bits(&random);
    m->row = (SnRunStep){.step = step,
                         .time = (double)step / 30,
                         .iterations = (int)(step % 7),
                         .evaluations = (int)(step % 11),
                         .factorizations = (int)(step % 3),
                         .outcome = step % 4 ? "converged" : "stalled",
                         .detail = step % 4 ? "" : "the line search, \"lost\""};
    m->row.worst_count = step % 4 ? 0 : m->nodes < SN_WORST_NODES ? m->nodes : SN_WORST_NODES;
    for (int i = 0; i < m->row.worst_count; i++) m->row.worst[i] = (int)(step + 5 * i) % m->nodes;
    m->row.gradient = sn_random_uniform(&random, 0, 1), m->row.tolerance = sn_random_uniform(&random, 0, 1);
    m->row.depth = sn_random_uniform(&random, 0, 1), m->row.drift = sn_random_uniform(&random, 0, 1);
    double* energies = &m->row.energy.kinetic;
    for (int i = 0; i < 7; i++) energies[i] = sn_random_uniform(&random, -1, 1);
    for (int i = 0; i < 3; i++) m->row.momentum[i] = sn_random_uniform(&random, -1, 1);
    for (int i = 0; i < 3; i++) m->row.angular_momentum[i] = sn_random_uniform(&random, -1, 1);
    m->row.contacts = (int)(step % 5), m->row.parts = (int)(step % 6), m->row.crossings = (int)(step % 9);
    m->row.inverted = (int)(step % 4), m->row.bounded = (int)(step % 8), m->row.asleep = (int)(step % 3);
    m->row.ms_local = 1, m->row.ms_global = 2, m->row.ms_contact = 3, m->row.ms_total = 6.5;
    for (int i = 0; i < 3; i++) m->row.impulse[i] = sn_random_uniform(&random, -1, 1);
    for (int i = 0; i < 3; i++) m->row.angular_impulse[i] = sn_random_uniform(&random, -1, 1);
    m->losses[0] = (SnLoss){"bar: rayleigh", sn_random_uniform(&random, 0, 1)};
    m->losses[1] = (SnLoss){"bar: drag", sn_random_uniform(&random, 0, 1)};
    m->row.distance = step % 2 ? INFINITY : sn_random_uniform(&random, 0, 1);
    double* errors = &m->row.errors.pull;
    for (int i = 0; i < 5; i++) errors[i] = sn_random_uniform(&random, 0, 1);
    m->values[0] = sn_random_uniform(&random, -1, 1);
    m->values[1] = step % 3 ? (double)step : NAN;
    m->frame = (SnRunFrame){.step = step,
                            .time = m->row.time,
                            .positions = m->x,
                            .velocities = m->v,
                            .steps = &m->row,
                            .step_count = 1,
                            .values = m->values,
                            .losses = m->losses,
                            .loss_count = 2,
                            .state = m->state,
                            .state_size = sizeof m->state,
                            .places = m->places};
    make_contacts(m, (int)(step % 4), &random);
    make_places(m, seed, step);
}

static inline SnRunDef three_body_def(bool compress)
{
    return (SnRunDef){"three bodies",
                      "name: three bodies\n",
                      1.0 / 30,
                      three_bodies(),
                      3,
                      compress,
                      three_obstacles,
                      OBSTACLES,
                      true,
                      two_probes,
                      PROBES,
                      NULL,
                      false,
                      false};
}

// A finished run of `frames` frames at path.
static inline void make_run(const char* path, bool compress, uint64_t seed, int frames)
{
    SnRunDef def = three_body_def(compress);
    Moment m = moment_new(NODES);
    SnRunFile* run;
    moment_make(&m, seed, 0);
    check_ok(sn_run_file_create_from(path, &def, &m.frame, &run));
    for (int i = 1; i < frames; i++) {
        moment_make(&m, seed, i);
        check_ok(sn_run_file_append(run, &m.frame));
    }
    check_ok(sn_run_file_close(run));
    moment_free(&m);
}

static inline void check_contacts(SnRunFile* run, int frame, const Moment* m)
{
    const SnContactInfo* contacts;
    int count;
    check_ok(sn_run_file_read_contacts(run, frame, &contacts, &count));
    assert_int_equal(count, sn_run_file_format(run) < 5 ? 0 : m->frame.contact_count);
    for (int k = 0; k < count; k++) {
        const SnContactInfo *a = &contacts[k], *b = &m->contacts[k];
        assert_memory_equal(a->nodes, b->nodes, sizeof a->nodes);
        check(a->body == b->body && a->other_body == b->other_body && a->obstacle == b->obstacle);
        check(a->node_count == b->node_count && a->state == b->state && a->gap == b->gap && a->force == b->force);
        for (int c = 0; c < 3; c++)
            check(a->point[c] == b->point[c] && a->normal[c] == b->normal[c] && a->friction[c] == b->friction[c]);
        check(isnan(a->slip[0]) && isnan(a->thickness) && isnan(a->coefficient));
    }
}

// Every frame of the file is what the seed makes of it, and they have no gaps.
static inline void check_frames(SnRunFile* run, uint64_t seed)
{
    int nodes = sn_run_file_node_count(run);
    Moment m = moment_new(nodes), got = moment_new(nodes);
    for (int i = 0; i < sn_run_file_frame_count(run); i++) {
        moment_make(&m, seed, i);
        assert_int_equal(sn_run_file_frame_step(run, i), i);
        check(sn_run_file_frame_time(run, i) == m.row.time);
        check_ok(sn_run_file_read_frame(run, i, got.x, got.v));
        assert_memory_equal(got.x, m.x, 24 * (size_t)nodes);
        assert_memory_equal(got.v, m.v, 24 * (size_t)nodes);
        check_contacts(run, i, &m);
        for (int o = 0; o < sn_run_file_obstacle_count(run); o++) {
            SnPose pose;
            double x[12];
            check_ok(sn_run_file_read_obstacle(run, i, o, &pose, x));
            assert_memory_equal(&pose, &m.places[o].pose, sizeof pose);
            if (three_obstacles[o].vertex_count) assert_memory_equal(x, m.vertices[o], sizeof x);
        }
    }
    moment_free(&m), moment_free(&got);
}

static inline void check_row(const SnRunStep* a, const SnRunStep* b)
{
    int count;
    const SnRunColumn* column = sn_run_columns(&count);
    for (int i = 0; i < count; i++, column++) {
        const char *x = (const char*)a + column->offset, *y = (const char*)b + column->offset;
        switch (column->type) {
        case SN_COLUMN_INT64: assert_memory_equal(x, y, sizeof(int64_t)); break;
        case SN_COLUMN_INT: assert_memory_equal(x, y, sizeof(int)); break;
        case SN_COLUMN_REAL: assert_memory_equal(x, y, sizeof(double)); break;
        case SN_COLUMN_TEXT: assert_string_equal(*(const char* const*)x, *(const char* const*)y); break;
        case SN_COLUMN_NODES:
            assert_int_equal(a->worst_count, b->worst_count);
            assert_memory_equal(a->worst, b->worst, sizeof a->worst);
            break;
        }
    }
}

static inline void check_rows(SnRunFile* run, uint64_t seed, int frames)
{
    const SnRunStep* rows;
    int count;
    Moment m = moment_new(sn_run_file_node_count(run));
    check_ok(sn_run_file_read_steps(run, -1, &rows, &count));
    assert_int_equal(count, frames);
    for (int i = 0; i < count; i++) {
        moment_make(&m, seed, i);
        check_row(&rows[i], &m.row);
    }
    const SnRunLoss* losses;
    check_ok(sn_run_file_read_losses(run, -1, &losses, &count));
    assert_int_equal(count, 2 * frames);
    for (int i = 0; i < count; i++) {
        moment_make(&m, seed, i / 2);
        assert_int_equal(losses[i].step, i / 2);
        assert_string_equal(losses[i].name, m.losses[i % 2].name);
        check(losses[i].energy == m.losses[i % 2].energy);
    }
    const int64_t* steps;
    const double* values;
    check_ok(sn_run_file_read_values(run, -1, &steps, &values, &count));
    assert_int_equal(count, frames);
    for (int i = 0; i < count; i++) {
        moment_make(&m, seed, i);
        check(steps[i] == i && values[PROBES * i] == m.values[0]);
        check(isnan(m.values[1]) ? isnan(values[PROBES * i + 1]) : values[PROBES * i + 1] == m.values[1]);
    }
    int64_t step;
    void* state;
    size_t size;
    check_ok(sn_run_file_read_checkpoint(run, INT64_MAX, &step, &state, &size));
    moment_make(&m, seed, frames - 1);
    assert_int_equal(step, frames - 1);
    assert_int_equal(size, sizeof m.state);
    assert_memory_equal(state, m.state, size);
    sn_free(state);
    moment_free(&m);
}

// --- files that are something else ---

static inline void run_sql(const char* path, const char* sql)
{
    sqlite3* database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    sqlite3_close(database);
}
