// Simulating a scene, for `sinew run` and `sinew gallery`.
#pragma once
#include <sinew/scene.h>

#include "cli/command.h"
#include "core/budget.h"

typedef struct SnSceneSource {
    const char* path;                  // of the scene file; of a built-in scene: its name with .yaml
    const char* text;                  // of a built-in scene; NULL: read the file
    const struct SnMeshDealer* dealer; // NULL: meshes are read as a whole
} SnSceneSource;

// The options every command that runs a scene takes, and those of them that are numbers.
extern const SnParameter sn_run_parameters[];
#define SN_RUN_OPTIONS                                                                                 \
    {"output", 'o', "RUN", false, "the run file (the scene's name with .run for its ending)"},         \
        {"solver", 0, "NAME", false, "another solver, as in lbfgs/laplacian; `sinew list solvers`"},   \
        {"integrator", 0, "NAME", false, "another time integrator; `sinew list integrators`"},         \
        {"set", 0, "PATH=VALUE", true, "change any value of the scene, as in solver.tolerance=1e-8"},  \
        {"memory", 0, "SIZE", false, "take at most so much, as in 4G (what is free)"},                 \
        {"resume", 0, NULL, false, "go on with a run that was stopped; start one when there is none"}, \
    {                                                                                                  \
        "quiet", 'q', NULL, false, "print nothing but errors"                                          \
    }

// Memory for what a command makes from here on, as much as --memory says; false: that is no size.
bool sn_take_memory(const SnArguments* arguments);
void sn_give_memory_back(void);
// What has been taken so far, in words.
SnSizeWords sn_memory_taken(void);

// Runs the scene as the options say, by sn_simulate or what takes its place; returns an SN_EXIT code.
struct SnSimulation;
typedef int SnSimulate(const struct SnSimulation* simulation);
int sn_run_scene(const SnArguments* arguments, const SnSceneSource* source, SnSimulate* simulate);

// Loads a scene and prints its problems as file:line:column to stderr. *scene is NULL when it cannot be used.
int sn_load_scene(const SnSceneSource* source, const char* const* overrides, int count, bool quiet, SnScene** scene);

// "dir/bar.yaml" with ".run" is "dir/bar.run"; allocated (sn_free), NULL on failure.
char* sn_path_with_ending(const char* path, const char* ending);
const char* sn_path_name(const char* path); // what follows the last '/'
