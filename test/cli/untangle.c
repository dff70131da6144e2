// Scenes whose bodies cross at the start: refused, or untangled, after which nothing crosses in any frame, counted by a
// checker that shares no code with contact.
#include "crossings_run.h"
#include "program.h"

static const char head[] = "time: {step: 1/60, frames: 50}\n"
                           "gravity: [0, 0, 0]\n"
                           "contact: {untangle: true}\n"
                           "bodies:\n";
#define BOX "mesh: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}, material: {young: 1e5}"
#define CLOTH "mesh: {cloth: {size: [0.4, 0.4], cells: [6, 6]}}, material: {young: 1e4, density: 300, thickness: 1e-3}"

static const struct {
    const char *name, *bodies;
    const char* warning;
} rows[] = {
    {"blocks, one beside them",
     "  - {name: a, " BOX "}\n"
     "  - {name: b, " BOX ", place: {move: [0.03, 0.17, 0.05]}}\n"
     "  - {name: c, " BOX ", place: {move: [0.03, -0.205, 0.05]}}\n",
     "body 'b' crosses body 'a' at the start"},
    {"edges through edges, no node inside",
     "  - {name: a, " BOX ", place: {rotate: [0, 0, 1, 45]}}\n"
     "  - {name: b, " BOX ", place: {rotate: [1, 0, 0, 45], move: [-0.1, 0.27, 0.11]}}\n",
     "body 'b' crosses body 'a' at the start"},
    {"a rope through a sheet",
     "  - {name: s, " CLOTH "}\n"
     "  - {name: r, mesh: {rope: {length: 0.4, cells: 12}}, place: {rotate: [0, 0, 1, 70], move: [0.17, -0.07, "
     "0.21]},\n"
     "     material: {type: spring, young: 1e6, thickness: 0.01}}\n",
     "body 'r' crosses body 's' at the start"},
    {"a corner of a sheet through a sheet",
     "  - {name: s, " CLOTH "}\n"
     "  - {name: t, " CLOTH ", place: {rotate: [1, 0, 1, 50], move: [0.25, -0.05, 0.17]}}\n",
     "body 't' crosses body 's' at the start"},
    {"a sheet through itself",
     "  - {name: s, mesh: {file: loop.obj}, material: {young: 1e4, density: 300, thickness: 1e-3}, contact: {self: "
     "true}}\n",
     "body 's' crosses itself, body 's' at the start"},
    {"a ball in a slab of triangles",
     "  - {name: b, mesh: {sphere: {radius: 0.1, cells: 2}}, place: {move: [0.02, 0.04, 0.01]}, material: {young: "
     "1e5}}\n"
     "obstacles: [{type: mesh, name: slab, mesh: {box: {size: [1, 0.3, 1], cells: [4, 1, 4]}},\n"
     "  place: {move: [-0.5, -0.3, -0.5]}}]\n",
     "obstacle 'slab' crosses body 'b' at the start"},
};

// A strip, bent to a loop whose ends go through each other.
static void write_loop(void)
{
    enum { LONG = 24, WIDE = 4 };
    FILE* file = fopen("loop.obj", "w");
    assert_non_null(file);
    for (int j = 0; j <= WIDE; j++)
        for (int i = 0; i <= LONG; i++) {
            double s = 2.0 * i / LONG - 1;
            fprintf(file, "v %g %g %g\n", 0.35 * (s * s * s - 0.5 * s), 0.3 * s * s, 0.2 * j / WIDE + 0.02 * s);
        }
    for (int j = 0; j < WIDE; j++)
        for (int i = 0; i < LONG; i++) {
            int a = j * (LONG + 1) + i + 1, b = a + 1, c = a + LONG + 1, d = c + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b, d, a, d, c);
        }
    assert_int_equal(fclose(file), 0);
}

// Bodies from the third on cross nobody in the meantime.
static void check_others(const CrossingRun* run, const char* name, int frame)
{
    CrossingSurface joined = run->surface;
    CrossingCount now;
    joined.part = malloc((size_t)joined.node_count * sizeof *joined.part);
    assert_non_null(joined.part);
    for (int i = 0; i < joined.node_count; i++) joined.part[i] = run->surface.part[i] < 2 ? 0 : run->surface.part[i];
    check(crossing_count(&joined, run->x, &now));
    free(joined.part);
    if (now.others > 0) fail_msg("%s: frame %d: %d cross that did not", name, frame, (int)now.others);
}

// Crossings go away, and then there are none.
static void check_frames(const char* name)
{
    CrossingRun run;
    CrossingCount now;
    int64_t first = 0, last = 0;
    check_ok(crossing_run_open("scene.run", &run));
    int frames = sn_run_file_frame_count(run.file);
    for (int frame = 0; frame < frames; frame++) {
        check_ok(crossing_run_read(&run, frame));
        check(crossing_count(&run.surface, run.x, &now));
        check_others(&run, name, frame);
        if (frame == 0) first = now.others + now.self;
        if (frame > 0 && last == 0 && now.others + now.self > 0)
            fail_msg("%s: frame %d: %d cross again", name, frame, (int)(now.others + now.self));
        last = now.others + now.self;
    }
    int64_t nested;
    check(crossing_count_nested(&run.surface, run.x, &nested));
    if (first == 0 || last > 0 || nested > 0)
        fail_msg("%s: %d cross first, %d last, %d are inside", name, (int)first, (int)last, (int)nested);
    crossing_run_close(&run);
}

static void test_untangle(void** state)
{
    (void)state;
    write_loop();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s", head, rows[i].bodies);
        write_text("scene.yaml", text);
        check_code(sinew("run scene.yaml -q -o scene.run --set contact.untangle=false"), 1);
        check_has(err, "crosses"), check_has(err, "untangle: true");
        check_code(sinew("run scene.yaml -o scene.run"), 0);
        check_has(err, rows[i].warning);
        check_frames(rows[i].name);
        check_code(sinew("stats scene.run"), 0);
        check_has(out, "through triangles still");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_untangle),
};
RUN_TESTS(tests, set_up, tear_down)
