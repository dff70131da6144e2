// `sinew export`: frames of a run as files of other programs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/exporter.h"
#include "archive/run_file.h"
#include "cli/run.h"
#include "core/memory.h"
#include "linalg/vec3.h"
#include "view/run_picture.h"

// "A:B", "A:", ":B" or "A", both ends included; a negative number counts from the end (-1: the last frame).
static bool parse_range(const char* text, int count, int* first, int* last)
{
    char* end;
    const char* p = text;
    long a = 0, b = count - 1;
    if (*p != ':') {
        a = strtol(p, &end, 10);
        if (end == p) return false;
        p = end;
        if (a < 0) a += count;
        if (!*p) b = a;
    }
    if (*p == ':' && p[1]) {
        b = strtol(p + 1, &end, 10);
        if (end == p + 1) return false;
        p = end;
        if (b < 0) b += count;
    } else if (*p == ':') {
        p++;
    }
    if (*p || a < 0 || b < a || b >= count) return false;
    *first = (int)a;
    *last = (int)b;
    return true;
}

typedef struct Options {
    const char *units, *up;
    bool quantise, velocities;
} Options;

static const SnParameter parameters[] = {
    {"units", SN_CHOICE, offsetof(Options, units), .names = (const char* const[]){"m", "cm", "mm", NULL},
     .example = "cm", .doc = "the unit of length of the files (the scene's); glb always has metres"},
    {"up", SN_CHOICE, offsetof(Options, up), .names = (const char* const[]){"y", "z", NULL}, .example = "z",
     .doc = "the axis that points upwards in the files (the scene's); glb always has y"},
    {"quantise", SN_BOOLEAN, offsetof(Options, quantise), .value = "false",
     .doc = "of glb: positions of 16 bits and normals of 8, half as large and exact to 1/65534 of a body's extent"},
    {"velocities", SN_BOOLEAN, offsetof(Options, velocities), .value = "false",
     .doc = "of glb: velocities as the attribute _VELOCITY, for motion blur; ply, usda and vtu always have them"},
    {0},
};

// From where `sinew render` would look.
static SnStatus find_camera(SnRunFile* run, SnExportCamera* camera)
{
    const double aspect = 16.0 / 9;
    SnRunPicture* picture;
    SN_TRY(sn_run_picture_create(run, aspect, &picture));
    const SnCamera* c = &picture->scene.camera;
    SnCameraFrame frame = sn_camera_frame(c);
    double distance = sn_distance3(c->eye, c->target);
    *camera = (SnExportCamera){
        .field_of_view = c->field_of_view, .aspect = aspect, .near = 0.01 * distance, .far = 100 * distance};
    sn_unrotate3(picture->turn, c->eye, camera->eye); // from the picture's axes to the run's
    sn_unrotate3(picture->turn, frame.right, camera->right);
    sn_unrotate3(picture->turn, frame.up, camera->up);
    sn_unrotate3(picture->turn, frame.forward, camera->forward);
    sn_run_picture_destroy(picture);
    return SN_OK;
}

// Contacts as "PATH/NAME.contacts": beside what bodies are exported as.
static SnStatus export_named(const SnArguments* arguments, const SnExporter* exporter, SnRunFile* run,
                             const char* folder, const char* name, int first, int last)
{
    char own[512];
    Options options;
    SnExportCamera camera;
    if (exporter->contacts) {
        SN_TRY(sn_run_file_need_contacts(run));
        snprintf(own, sizeof own, "%s.contacts", name);
        return sn_export_run(exporter, run, folder, own, first, last, NULL);
    }
    if (!sn_options_read(arguments, &options)) return SN_ERROR_VALUE;
    const char* what = sn_option_value(arguments, "what");
    SnExportChoice choice = {.bodies_only = what && strcmp(what, "bodies") == 0,
                             .obstacles = what && strcmp(what, "all") == 0,
                             .units = options.units,
                             .up = options.up,
                             .quantise = options.quantise,
                             .velocities = options.velocities};
    if (exporter->scene && !choice.bodies_only) {
        SN_TRY(find_camera(run, &camera));
        choice.camera = &camera;
    }
    return sn_export_run(exporter, run, folder, name, first, last, &choice);
}

static int export_run(const SnArguments* arguments, const SnExporter* exporter, SnRunFile* run_file)
{
    int count = sn_run_file_frame_count(run_file), first = 0, last = count - 1;
    const char* range = sn_option_value(arguments, "frames");
    if (range && !parse_range(range, count, &first, &last))
        return sn_usage_error(arguments, "--frames %s: must be A:B with frames from 0 to %d", range, count - 1);
    const char* given = sn_option_value(arguments, "output");
    char* stem = sn_path_with_ending(arguments->words[0], "");
    if (!stem) return sn_exit_of(SN_ERROR_MEMORY);
    const char* folder = given ? given : stem;
    SnStatus status = export_named(arguments, exporter, run_file, folder, sn_path_name(stem), first, last);
    if (status == SN_OK)
        printf("%s%d frame%s of %s as %s in %s/\n", exporter->contacts ? "contacts of " : "", last - first + 1,
               last == first ? "" : "s", arguments->words[0], exporter->name, folder);
    sn_free(stem);
    return sn_exit_of(status);
}

// Of all steps: frames have no part in it.
static int export_measured(const SnArguments* arguments, SnRunFile* run)
{
    const char* folder = sn_option_value(arguments, "output");
    char* stem = sn_path_with_ending(arguments->words[0], "");
    if (!stem) return sn_exit_of(SN_ERROR_MEMORY);
    if (!folder) folder = stem;
    SnStatus status = sn_export_values(run, folder, sn_path_name(stem));
    if (status == SN_OK)
        printf("what was measured in %s as csv: %s/%s.measured.csv\n", arguments->words[0], folder, sn_path_name(stem));
    sn_free(stem);
    return sn_exit_of(status);
}

static int run(const SnArguments* arguments)
{
    const char* format = sn_option_value(arguments, "to");
    if (!format) return sn_usage_error(arguments, "--to FORMAT is missing; `sinew list formats` shows the formats");
    const char* what = sn_option_value(arguments, "what");
    bool contacts = what && strcmp(what, "contacts") == 0, measured = what && strcmp(what, "measured") == 0;
    if (measured && strcmp(format, "csv") != 0)
        return sn_usage_error(arguments, "--what measured is written as csv, not as %s", format);
    if (what && !contacts && !measured && strcmp(what, "bodies") != 0 && strcmp(what, "all") != 0)
        return sn_usage_error(arguments, "--what %s: must be bodies, all, contacts or measured", what);
    if (!sn_options_read(arguments, &(Options){0})) return SN_EXIT_USAGE;
    const SnExporter* exporter = contacts ? sn_contact_exporter_find(format) : sn_exporter_find(format);
    if (!exporter)
        return sn_exit_of(sn_table_unknown(contacts ? &sn_contact_exporter_table : &sn_exporter_table, format));
    SnRunFile* run_file;
    SnStatus status = sn_run_file_open(arguments->words[0], &run_file);
    if (status != SN_OK) return sn_exit_of(status);
    int code = measured ? export_measured(arguments, run_file) : export_run(arguments, exporter, run_file);
    sn_run_file_destroy(run_file);
    return code;
}

static const SnOption options[] = {
    {"to", 0, "FORMAT", false, "one of the formats below"},
    {"output", 'o', "DIR", false, "the folder (the run's name without its ending)"},
    {"frames", 0, "A:B", false, "frames A to B, both included; -1 is the last"},
    {"what", 0, "WHAT", false,
     "bodies, all (with obstacles), contacts (vtu: a point for each; csv), as NAME.contacts, or measured (csv: what "
     "probes measured in each step), as NAME.measured (all for usda and glb, bodies for others)"},
    {0},
};

const SnCommand sn_command_export = {
    .name = "export",
    .usage = "RUN --to FORMAT [-o DIR] [--frames A:B] [--what bodies|all|contacts|measured] [options]",
    .summary = "write frames of a run for other programs",
    .parameters = parameters,
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
    .parts = &sn_exporter_table,
    .parts_title = "formats",
    .parts_option = "to",
    .parts_width = 6,
};
