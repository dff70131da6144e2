// The mesh: made from arrays, looked into, destroyed; loaded and saved by the format that its path's ending names.
#include "mesh/mesh.h"

#include "core/getter.h"
#include "core/handle.h"
#include "core/suggest.h"
#include "mesh/elements.h"
#include "mesh/faces.h"
#include "mesh/part.h"
#include "mesh/reader.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

SnMeshDef sn_default_mesh_def(void)
{
    return (SnMeshDef){0};
}

static SnStatus check_def_elements(int dimension, const int* elements, int count, int node_count)
{
    const char* const* nouns = sn_element_nouns[dimension];
    if (count < 0 || count > SN_MESH_MOST)
        return sn_fail(SN_ERROR_VALUE, "mesh: %d %s, must be 0 .. %d", count, nouns[1], SN_MESH_MOST);
    if (count > 0 && !elements) return sn_fail(SN_ERROR_VALUE, "mesh: %d %s without a list", count, nouns[1]);
    int corners = dimension + 1;
    for (int i = 0; i < corners * count; i++)
        if (elements[i] < 0 || elements[i] >= node_count)
            return sn_fail(SN_ERROR_VALUE, "mesh: %s %d names node %d, but there are %d nodes (counted from 0)",
                           nouns[0], i / corners, elements[i], node_count);
    return SN_OK;
}

static SnStatus check_def(const SnMeshDef* def)
{
    if (def->node_count <= 0 || def->node_count > SN_MESH_MOST || !def->nodes)
        return sn_fail(SN_ERROR_VALUE, "mesh: %d nodes, must be 1 .. %d with their coordinates", def->node_count,
                       SN_MESH_MOST);
    SN_TRY(check_def_elements(3, def->tetrahedra, def->tetrahedron_count, def->node_count));
    SN_TRY(check_def_elements(2, def->triangles, def->triangle_count, def->node_count));
    return check_def_elements(1, def->edges, def->edge_count, def->node_count);
}

SnStatus sn_mesh_create(const SnMeshDef* def, SnMesh** out)
{
    SN_NEED(out);
    *out = NULL;
    SN_NEED(def);
    SN_TRY(check_def(def));
    SnMesh* mesh;
    if (!SN_NEW(mesh, 1, "a mesh")) return SN_ERROR_MEMORY;
    sn_handle_made(mesh);
    mesh->node_count = def->node_count;
    mesh->tetrahedron_count = def->tetrahedron_count;
    mesh->triangle_count = def->triangle_count;
    mesh->edge_count = def->edge_count;
    mesh->nodes = sn_copy_memory(def->nodes, 3 * (size_t)def->node_count, sizeof(double), "nodes");
    mesh->tetrahedra = sn_copy_memory(def->tetrahedra, 4 * (size_t)def->tetrahedron_count, sizeof(int), "tetrahedra");
    mesh->triangles = sn_copy_memory(def->triangles, 3 * (size_t)def->triangle_count, sizeof(int), "triangles");
    mesh->edges = sn_copy_memory(def->edges, 2 * (size_t)def->edge_count, sizeof(int), "edges");
    bool room = mesh->nodes && mesh->tetrahedra && mesh->triangles && mesh->edges;
    SN_FINISH(room ? SN_OK : SN_ERROR_MEMORY, mesh, sn_mesh_destroy, out);
}

void sn_mesh_destroy(SnMesh* mesh)
{
    if (!sn_handle_gone(mesh)) return;
    for (int i = 0; i < mesh->group_count; i++) SN_FREE(mesh->groups[i].name, mesh->groups[i].items);
    for (int i = 0; i < mesh->field_count; i++) {
        SN_FREE(mesh->fields[i].name, mesh->fields[i].values);
    }
    sn_faces_destroy(mesh->faces);
    sn_mesh_part_destroy(mesh->part);
    SN_FREE(mesh->groups, mesh->fields, mesh->nodes, mesh->tetrahedra, mesh->triangles, mesh->edges, mesh);
}

static const char* ending_of(const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

const SnMeshFormat* sn_mesh_format_of(const char* path)
{
    const char* ending = ending_of(path);
    for (int i = 0; sn_mesh_format_at(i); i++)
        if (sn_is_one_of_endings(sn_mesh_format_at(i)->endings, ending)) return sn_mesh_format_at(i);
    return NULL;
}

// Says which endings there are, and which one was perhaps meant.
static SnStatus fail_unknown(const char* path)
{
    enum { MOST = 32 };
    char known[256] = "", words[256];
    const char* names[MOST];
    int count = 0;
    for (int i = 0; sn_mesh_format_at(i); i++)
        sn_append(known, sizeof known, "%s%s", i ? " " : "", sn_mesh_format_at(i)->endings);
    memcpy(words, known, sizeof words);
    char* rest = words;
    for (char* word; count < MOST && (word = strsep(&rest, " "));) names[count++] = word;
    const char* ending = ending_of(path);
    const char* nearest = ending[0] ? sn_nearest_name(ending, names, count) : NULL;
    return sn_fail(SN_ERROR_UNSUPPORTED, "%s: unknown mesh ending '%s'%s%s%s; known are %s", path, ending,
                   nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'" : "", known);
}

SnStatus sn_mesh_load(const char* path, SnMesh** mesh)
{
    SN_NEED(mesh);
    *mesh = NULL;
    SN_NEED(path);
    const SnMeshFormat* format = sn_mesh_format_of(path);
    if (!format) return fail_unknown(path);
    if (!format->read) return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %s files can only be written", path, format->name);
    SnStatus status = format->read(path, mesh);
    if (status == SN_ERROR_MEMORY) return sn_fail_prefix(status, "%s", path);
    if (status == SN_OK) sn_mesh_fix_handedness(*mesh);
    return status;
}

SnStatus sn_mesh_save_as(const SnMesh* mesh, const char* path, const SnMeshWriteOptions* options)
{
    SN_NEED(path);
    bool chosen = options->version || options->binary;
    const SnMeshFormat* format = sn_mesh_format_of(path);
    if (!format) return fail_unknown(path);
    if (!format->write) return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %s files can only be read", path, format->name);
    if (chosen && !format->write_as)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: a version or binary can be chosen for gmsh files (.msh) only; %s files have one form", path,
                       format->name);
    SN_HANDLE(mesh);
    SnMesh* surface = NULL;
    if (format->surface && mesh->tetrahedron_count > 0) SN_TRY(sn_mesh_make_surface(mesh, &surface));
    SnStatus status = chosen ? format->write_as(mesh, path, options) : format->write(surface ? surface : mesh, path);
    sn_mesh_destroy(surface);
    return status == SN_ERROR_MEMORY ? sn_fail_prefix(status, "%s", path) : status;
}

SnStatus sn_mesh_save(const SnMesh* mesh, const char* path)
{
    return sn_mesh_save_as(mesh, path, &(SnMeshWriteOptions){0});
}

SN_GETTER(int, sn_mesh_node_count, const SnMesh*, node_count)
SN_GETTER(int, sn_mesh_tetrahedron_count, const SnMesh*, tetrahedron_count)
SN_GETTER(int, sn_mesh_triangle_count, const SnMesh*, triangle_count)
SN_GETTER(int, sn_mesh_edge_count, const SnMesh*, edge_count)
SN_GETTER(const SnFaces*, sn_mesh_faces, const SnMesh*, faces)
SN_GETTER(int, sn_mesh_group_count, const SnMesh*, group_count)

SnStatus sn_mesh_group(const SnMesh* mesh, int index, SnMeshGroupInfo* group)
{
    SN_HANDLE(mesh);
    SN_NEED(group);
    if (index < 0 || index >= mesh->group_count)
        return sn_fail(SN_ERROR_VALUE, "there is no group %d; the mesh has %d, counted from 0", index,
                       mesh->group_count);
    const SnMeshGroup* own = &mesh->groups[index];
    *group = (SnMeshGroupInfo){own->name, own->tag, own->dimension, own->count, own->items};
    return SN_OK;
}
SN_GETTER(double*, sn_mesh_nodes, SnMesh*, nodes)
SN_GETTER(const int*, sn_mesh_tetrahedra, const SnMesh*, tetrahedra)
SN_GETTER(const int*, sn_mesh_triangles, const SnMesh*, triangles)
SN_GETTER(const int*, sn_mesh_edges, const SnMesh*, edges)
