// Writes the mesh that a command has made, in the variant that its options ask for.
#include "cli/mesh_save.h"

#include <stdio.h>

int sn_save_mesh(const SnArguments* arguments, const SnMesh* mesh, const char* path)
{
    SnMeshWriteOptions options = {.version = sn_option_value(arguments, "msh-version"),
                                  .binary = sn_option_given(arguments, "binary")};
    SnStatus status = sn_mesh_save_as(mesh, path, &options);
    if (status != SN_OK) return sn_exit_of_file(status);
    printf("%s: %d nodes, %d tetrahedra, %d triangles, %d edges\n", path, mesh->node_count, mesh->tetrahedron_count,
           mesh->triangle_count, mesh->edge_count);
    return SN_EXIT_DONE;
}
