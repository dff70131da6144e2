// Scenes for commands: read, with every problem told as file:line:column; and names of files.
#include <stdio.h>
#include <string.h>

#include "archive/exporter.h"
#include "cli/run.h"
#include "core/memory.h"
#include "scene/scene.h"

static void print_problem(const SnSceneProblem* problem)
{
    fputs(problem->file, stderr);
    if (problem->line > 0) fprintf(stderr, ":%d:%d", problem->line, problem->column);
    fprintf(stderr, ": %s: %s\n", problem->warning ? "warning" : "error", problem->message);
}

int sn_load_scene(const SnSceneSource* source, const char* const* overrides, int count, bool quiet, SnScene** scene)
{
    *scene = NULL;
    SnStatus status = source->text
                          ? sn_scene_parse(source->text, strlen(source->text), source->path, overrides, count, scene)
                          : sn_scene_load_dealt(source->path, overrides, count, source->dealer, scene);
    if (*scene) { // its room does not know the exporters, which come after it
        SnStatus formats = sn_scene_check_formats(*scene, &sn_exporter_table);
        if (status == SN_OK) status = formats;
    }
    int errors = 0, problems = *scene ? sn_scene_problem_count(*scene) : 0;
    for (int i = 0; i < problems; i++) {
        SnSceneProblem problem = sn_scene_problem(*scene, i);
        errors += !problem.warning;
        if (!problem.warning || !quiet) print_problem(&problem);
    }
    if (status == SN_OK) return SN_EXIT_DONE;
    sn_scene_destroy(*scene);
    *scene = NULL;
    return errors ? SN_EXIT_USAGE : sn_exit_of(status);
}

const char* sn_path_name(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char* sn_path_with_ending(const char* path, const char* ending)
{
    const char* name = sn_path_name(path);
    const char* dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);
    char* result = sn_allocate(stem + strlen(ending) + 1, 1, "a path");
    if (!result) return NULL;
    memcpy(result, path, stem);
    strcpy(result + stem, ending);
    return result;
}
