// TetGen and gmsh as programs of their own: a surface is written into a folder, the program run there, its mesh read.
#include "cli/mesh_external.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/status.h"
#include "mesh/solid.h"

extern char** environ;

const char* const sn_mesh_external_names[] = {"tetgen", "gmsh", NULL};

enum { MOST_ARGUMENTS = 12 };
typedef struct Run {
    char folder[64];
    char option[2][64];
    const char* arguments[MOST_ARGUMENTS];
    const char* made; // in the folder
} Run;

static void path_in(const Run* run, const char* name, char path[128])
{
    snprintf(path, 128, "%s/%s", run->folder, name);
}

// The volume of a regular tetrahedron of these edges bounds those of TetGen.
static SnStatus prepare_tetgen(Run* run, double edge)
{
    snprintf(run->option[0], sizeof run->option[0], edge > 0 ? "-pqYa%.9g" : "-pqY", edge * edge * edge / sqrt(72));
    const char* const list[] = {"tetgen", run->option[0], "in.ply", NULL};
    memcpy(run->arguments, list, sizeof list);
    run->made = "in.1.ele";
    return SN_OK;
}

static SnStatus prepare_gmsh(Run* run, double edge)
{
    char path[128];
    path_in(run, "in.geo", path);
    FILE* file = fopen(path, "w");
    if (!file) return sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    fprintf(file, "Merge \"in.stl\";\nSurface Loop(1) = Surface{:};\nVolume(1) = {1};\n");
    if (fclose(file) != 0) return sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    snprintf(run->option[0], sizeof run->option[0], "%.9g", edge > 0 ? edge : 1e22);
    const char* const list[] = {"gmsh",   "in.geo",       "-3", "-format", "msh41",
                                "-clmax", run->option[0], "-o", "out.msh", NULL};
    memcpy(run->arguments, list, sizeof list);
    run->made = "out.msh";
    return SN_OK;
}

// In its folder, with its words in a file there.
static SnStatus spawn(const Run* run)
{
    posix_spawn_file_actions_t actions;
    char log[128];
    pid_t child;
    int state = 0;
    path_in(run, "log.txt", log);
    if (posix_spawn_file_actions_init(&actions) != 0) return sn_fail_memory("a program", 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addchdir_np(&actions, run->folder);
    int error = posix_spawnp(&child, run->arguments[0], &actions, NULL, (char* const*)run->arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return sn_fail(SN_ERROR_UNSUPPORTED, "the program %s is not installed; install it, or leave --with out",
                       run->arguments[0]);
    if (error) return sn_fail(SN_ERROR_FILE, "%s cannot be run: %s", run->arguments[0], strerror(error));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "%s failed on it (%s %d); without --with it can be made solid as it is",
                   run->arguments[0], WIFEXITED(state) ? "exit" : "signal",
                   WIFEXITED(state) ? WEXITSTATUS(state) : WTERMSIG(state));
}

static SnStatus make(Run* run, const SnMesh* surface, double edge, SnMesh** solid)
{
    char path[128];
    bool tetgen = strcmp(run->arguments[0], "tetgen") == 0;
    path_in(run, tetgen ? "in.ply" : "in.stl", path);
    SN_TRY(sn_mesh_save(surface, path));
    SN_TRY(tetgen ? prepare_tetgen(run, edge) : prepare_gmsh(run, edge));
    SN_TRY(spawn(run));
    path_in(run, run->made, path);
    SN_TRY(sn_mesh_load(path, solid));
    if ((*solid)->tetrahedron_count > 0) return SN_OK;
    sn_mesh_destroy(*solid);
    *solid = NULL;
    return sn_fail(SN_ERROR_VALUE, "%s made no tetrahedra of it; without --with it can be made solid as it is",
                   run->arguments[0]);
}

static void clean_up(const Run* run)
{
    static const char* const names[] = {"in.ply",    "in.stl",    "in.geo",    "out.msh",    "log.txt",  "in.1.ele",
                                        "in.1.node", "in.1.face", "in.1.edge", "in.1.smesh", "in.1.poly"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) path_in(run, names[i], path), unlink(path);
    rmdir(run->folder);
}

SnStatus sn_mesh_external(const char* name, const SnMesh* surface, const SnSolidDef* def, SnMesh** solid)
{
    Run run = {.folder = "/tmp/sinew-mesh-XXXXXX", .arguments = {name}};
    SnRepairDef repair = sn_default_repair_def();
    SnMesh* clean;
    double edge = def->edge;
    *solid = NULL;
    repair.holes = 0;
    SnRepairReport report;
    SN_TRY(sn_mesh_repair(surface, &repair, &clean, &report)); // one vertex for each place, facing outward
    if (edge == 0 && def->tetrahedra > 0) edge = cbrt(8.48 * fmax(report.after.volume, 0) / def->tetrahedra);
    SnStatus status = mkdtemp(run.folder)
                          ? make(&run, clean, edge, solid)
                          : sn_fail(SN_ERROR_FILE, "%s: cannot be made: %s", run.folder, strerror(errno));
    clean_up(&run);
    sn_mesh_destroy(clean);
    return status;
}
