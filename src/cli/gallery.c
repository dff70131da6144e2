// `sinew gallery`: the scenes the program carries; lists, prints or runs them.
#include "experiment/gallery.h"

#include <stdio.h>

#include "cli/run.h"
#include "cli/simulate.h"

static const SnTable scenes = {
    .noun = "built-in scene", .rows = sn_gallery_scenes, .stride = sizeof *sn_gallery_scenes};

static int run(const SnArguments* arguments)
{
    if (arguments->word_count == 0) {
        if (arguments->given_count) return sn_usage_error(arguments, "which scene? `sinew gallery` lists them");
        sn_print_parts(&scenes, 12);
        return SN_EXIT_DONE;
    }
    const SnGalleryScene* scene = sn_find_or_complain(&scenes, arguments->words[0], "sinew gallery");
    if (!scene) return SN_EXIT_USAGE;
    if (sn_option_given(arguments, "print")) {
        fputs(scene->text, stdout);
        return SN_EXIT_DONE;
    }
    char path[256];
    snprintf(path, sizeof path, "%s.yaml", scene->name);
    return sn_run_scene(arguments, &(SnSceneSource){.path = path, .text = scene->text}, sn_simulate);
}

static const SnOption options[] = {
    SN_RUN_OPTIONS,
    {"print", 0, NULL, false, "print the scene's YAML instead, to start one of your own from"},
    {0},
};

const SnCommand sn_command_gallery = {
    .name = "gallery",
    .usage = "[NAME [--print | options of run]]",
    .summary = "the built-in scenes: lists them, runs or prints one",
    .parameters = sn_run_parameters,
    .options = options,
    .max_words = 1,
    .run = run,
    .parts = &scenes,
    .parts_title = "scenes",
    .parts_width = 12,
};
