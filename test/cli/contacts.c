// Contacts as users see them: stats, exports, pictures, and runs that have none.
#include "program.h"

static const char block[] = "name: block\n"
                            "time: {step: 1/100, frames: 12}\n"
                            "gravity: [3, -9.81, 0]\n"
                            "bodies:\n"
                            "  - name: block\n"
                            "    mesh: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}\n"
                            "    place: {move: [0, 0.001, 0]}\n"
                            "    material: {type: neo-hookean, young: 1e6, poisson: 0.3}\n"
                            "obstacles:\n"
                            "  - {type: plane, friction: 0.2}\n";

static void test_contacts(void** state)
{
    (void)state;
    write_text("block.yaml", block);
    check_code(sinew("run block.yaml"), 0);
    check_code(sinew("stats block.run"), 0);
    check_has(out, " contacts    distance "),
        check_has(out, "contacts: at most 9 pairs push, the smallest distance is 0.00");
    check_has(out, "m; largest errors: pull 0, gap ");
    check_code(sinew("stats block.run --json"), 0);
    assert_int_equal(count_of(out, "\"contacts\": 9, "), 12);
    assert_int_equal(count_of(out, "\"distance\": 0.00"), 13);
    assert_int_equal(count_of(out, "\"slip_error\": "), 13);
    check_code(sinew("export block.run --to csv --what contacts -o out"), 0);
    check_has(out, "contacts of 13 frames of block.run as csv in out/");
    char* text = read_text("out/block.contacts.csv");
    assert_int_equal(count_of(text, "\n"), 1 + 9 * 12);
    assert_int_equal(count_of(text, ",slides,"), 9 * 12);
    assert_int_equal(count_of(text, "\n12,0.12"), 9);
    double weight = 0;
    for (const char* line = text; (line = strstr(line, "\n12,0.12"));) weight += column(++line, 13);
    check_near(weight, 8 * 9.81, 0.05 * 8 * 9.81); // it has just come to rest on the floor
    free(text);
    check_code(sinew("export block.run --to vtu --what contacts -o out --frames -1"), 0);
    text = read_text("out/block.contacts.pvd");
    check_has(text, "block.contacts.0012.vtu");
    free(text);
    check_code(sinew("export block.run --to obj --what contacts"), 2);
    check_has(err, "vtu and csv");
    check_code(sinew("export block.run --to csv --what forces"), 2);
    check_has(err, "bodies, all, contacts or measured");
}

static void test_no_contacts(void** state)
{
    (void)state;
    char* without;
    check(asprintf(&without, "%soutput: {contacts: false}\n", block) > 0);
    write_text("without.yaml", without);
    free(without);
    check_code(sinew("run without.yaml --frames 2"), 0);
    check_code(sinew("export without.run --to csv --what contacts"), 2);
    check_has(err, "without.run: no contacts were kept, because of output: {contacts: false}");
    check_code(sinew("render without.run --show contacts -o a.png"), 2);
    check_has(err, "no contacts were kept");
    check_code(sinew("render without.run --show forces -o a.png"), 2);
    check_code(sinew("stats without.run"), 0);
    check_has(out, "9 pairs push");
    check_code(sinew("run tiny.yaml --frames 2"), 0); // in which nothing can touch
    check_code(sinew("stats tiny.run"), 0);
    assert_int_equal(count_of(out, "contacts") + count_of(out, "distance"), 0);
    check_code(sinew("stats tiny.run --json"), 0);
    assert_int_equal(count_of(out, "\"distance\": null"), 3);
}

// A cloth with less room than two planes ask for converges, and it is said what of it is not kept.
static void test_contradiction(void** state)
{
    (void)state;
    write_text("between.yaml",
               "name: between\n"
               "time: {step: 1/100, frames: 3}\n"
               "contact: {thickness: 1e-3}\n"
               "bodies:\n"
               "  - name: cloth\n"
               "    mesh: {cloth: {size: [0.1, 0.1], cells: [2, 2]}}\n"
               "    place: {move: [0, 0.0005, 0]}\n"
               "    material: {type: neo-hookean, young: 1e5, poisson: 0.3, density: 1000, thickness: 1e-3}\n"
               "obstacles:\n"
               "  - {type: plane}\n"
               "  - {type: plane, point: [0, 0.001, 0], normal: [0, -1, 0]}\n");
    check_code(sinew("run between.yaml"), 0);
    if (strstr(out, "all converged")) {
        check_has(out, "3 converged, but contacts are not as they should be, first in step 1");
        check_code(sinew("stats between.run"), 0);
        check_has(out, "step 1 converged: contacts are not kept well: errors of pull 0, gap 0.5");
    } else
        check_has(out, "the first was step 1: ");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_contacts),
    cmocka_unit_test(test_no_contacts),
    cmocka_unit_test(test_contradiction),
};
RUN_TESTS(tests, set_up, tear_down)
