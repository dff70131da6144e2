// The exporters: texts exact, meshes readable by our own readers, XML sound, errors reported.
#include <unistd.h>

#include "archive/exporter.h"
#include "archive/run_file.h"
#include "linalg/vec3.h"
#include "moments.h"

// The three bodies, to be exported there.
static SnExportDef three_in(const char* where, const char* name)
{
    return (SnExportDef){.folder = where, .name = name, .bodies = three_bodies(), .body_count = 3};
}

static void export_moment(const SnExporter* exporter, const char* name, int first, int last)
{
    check(exporter != NULL);
    Moment m = moment_new(NODES);
    SnExport* job;
    double times[16];
    SnExportDef def = three_in(in_folder("out/deep"), name);
    for (int i = first; i <= last; i++) moment_make(&m, 11, i), times[i - first] = m.row.time;
    def.frame_count = last - first + 1, def.times = times;
    check_ok(sn_export_begin(exporter, &def, &job));
    for (int i = first; i <= last; i++) {
        moment_make(&m, 11, i);
        SnExportFrame frame = {i, m.row.time, m.x, m.v, m.frame.contacts, m.frame.contact_count, NULL};
        check_ok(sn_export_frame(job, &frame));
    }
    check_ok(sn_export_end(job));
    sn_export_destroy(job);
    moment_free(&m);
}

static void test_csv(void** state)
{
    (void)state;
    SnExport* job;
    double x[] = {0, -1.5, 1e-300, 0.1, 1.0 / 3, 12345678.9};
    SnBodyInfo body = {.name = "two", .node_count = 2, .rest = x};
    check_ok(sn_export_begin(
        sn_exporter_find("csv"),
        &(SnExportDef){.folder = in_folder("table"), .name = "two", .bodies = &body, .body_count = 1}, &job));
    for (int i = 3; i < 5; i++) check_ok(sn_export_frame(job, &(SnExportFrame){i, i / 30.0, x, x, NULL, 0, NULL}));
    check_ok(sn_export_end(job));
    sn_export_destroy(job);
    size_t size;
    char* text = read_bytes(in_folder("table/two.csv"), &size);
    assert_string_equal(text, "frame,time,node,x,y,z\n"
                              "3,0.10000000000000001,0,0,-1.5,1e-300\n"
                              "3,0.10000000000000001,1,0.10000000000000001,0.33333333333333331,12345678.9\n"
                              "4,0.13333333333333333,0,0,-1.5,1e-300\n"
                              "4,0.13333333333333333,1,0.10000000000000001,0.33333333333333331,12345678.9\n");
    free(text);
}

// Our own readers get back the shown nodes (all but the cube's centre), 14 triangles and 2 edges.
static void test_obj_and_ply(void** state)
{
    (void)state;
    static const struct {
        const char* format;
        double tolerance;
    } rows[] = {{"obj", 1e-8}, {"ply", 0}};
    for (int r = 0; r < 2; r++) {
        export_moment(sn_exporter_find(rows[r].format), "mix", 7, 8);
        Moment m = moment_new(NODES);
        for (int number = 7; number < 9; number++) {
            char name[64];
            snprintf(name, sizeof name, "out/deep/mix.%04d.%s", number, rows[r].format);
            SnMesh* mesh;
            check_ok(sn_mesh_load(in_folder(name), &mesh));
            assert_int_equal(sn_mesh_node_count(mesh), NODES - 1);
            assert_int_equal(sn_mesh_triangle_count(mesh), 14);
            assert_int_equal(sn_mesh_edge_count(mesh), 2);
            moment_make(&m, 11, number);
            for (int i = 0; i < NODES - 1; i++)
                for (int c = 0; c < 3; c++)
                    check_near(sn_mesh_nodes(mesh)[3 * i + c], m.x[3 * (i < 8 ? i : i + 1) + c], rows[r].tolerance);
            assert_memory_equal(sn_mesh_triangles(mesh), cube_surface, sizeof cube_surface);
            const int sheet[] = {8, 10, 9, 9, 10, 11}, rope[] = {12, 13, 13, 14};
            assert_memory_equal(sn_mesh_triangles(mesh) + 36, sheet, sizeof sheet);
            assert_memory_equal(sn_mesh_edges(mesh), rope, sizeof rope);
            sn_mesh_destroy(mesh);
        }
        moment_free(&m);
    }
    size_t size;
    char* text = read_bytes(in_folder("out/deep/mix.0007.obj"), &size);
    check(strstr(text, "# frame 7, time 0.2333") == text && strstr(text, "\no a_cube\n") &&
          strstr(text, "\nl 13 14\n"));
    free(text);
    SnExport* job;
    double x[] = {0, NAN, 0};
    SnBodyInfo body = {.name = "lost", .node_count = 1, .rest = x};
    check_ok(sn_export_begin(sn_exporter_find("obj"),
                             &(SnExportDef){.folder = folder, .name = "lost", .bodies = &body, .body_count = 1}, &job));
    check_fails(sn_export_frame(job, &(SnExportFrame){0, 0, x, x, NULL, 0, NULL}), SN_ERROR_VALUE, "frame 0", "node 0",
                "csv");
    sn_export_destroy(job);
}

// Every tag up to `end` closes in order.
static void check_tags(const char* text, const char* end)
{
    char open[16][32];
    int depth = 0;
    for (const char* c = text; (c = memchr(c, '<', (size_t)(end - c))); c++) {
        const char* close = memchr(c, '>', (size_t)(end - c));
        check(close != NULL);
        char name[32];
        if (c[1] == '?') continue;
        check(sscanf(c + (c[1] == '/' ? 2 : 1), "%31[A-Za-z]", name) == 1);
        if (c[1] == '/') {
            check(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (close[-1] != '/') {
            check(depth < 16);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
}

// The bytes of an appended array, checked against its length.
static const char* appended(const char* text, const char* data, const char* name, size_t bytes)
{
    char tag[64];
    snprintf(tag, sizeof tag, "Name=\"%s\"", name);
    const char* place = strstr(text, tag);
    if (!place) fail_msg("no array %s", name);
    place = strstr(place, "offset=\"");
    check(place && place < data);
    const char* array = data + strtoul(place + 8, NULL, 10);
    uint64_t length;
    memcpy(&length, array, 8);
    assert_int_equal(length, bytes);
    return array + 8;
}

static void test_vtu(void** state)
{
    (void)state;
    export_moment(sn_exporter_find("vtu"), "a&b", 0, 2);
    size_t size;
    char* text = read_bytes(in_folder("out/deep/a&b.0002.vtu"), &size);
    char* data = strstr(text, "<AppendedData encoding=\"raw\">");
    check(data != NULL);
    char* rest = memmem(text, size, "\n  </AppendedData>\n</VTKFile>\n", 30);
    check(rest && rest + 30 == text + size);
    data = strchr(data, '_') + 1;
    enum { CELLS = 12 + 2 + 2, CORNERS = 48 + 6 + 4 };
    Moment m = moment_new(NODES);
    moment_make(&m, 11, 2);
    assert_memory_equal(appended(text, data, "Points", 24 * NODES), m.x, 24 * NODES);
    assert_memory_equal(appended(text, data, "velocity", 24 * NODES), m.v, 24 * NODES);
    const double* shapes[] = {cube_rest, sheet_rest, rope_rest};
    const char* moved = appended(text, data, "displacement", 24 * NODES);
    for (int b = 0; b < 3; b++) {
        const SnBodyInfo* body = &three_bodies()[b];
        for (int i = 0; i < 3 * body->node_count; i++) {
            double u;
            memcpy(&u, moved + 8 * (3 * body->first_node + i), 8);
            check_near(u, m.x[3 * body->first_node + i] - shapes[b][i], 0);
        }
    }
    const char *ratios = appended(text, data, "volume_ratio", 8 * CELLS),
               *stretches = appended(text, data, "stretch", 8 * CELLS);
    for (int i = 14; i < CELLS; i++) { // the edges of the rope
        double ratio, change, now, before;
        const int* edge = three_bodies()[2].edges + 2 * (i - 14);
        memcpy(&ratio, ratios + 8 * i, 8), memcpy(&change, stretches + 8 * i, 8);
        before = sn_distance3(rope_rest + 3 * edge[0], rope_rest + 3 * edge[1]);
        now = sn_distance3(m.x + 3 * (three_bodies()[2].first_node + edge[0]),
                           m.x + 3 * (three_bodies()[2].first_node + edge[1]));
        check_near(ratio, now / before, 1e-14 * ratio);
        check_near(change, fabs(now / before - 1), 1e-14);
    }
    const char* types = appended(text, data, "types", CELLS);
    const char* corners = appended(text, data, "connectivity", 4 * CORNERS);
    const char* offsets = appended(text, data, "offsets", 8 * CELLS);
    const char* bodies = appended(text, data, "body", 4 * CELLS);
    assert_ptr_equal(bodies + 4 * CELLS, rest); // the last array ends where the XML goes on
    int64_t end = 0;
    for (int i = 0; i < CELLS; i++) {
        int64_t offset;
        int32_t body;
        memcpy(&offset, offsets + 8 * i, 8), memcpy(&body, bodies + 4 * i, 4);
        assert_int_equal(body, i < 12 ? 0 : i < 14 ? 1 : 2);
        assert_int_equal(types[i], i < 12 ? 10 : i < 14 ? 5 : 3);
        assert_int_equal(offset, end += i < 12 ? 4 : i < 14 ? 3 : 2);
    }
    assert_memory_equal(corners, cube_tetrahedra, sizeof cube_tetrahedra);
    const int others[] = {9, 11, 10, 10, 11, 12, 13, 14, 14, 15};
    assert_memory_equal(corners + sizeof cube_tetrahedra, others, sizeof others);
    check(strstr(text, "NumberOfPoints=\"16\" NumberOfCells=\"16\""));
    memset(data, ' ', (size_t)(rest - data)); // raw bytes may look like tags
    check_tags(text, text + size);
    free(text);
    moment_free(&m);
    text = read_bytes(in_folder("out/deep/a&b.pvd"), &size);
    check_tags(text, text + size);
    assert_string_equal(
        text, "<?xml version=\"1.0\"?>\n"
              "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
              "  <Collection>\n"
              "    <DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"a&amp;b.0000.vtu\"/>\n"
              "    <DataSet timestep=\"0.033333333333333333\" group=\"\" part=\"0\" file=\"a&amp;b.0001.vtu\"/>\n"
              "    <DataSet timestep=\"0.066666666666666666\" group=\"\" part=\"0\" file=\"a&amp;b.0002.vtu\"/>\n"
              "  </Collection>\n"
              "</VTKFile>\n");
    free(text);
}

// A row for each contact, whose numbers are read back to the bit.
static void test_contacts_csv(void** state)
{
    (void)state;
    export_moment(sn_contact_exporter_find("csv"), "mix", 2, 4); // of 2, 3 and no contacts
    size_t size;
    char *text = read_bytes(in_folder("out/deep/mix.csv"), &size), *line = text, *end;
    check(strncmp(text, "frame,time,body,other_body,obstacle,state,x,y,z,normal_x,", 56) == 0);
    Moment m = moment_new(NODES);
    for (int step = 2; step < 4; step++) {
        moment_make(&m, 11, step);
        for (int i = 0; i < m.frame.contact_count; i++) {
            const SnContactInfo* c = &m.contacts[i];
            char start[96], other[16] = "", obstacle[16] = "";
            if (c->other_body >= 0) snprintf(other, sizeof other, "%d", c->other_body);
            if (c->obstacle >= 0) snprintf(obstacle, sizeof obstacle, "%d", c->obstacle);
            snprintf(start, sizeof start, "%d,%.17g,%d,%s,%s,%s,", step, m.row.time, c->body, other, obstacle,
                     sn_contact_state_name(c->state));
            line = strchr(line, '\n') + 1;
            if (strncmp(line, start, strlen(start)) != 0) fail_msg("%s is not at the start of %.100s", start, line);
            const double wanted[] = {c->point[0],    c->point[1],    c->point[2],   c->normal[0],
                                     c->normal[1],   c->normal[2],   c->gap,        c->force,
                                     c->friction[0], c->friction[1], c->friction[2]};
            end = line + strlen(start) - 1;
            for (int k = 0; k < 11; k++) check((float)strtod(end + 1, &end) == (float)wanted[k]);
            for (int k = 0; k < c->node_count; k++) assert_int_equal(strtol(end + 1, &end, 10), c->nodes[k]);
            assert_int_equal(strcspn(end, "\n"),
                             SN_CONTACT_NODES - c->node_count); // a comma for each that is not there
        }
    }
    assert_string_equal(strchr(line, '\n'), "\n");
    free(text);
    moment_free(&m);
}

static void test_contacts_vtu(void** state)
{
    (void)state;
    export_moment(sn_contact_exporter_find("vtu"), "c", 3, 4);
    size_t size;
    char* text = read_bytes(in_folder("out/deep/c.0003.vtu"), &size);
    char* data = strchr(strstr(text, "<AppendedData encoding=\"raw\">"), '_') + 1;
    char* rest = memmem(text, size, "\n  </AppendedData>\n</VTKFile>\n", 30);
    check(rest && rest + 30 == text + size && strstr(text, "NumberOfPoints=\"3\" NumberOfCells=\"3\""));
    Moment m = moment_new(NODES);
    moment_make(&m, 11, 3);
    const char *points = appended(text, data, "Points", 72), *forces = appended(text, data, "force", 72),
               *friction = appended(text, data, "friction", 72), *normals = appended(text, data, "normal", 72),
               *pushes = appended(text, data, "normal_force", 24), *gaps = appended(text, data, "gap", 24),
               *who = appended(text, data, "body_other_obstacle", 36), *states = appended(text, data, "state", 3);
    assert_ptr_equal(states + 3, rest);
    for (int i = 0; i < 3; i++) {
        const SnContactInfo* c = &m.contacts[i];
        const int32_t numbers[3] = {c->body, c->other_body, c->obstacle};
        double all[3];
        assert_memory_equal(points + 24 * i, c->point, 24);
        assert_memory_equal(friction + 24 * i, c->friction, 24);
        assert_memory_equal(normals + 24 * i, c->normal, 24);
        assert_memory_equal(pushes + 8 * i, &c->force, 8);
        assert_memory_equal(gaps + 8 * i, &c->gap, 8);
        assert_memory_equal(who + 12 * i, numbers, 12);
        assert_int_equal(states[i], c->state);
        memcpy(all, forces + 24 * i, 24);
        for (int a = 0; a < 3; a++) check_near(all[a], c->force * c->normal[a] + c->friction[a], 1e-15);
    }
    memset(data, ' ', (size_t)(rest - data));
    check_tags(text, text + size);
    free(text);
    moment_free(&m);
    text = read_bytes(in_folder("out/deep/c.0004.vtu"), &size); // none
    check(strstr(text, "NumberOfPoints=\"0\" NumberOfCells=\"0\""));
    free(text);
    text = read_bytes(in_folder("out/deep/c.pvd"), &size);
    check(strstr(text, "file=\"c.0003.vtu\"") && strstr(text, "file=\"c.0004.vtu\""));
    free(text);
}

// Exporters say so when the disk is full, the folder cannot be made, or the name is no name.
static void test_export_errors(void** state)
{
    (void)state;
    Moment m = moment_new(NODES);
    moment_make(&m, 1, 0);
    SnExportFrame frame = {0, 0, m.x, m.v, NULL, 0, NULL};
    for (int i = 0; sn_exporter_at(i); i++) {
        const SnExporter* exporter = sn_exporter_at(i);
        assert_ptr_equal(sn_exporter_find(exporter->name), exporter);
        SnExport* job;
        SnExportDef occupied = three_in(in_folder("occupied/x"), "n"), odd = three_in(folder, "a/b");
        write_bytes(in_folder("occupied"), "", 0);
        check_fails(sn_export_begin(exporter, &occupied, &job), SN_ERROR_FILE, "occupied/x", "Not a directory");
        check_fails(sn_export_begin(exporter, &odd, &job), SN_ERROR_VALUE, "a/b");
        assert_null(job);
        static const char* const parts[] = {"", ".0000", ".a_cube"};
        for (int p = 0; p < 3; p++) {
            char name[64];
            snprintf(name, sizeof name, "full%s.%s", parts[p], exporter->name);
            check(symlink("/dev/full", in_folder(name)) == 0);
        }
        SnExportDef full = three_in(folder, "full");
        check_ok(sn_export_begin(exporter, &full, &job));
        SnStatus status = sn_export_frame(job, &frame);
        if (status == SN_OK) status = sn_export_end(job); // formats with one file for all frames find out at the end
        check_fails(status, SN_ERROR_FILE, "full.", "No space left");
        sn_export_destroy(job);
    }
    // a list of frames that cannot be gone back in
    int ends[2];
    char through[64];
    SnExport* piped;
    check(pipe(ends) == 0);
    snprintf(through, sizeof through, "/proc/self/fd/%d", ends[1]);
    if (access(through, W_OK) == 0) {
        SnExportDef def = three_in(folder, "pipe");
        check(symlink(through, in_folder("pipe.pvd")) == 0);
        check_ok(sn_export_begin(sn_exporter_find("vtu"), &def, &piped));
        check_fails(sn_export_frame(piped, &(SnExportFrame){0, 0, m.x, m.v, NULL, 0, NULL}), SN_ERROR_FILE, "pipe.pvd",
                    "not a file on a disk");
        sn_export_destroy(piped);
    }
    close(ends[0]), close(ends[1]);
    assert_null(sn_exporter_find("vtk"));
    check_fails(sn_table_unknown(&sn_exporter_table, "vtk"), SN_ERROR_VALUE, "vtu");
    moment_free(&m);
}

static void test_export_of_a_run(void** state)
{
    (void)state;
    make_run(in_folder("e.run"), true, 1, 5);
    SnRunFile* run;
    check_ok(sn_run_file_open(in_folder("e.run"), &run));
    check_fails(sn_export_run(sn_exporter_find("obj"), run, folder, "e", 3, 5, NULL), SN_ERROR_VALUE, "3:5", "0:4");
    check_ok(sn_export_run(sn_exporter_find("obj"), run, folder, "e", 2, 3, NULL));
    sn_run_file_destroy(run);
    check(!exists(in_folder("e.0001.obj"), "") && exists(in_folder("e.0002.obj"), ""));
    check(exists(in_folder("e.0003.obj"), "") && !exists(in_folder("e.0004.obj"), ""));
    check_ok(sn_run_file_open(in_folder("e.run"), &run));
    check_ok(sn_export_run(sn_contact_exporter_find("csv"), run, folder, "e.contacts", 0, 4, NULL));
    sn_run_file_destroy(run);
    size_t size;
    int lines = 0;
    char* text = read_bytes(in_folder("e.contacts.csv"), &size);
    for (const char* c = text; (c = strchr(c, '\n')); c++) lines++;
    assert_int_equal(lines, 1 + 0 + 1 + 2 + 3 + 0);
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_csv),
    cmocka_unit_test(test_obj_and_ply),
    cmocka_unit_test(test_vtu),
    cmocka_unit_test(test_contacts_csv),
    cmocka_unit_test(test_contacts_vtu),
    cmocka_unit_test(test_export_errors),
    cmocka_unit_test(test_export_of_a_run),
};
RUN_TESTS(tests, make_folder, remove_folder)
