// The meshes of an export: surfaces and ropes of bodies with the nodes that these have, and obstacles.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "archive/export_job.h"
#include "archive/palette.h"
#include "mesh/faces.h"

// "a b" becomes a_b, "7" becomes _7; a name that one of `count` others has, which lie `stride` bytes apart, gets a
// number.
static char* word_of(const char* name, int count, char* const* others, size_t stride)
{
    size_t length = strlen(name);
    char* word = sn_allocate(length + 16, 1, "a name");
    if (!word) return NULL;
    char* end = word;
    if (!length || isdigit((unsigned char)name[0])) *end++ = '_';
    for (; *name; name++) *end++ = isalnum((unsigned char)*name) && (unsigned char)*name < 128 ? *name : '_';
    for (int i = 0, number = 2; i < count; i++) {
        const char* other = *(char* const*)((const char*)others + (size_t)i * stride);
        if (!other || strcmp(other, word) != 0) continue;
        snprintf(end, 14, "_%d", number++);
        i = -1;
    }
    return word;
}

static char* name_of(const SnExport* job, const char* name)
{
    return word_of(name, job->mesh_count, &job->meshes[0].name, sizeof *job->meshes);
}

static SnStatus name_groups(SnExportMesh* m, const SnFaces* f)
{
    if (!sn_faces_number_groups(f, m->groups) || !SN_NEW(m->words, f->group_count, "groups")) return SN_ERROR_MEMORY;
    for (int g = 0; g < f->group_count; g++)
        if (!(m->words[g] = word_of(f->groups[g].name, g, m->words, sizeof *m->words))) return SN_ERROR_MEMORY;
    return SN_OK;
}

int sn_export_group_size(const SnExportMesh* m, int group)
{
    int size = 0;
    const SnFaceGroup* g = &m->skin->faces.groups[group];
    for (int i = 0; i < g->count; i++) size += m->groups[g->kind][g->faces[i]] == group + 1;
    return size;
}

// The vertices are the nodes that the elements name, in order; the elements are given in terms of these.
static SnStatus number_vertices(SnExportMesh* m, const SnBodyInfo* body)
{
    int *shown, *corners, *edges;
    if (!SN_NEW(shown, body->node_count, "nodes of an export")) return SN_ERROR_MEMORY;
    m->owned[0] = corners = sn_copy_memory(body->surface, 3 * (size_t)body->surface_count, sizeof(int), "an export");
    m->owned[1] = edges = sn_copy_memory(body->edges, 2 * (size_t)body->edge_count, sizeof(int), "an export");
    m->face_count = body->surface_count, m->corner_count = 3 * body->surface_count;
    m->edge_count = body->edge_count;
    m->corners = corners, m->edges = edges;
    for (int i = 0; corners && i < m->corner_count; i++) shown[corners[i]] = 1;
    for (int i = 0; edges && i < 2 * m->edge_count; i++) shown[edges[i]] = 1;
    for (int i = 0; i < body->node_count; i++) m->vertex_count += shown[i];
    bool made = corners && edges && SN_NEW(m->nodes, m->vertex_count, "nodes of an export");
    for (int i = 0, next = 0; made && i < body->node_count; i++) {
        if (!shown[i]) continue;
        m->nodes[next] = body->first_node + i;
        shown[i] = next++;
    }
    for (int i = 0; made && i < m->corner_count; i++) corners[i] = shown[corners[i]];
    for (int i = 0; made && i < 2 * m->edge_count; i++) edges[i] = shown[edges[i]];
    sn_free(shown);
    return made ? SN_OK : SN_ERROR_MEMORY;
}

// The faces of a skin as its file has them.
static SnStatus take_skin(SnExportMesh* m, const SnSkin* skin)
{
    const SnFaces* f = &skin->faces;
    int *sizes, corners = f->start[f->count];
    double* uv = NULL;
    m->skin = skin;
    m->vertex_count = skin->vertex_count;
    m->face_count = f->count, m->corner_count = corners, m->corners = f->corners;
    m->colours = f->colours;
    if (!SN_NEW(sizes, f->count, "an export")) return SN_ERROR_MEMORY;
    m->sizes = m->owned[0] = sizes;
    for (int i = 0; i < f->count; i++) sizes[i] = f->start[i + 1] - f->start[i];
    SN_TRY(name_groups(m, f));
    if (!f->corner_uvs) return SN_OK;
    if (!SN_NEW(uv, 2 * (size_t)corners, "an export")) return SN_ERROR_MEMORY;
    m->uv = m->owned[1] = uv;
    for (size_t i = 0; i < (size_t)corners; i++)
        if (f->corner_uvs[i] >= 0) memcpy(uv + 2 * i, f->uvs + 2 * (size_t)f->corner_uvs[i], 2 * sizeof *uv);
    return SN_OK;
}

static SnStatus add_body(SnExport* job, int index)
{
    const SnBodyInfo* body = &job->def.bodies[index];
    if (body->surface_count == 0 && body->edge_count == 0) return SN_OK;
    SnExportMesh* m = &job->meshes[job->mesh_count];
    *m = (SnExportMesh){.body = index, .obstacle = -1, .name = name_of(job, body->name)};
    job->mesh_count++;
    sn_palette(index, m->colour);
    if (!m->name) return SN_ERROR_MEMORY;
    return body->skin ? take_skin(m, body->skin) : number_vertices(m, body);
}

static SnStatus add_obstacle(SnExport* job, int index)
{
    const SnPlacedObstacle* placed = &job->def.obstacles->items[index];
    if (placed->triangle_count == 0) return SN_OK;
    SnExportMesh* m = &job->meshes[job->mesh_count];
    *m = (SnExportMesh){.body = -1,
                        .obstacle = index,
                        .name = name_of(job, placed->obstacle->name),
                        .vertex_count = placed->vertex_count,
                        .face_count = placed->triangle_count,
                        .corner_count = 3 * placed->triangle_count,
                        .corners = placed->triangles,
                        .colour = {0.66f, 0.68f, 0.71f}};
    job->mesh_count++;
    return m->name ? SN_OK : SN_ERROR_MEMORY;
}

SnStatus sn_export_make_meshes(SnExport* job)
{
    int obstacles = job->def.obstacles ? job->def.obstacles->count : 0;
    if (!SN_NEW(job->meshes, job->def.body_count + obstacles, "meshes of an export")) return SN_ERROR_MEMORY;
    for (int b = 0; b < job->def.body_count; b++) SN_TRY(add_body(job, b));
    for (int o = 0; o < obstacles; o++) SN_TRY(add_obstacle(job, o));
    for (int i = 0; i < job->mesh_count; i++) {
        SnExportMesh* m = &job->meshes[i];
        m->first = job->vertex_count;
        job->vertex_count += (size_t)m->vertex_count;
        if (!SN_NEW(m->points, 3 * (size_t)m->vertex_count, "an export") ||
            (m->body >= 0 && !SN_NEW(m->velocities, 3 * (size_t)m->vertex_count, "an export")))
            return SN_ERROR_MEMORY;
    }
    return SN_OK;
}

void sn_export_free_meshes(SnExport* job)
{
    for (int i = 0; i < job->mesh_count; i++) {
        SnExportMesh* m = &job->meshes[i];
        SN_FREE(m->name, m->points, m->velocities, m->nodes, m->owned[0], m->owned[1]);
        for (int g = 0; m->words && g < m->skin->faces.group_count; g++) sn_free(m->words[g]);
        SN_FREE(m->groups[0], m->groups[1], m->groups[2], m->words);
    }
    sn_free(job->meshes);
}

void sn_export_move_meshes(SnExport* job)
{
    const SnExportDef* def = &job->def;
    for (int i = 0; i < job->mesh_count; i++) {
        SnExportMesh* m = &job->meshes[i];
        for (int v = 0; m->nodes && v < m->vertex_count; v++) {
            size_t node = 3 * (size_t)m->nodes[v], vertex = 3 * (size_t)v;
            memcpy(m->points + vertex, job->positions + node, 3 * sizeof(double));
            memcpy(m->velocities + vertex, job->velocities + node, 3 * sizeof(double));
        }
        if (m->skin) {
            size_t node = 3 * (size_t)def->bodies[m->body].first_node;
            sn_skin_carry(m->skin, job->positions + node, m->points);
            sn_skin_carry(m->skin, job->velocities + node, m->velocities);
        }
        if (m->obstacle < 0) continue;
        const double* x = def->obstacles->items[m->obstacle].positions;
        memcpy(m->points, x, 3 * (size_t)m->vertex_count * sizeof *x);
        sn_convention_change(&def->from, &def->to, true, (size_t)m->vertex_count, m->points);
    }
}

int sn_export_face_size(const SnExportMesh* mesh, int face)
{
    return mesh->sizes ? mesh->sizes[face] : 3;
}

SnStatus sn_export_check_finite(const SnExport* job, const SnExportFrame* frame, const char* format)
{
    for (int i = 0; i < job->node_count; i++) {
        const double* x = job->positions + 3 * (size_t)i;
        if (!isfinite(x[0] + x[1] + x[2]))
            return sn_fail(SN_ERROR_VALUE,
                           "frame %d: node %d is at (%g, %g, %g), which %s cannot hold; choose earlier "
                           "frames, or vtu or csv",
                           frame->number, i, x[0], x[1], x[2], format);
    }
    return SN_OK;
}
