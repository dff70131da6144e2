// `sinew gallery`: the scenes the program carries; lists, prints or runs them.
#include "experiment/gallery.h"

#include <stdio.h>
#include <string.h>

#include "cli/run.h"

enum { MOST_SCENES = 256 };

static void print_scenes(void)
{
    for (const SnGalleryScene* s = sn_gallery_scenes; s->name; s++) printf("  %-12s %s\n", s->name, s->summary);
}

static void print_scenes_below(void)
{
    printf("\nscenes:\n");
    print_scenes();
}

static const SnGalleryScene* find_scene(const char* name)
{
    const char* names[MOST_SCENES];
    int count = 0;
    for (; sn_gallery_scenes[count].name && count < MOST_SCENES; count++) {
        if (strcmp(sn_gallery_scenes[count].name, name) == 0) return &sn_gallery_scenes[count];
        names[count] = sn_gallery_scenes[count].name;
    }
    sn_unknown_name("built-in scene", name, names, count, "sinew gallery");
    return NULL;
}

static int run(const SnArguments* arguments)
{
    if (arguments->word_count == 0) {
        if (arguments->given_count) return sn_usage_error(arguments, "which scene? `sinew gallery` lists them");
        print_scenes();
        return SN_EXIT_DONE;
    }
    const SnGalleryScene* scene = find_scene(arguments->words[0]);
    if (!scene) return SN_EXIT_USAGE;
    if (sn_option_given(arguments, "print")) {
        fputs(scene->text, stdout);
        return SN_EXIT_DONE;
    }
    char path[256];
    snprintf(path, sizeof path, "%s.yaml", scene->name);
    return sn_run_scene(arguments, &(SnSceneSource){path, scene->text});
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
    .options = options,
    .max_words = 1,
    .run = run,
    .print_more = print_scenes_below,
};
