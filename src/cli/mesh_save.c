// Writes the mesh that a command has made, in the variant that its options ask for.
#include "cli/mesh_save.h"

#include <stdio.h>

#include "core/status.h"
#include "mesh/faces.h"

static void say_counts(const SnMesh* mesh, const char* path)
{
    int second = mesh->quadratic ? 2 : 1; // each has 8, 4 or 2 parts
    printf("%s: %d nodes, %d %stetrahedra, %d triangles, %d edges\n", path, mesh->node_count,
           mesh->tetrahedron_count / (second * second * second), mesh->quadratic ? "ten-node " : "",
           mesh->triangle_count / (second * second), mesh->edge_count / second);
}

int sn_save_mesh(const SnArguments* arguments, const SnMesh* mesh, const char* path)
{
    SnMeshWriteOptions options = {.version = sn_option_value(arguments, "msh-version"),
                                  .binary = sn_option_given(arguments, "binary")};
    SnStatus status = sn_mesh_save_as(mesh, path, &options);
    if (status != SN_OK) return sn_exit_of_file(status);
    // What a format of surfaces holds of a solid is counted in the file.
    SnMesh* written = NULL;
    bool solid = mesh->tetrahedron_count > 0 && sn_mesh_format_of(path)->surface;
    if (solid && sn_mesh_load(path, &written) != SN_OK) written = NULL;
    say_counts(written ? written : mesh, path);
    sn_mesh_destroy(written);
    return SN_EXIT_DONE;
}

void sn_add_lost(char* text, size_t size, int count, const char* what)
{
    if (count > 0) sn_append(text, size, "%s%d %s", *text ? ", " : "", count, what);
}

static int count_named(const SnFaces* faces, const int* numbers)
{
    int count = 0;
    for (int i = 0; numbers && i < faces->start[faces->count]; i++) count += numbers[i] >= 0;
    return count;
}

static bool transparent(const SnMesh* mesh)
{
    for (size_t i = 0; i < (size_t)mesh->node_count; i++)
        if (mesh->faces->colours[4 * i + 3] < 1) return true;
    return false;
}

void sn_add_lost_faces(const SnMesh* before, const SnMesh* after, char* text, size_t size)
{
    const SnFaces none = {0}, *a = before->faces ? before->faces : &none, *b = after->faces ? after->faces : &none;
    int polygons = before->faces ? sn_faces_triangle_count(a) - a->count : 0;
    int kept = after->faces ? sn_faces_triangle_count(b) - b->count : 0;
    if (polygons > 0 && kept == 0) sn_append(text, size, "%spolygons (they are triangles now)", *text ? ", " : "");
    sn_add_lost(text, size, count_named(a, a->corner_uvs) - count_named(b, b->corner_uvs),
                "texture coordinates of corners");
    sn_add_lost(text, size, count_named(a, a->corner_normals) - count_named(b, b->corner_normals),
                "normals of corners");
    sn_add_lost(text, size, a->group_count - b->group_count, "groups of faces");
    if (a->smoothing && !b->smoothing) sn_append(text, size, "%ssmoothing groups", *text ? ", " : "");
    if (a->colours && !b->colours) sn_append(text, size, "%scolours", *text ? ", " : "");
    if (a->colours && b->colours && transparent(before) && !transparent(after))
        sn_append(text, size, "%stransparency", *text ? ", " : "");
}

void sn_say_lost_faces(const SnMesh* before, const SnMesh* after)
{
    char text[400] = "";
    sn_add_lost_faces(before, after, text, sizeof text);
    if (*text) printf("lost               %s\n", text);
}
