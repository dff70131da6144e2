// A host program whose language has decimal commas: scenes, run files, exports and messages are what they always are.
#include "comma.h"

#include <dirent.h>

#include "archive/exporter.h"
#include "archive/run_file.h"
#include "archive/sheet.h"
#include "core/budget.h"
#include "moments.h"
#include "scene_run.h"

static const char scene_text[] = "name: comma\n"
                                 "gravity: [0.25, -9.81, 1/8]\n"
                                 "time: {step: 0.0125, frames: 2}\n"
                                 "bodies:\n"
                                 "  - name: bar\n"
                                 "    mesh: {box: {size: [0.3, 0.1, 0.1], cells: [2, 1, 1]}}\n"
                                 "    material: {type: arap, young: 1.5e5, density: 1000.5}\n"
                                 "    place: {move: [0, 0.05, 0]}\n"
                                 "obstacles:\n"
                                 "  - {type: plane, normal: [0, 1, 0.125]}\n"
                                 "measure:\n"
                                 "  - {name: height, what: position, body: bar}\n";

// A run of the scene; the message of a mistake in it goes to `message`.
static void make_comma_run(const char* path, char message[512])
{
    SnScene* scene;
    const char* wrong = "bodies.bar.material.poisson=0.75";
    check(sn_scene_parse(scene_text, sizeof scene_text - 1, "comma.yaml", &wrong, 1, &scene) != SN_OK);
    snprintf(message, 512, "%s; %s", sn_last_error(), sn_size_words(1500).text);
    sn_scene_destroy(scene);
    write_run(scene_text, 2, path);
}

// Everything that can be made of it, into a folder.
static void export_everything(const char* path, const char* where)
{
    SnRunFile* run;
    check_ok(sn_run_file_open(path, &run));
    for (int i = 0; sn_exporter_at(i); i++) check_ok(sn_export_run(sn_exporter_at(i), run, where, "c", 0, 2, NULL));
    for (int i = 0; sn_contact_exporter_at(i); i++)
        check_ok(sn_export_run(sn_contact_exporter_at(i), run, where, "touch", 0, 2, NULL));
    check_ok(sn_export_values(run, where, "c"));
    sn_run_file_destroy(run);
    const char* column = "half";
    char table[256];
    snprintf(table, sizeof table, "%s/table.csv", where);
    check_ok(sn_sheet_write_csv(&(SnSheet){"t", 1, 1, &column, &(SnCell){NULL, 0.5}}, table));
}

static void check_up(const char* path)
{
    SnRunFile* run;
    double up[3];
    check_ok(sn_run_file_open(path, &run));
    check_ok(sn_run_file_up(run, up));
    check_near(up[0], -0.25 / sqrt(0.25 * 0.25 + 9.81 * 9.81 + 0.125 * 0.125), 1e-15);
    sn_run_file_destroy(run);
}

static void test_comma_locale(void** state)
{
    (void)state;
    char messages[2][512];
    make_comma_run(in_folder("point.run"), messages[0]);
    export_everything(in_folder("point.run"), in_folder("point"));
    comma_begin(folder);
    make_comma_run(in_folder("comma.run"), messages[1]);
    export_everything(in_folder("comma.run"), in_folder("with-commas"));
    size_t bytes;
    check(sn_size_read("1.5 GB", &bytes) && bytes == 1500000000);
    check_up(in_folder("point.run"));
    comma_end(folder);
    check_up(in_folder("comma.run"));
    assert_string_equal(messages[0], messages[1]);
    check(strstr(messages[0], "0.75") && strstr(messages[0], "1.5 kB"));
    int files = 0;
    DIR* listing = opendir(in_folder("point"));
    for (struct dirent* entry; (entry = readdir(listing));) {
        if (entry->d_name[0] == '.') continue;
        char name[64];
        size_t size, other_size;
        snprintf(name, sizeof name, "point/%.40s", entry->d_name);
        char* one = read_bytes(in_folder(name), &size);
        snprintf(name, sizeof name, "with-commas/%.40s", entry->d_name);
        char* other = read_bytes(in_folder(name), &other_size);
        if (size != other_size || memcmp(one, other, size) != 0) fail_msg("%s is another file", entry->d_name);
        free(one), free(other);
        files++;
    }
    closedir(listing);
    check(files > 20);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_comma_locale)};
RUN_TESTS(tests, make_folder, remove_folder)
