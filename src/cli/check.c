// `sinew check`: reads a scene with everything it names and reports every problem; simulates nothing.
#include <sinew/run.h>
#include <stdio.h>

#include "cli/run.h"
#include "core/status.h"
#include "scene/scene.h"

enum { MOST_OVERRIDES = 256 };

static int count_elements(const SnBodyInfo* info, const char** kind)
{
    bool ten = info->element == SN_ELEMENT_QUADRATIC;
    *kind = ten                       ? "ten-node tetrahedra"
            : info->tetrahedron_count ? "tetrahedra"
            : info->triangle_count    ? "triangles"
                                      : "edges";
    return info->tetrahedron_count ? info->tetrahedron_count / (ten ? 8 : 1)
           : info->triangle_count  ? info->triangle_count
                                   : info->edge_count;
}

static SnStatus describe(const SnScene* scene, const char* path)
{
    SnWorld* world;
    SN_TRY(sn_run_start_world(scene, &world));
    printf("%s: fine; %d steps of %g s\n", path, sn_scene_frames(scene), sn_world_time_step(world));
    SnStatus status = SN_OK;
    for (int i = 0; i < sn_world_body_count(world) && status == SN_OK; i++) {
        SnBodyInfo info;
        const char* kind;
        status = sn_world_body(world, i, &info);
        if (status != SN_OK) break;
        int count = count_elements(&info, &kind);
        printf("  %s: %d nodes, %d %s, %.6g kg\n", info.name, info.node_count, count, kind, info.mass);
    }
    SnStepReport start;
    if (status == SN_OK) status = sn_world_measure(world, &start); // makes all that a step needs
    if (status == SN_OK) printf("  about %s of memory\n", sn_memory_taken().text);
    sn_world_destroy(world);
    return status;
}

static int run(const SnArguments* arguments)
{
    if (sn_option_given(arguments, "defaults")) return sn_exit_of(sn_scene_print_defaults(stdout));
    if (sn_option_given(arguments, "reference")) return sn_exit_of(sn_scene_print_reference(stdout));
    if (arguments->word_count == 0) return sn_usage_error(arguments, "which scene? sinew check SCENE");
    if (!sn_take_memory(arguments)) return SN_EXIT_USAGE;
    const char* overrides[MOST_OVERRIDES];
    int count = 0;
    for (; count < MOST_OVERRIDES && sn_option_at(arguments, "set", count); count++)
        overrides[count] = sn_option_at(arguments, "set", count);
    SnScene* scene;
    int code = sn_load_scene(&(SnSceneSource){.path = arguments->words[0]}, overrides, count, false, &scene);
    if (code != SN_EXIT_DONE) return code;
    code = sn_exit_of(describe(scene, arguments->words[0]));
    sn_scene_destroy(scene);
    sn_give_memory_back();
    return code;
}

static const SnOption options[] = {
    {"set", 0, "PATH=VALUE", true, "change any value of the scene, as in solver.tolerance=1e-8"},
    {"memory", 0, "SIZE", false, "take at most so much, as in 4G (what is free)"},
    {"defaults", 0, NULL, false, "print every key with its default, unit and meaning instead"},
    {"reference", 0, NULL, false, "print the scene reference as Markdown instead"},
    {0},
};

const SnCommand sn_command_check = {
    .name = "check",
    .usage = "SCENE | --defaults | --reference",
    .summary = "read a scene and all it names, report every problem, simulate nothing",
    .options = options,
    .max_words = 1,
    .run = run,
};
