// USD as text, as a mesh (all Mesh prims, where they are) and as a point cache (the same vertices at the times of the
// samples of their points and places).
#include "mesh/usda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/convention.h"
#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/point_cache.h"

typedef struct Part {
    int prim, vertex_count;
    const SnUsdaAttribute* points;
} Part;

typedef struct Stage {
    SnUsda file;
    Part* parts;
    int part_count, part_capacity, vertex_count;
} Stage;

static SnStatus fail_prim(const SnUsda* u, int prim, const char* what)
{
    SnWord name = u->prims[prim].name;
    return sn_reader_fail(&u->reader, u->prims[prim].where, SN_ERROR_FORMAT, "prim \"%.*s\": %s",
                          name.length < 64 ? name.length : 64, name.text, what);
}

static SnStatus add_part(Stage* s, int prim)
{
    const SnUsdaAttribute* points = sn_usda_find(&s->file, prim, "points");
    if (!points) return fail_prim(&s->file, prim, "a Mesh without points");
    int length = sn_usda_length(points);
    if (length < 0) return fail_prim(&s->file, prim, "the number of its points changes with time");
    if (length % 3 != 0) return fail_prim(&s->file, prim, "points that are not of three numbers each");
    if (!SN_GROW(s->parts, s->part_capacity, s->part_count + (int64_t)1, "meshes")) return SN_ERROR_MEMORY;
    if (length / 3 > SN_MESH_MOST - s->vertex_count) return fail_prim(&s->file, prim, "too many points");
    s->parts[s->part_count++] = (Part){prim, length / 3, points};
    s->vertex_count += length / 3;
    return SN_OK;
}

static SnStatus find_parts(Stage* s)
{
    for (int i = 0; i < s->file.prim_count; i++) {
        const SnUsdaPrim* p = &s->file.prims[i];
        if (p->hidden) continue;
        if (sn_word_is(p->type, "PointInstancer"))
            return fail_prim(&s->file, i, "instances of a PointInstancer are not read; make meshes of them");
        if (sn_word_is(p->type, "Mesh")) SN_TRY(add_part(s, i));
    }
    if (s->vertex_count > 0) return SN_OK;
    return sn_fail(SN_ERROR_FORMAT, "%s: there is no Mesh with points in it that is shown", s->file.reader.path);
}

static SnStatus open_stage(const char* path, Stage* s)
{
    *s = (Stage){0};
    SN_TRY(sn_usda_open(path, &s->file));
    return find_parts(s);
}

static void close_stage(Stage* s)
{
    sn_free(s->parts);
    sn_usda_close(&s->file);
}

// All vertices at a time code, in metres and y upwards; 3 x vertex_count.
static SnStatus vertices_at(const Stage* s, double code, double* x)
{
    const SnConvention from = {s->file.metres, s->file.z_up}, to = {1, false};
    for (int p = 0; p < s->part_count; p++) {
        const Part* part = &s->parts[p];
        double m[12];
        SN_TRY(sn_usda_place(&s->file, part->prim, code, m));
        for (int v = 0; v < part->vertex_count; v++, x += 3) {
            double local[3];
            for (int c = 0; c < 3; c++) local[c] = sn_usda_at(part->points, code, 3 * v + c);
            for (int c = 0; c < 3; c++)
                x[c] = m[4 * c] * local[0] + m[4 * c + 1] * local[1] + m[4 * c + 2] * local[2] + m[4 * c + 3];
            sn_convention_change(&from, &to, true, 1, x);
        }
    }
    return SN_OK;
}

// --- a mesh ---

// A texture coordinate or colour for each corner: of what it is given for, and through `:indices` where there are some.
typedef struct Primvar {
    const SnUsdaAttribute *values, *indices;
    int components;
    enum { PER_CORNER, PER_VERTEX } per;
} Primvar;

static bool make_primvar(const SnUsda* u, int prim, const SnUsdaAttribute* values, int components, Primvar* out)
{
    char name[128];
    if (!values || sn_usda_length(values) < components || values->name.length > 100) return false;
    snprintf(name, sizeof name, "%.*s:indices", values->name.length, values->name.text);
    *out = (Primvar){values, sn_usda_find(u, prim, name), components, PER_VERTEX};
    if (sn_word_is(values->interpolation, "faceVarying"))
        out->per = PER_CORNER;
    else if (!sn_word_is(values->interpolation, "vertex") && !sn_word_is(values->interpolation, "varying"))
        return false;
    return !out->indices || sn_usda_length(out->indices) > 0;
}

// The place of its value; -1: there is none.
static int primvar_number(const Primvar* v, int corner, int vertex)
{
    int at = v->per == PER_CORNER ? corner : vertex, count = sn_usda_length(v->values) / v->components;
    if (v->indices) {
        if (at >= sn_usda_length(v->indices)) return -1;
        double index = sn_usda_at(v->indices, -INFINITY, at);
        if (!(index >= 0 && index < count)) return -1;
        return (int)index;
    }
    return at < count ? at : -1;
}

// The first attribute that has texture coordinates.
static bool find_uvs(const SnUsda* u, int prim, Primvar* uvs)
{
    const SnUsdaAttribute* found = NULL;
    for (int i = u->prims[prim].first; i >= 0; i = u->attributes[i].next) { // the last is the first of the list
        const SnWord type = u->attributes[i].type;
        if (sn_word_is(type, "texCoord2f[]") || sn_word_is(type, "texCoord2d[]") || sn_word_is(type, "texCoord2h[]"))
            found = &u->attributes[i];
    }
    return make_primvar(u, prim, found, 2, uvs);
}

static SnStatus add_nodes(SnMeshBuilder* b, const SnUsda* u, const Part* part, const double* x)
{
    Primvar colours;
    bool coloured = make_primvar(u, part->prim, sn_usda_find(u, part->prim, "primvars:displayColor"), 3, &colours) &&
                    colours.per == PER_VERTEX;
    for (int v = 0; v < part->vertex_count; v++) {
        SN_TRY(sn_builder_node(b, x + 3 * (size_t)v));
        int at = coloured ? primvar_number(&colours, -1, v) : -1;
        float colour[4] = {1, 1, 1, 1};
        for (int c = 0; at >= 0 && c < 3; c++) colour[c] = (float)sn_usda_at(colours.values, -INFINITY, 3 * at + c);
        if (at >= 0) SN_TRY(sn_builder_colour(b, colour));
    }
    return SN_OK;
}

typedef struct Corners {
    int64_t *nodes, *uvs;
    int node_capacity, uv_capacity;
} Corners;

// One face, whose first corner is this one; left-handed ones are turned.
static SnStatus add_face(SnMeshBuilder* b, const SnUsdaAttribute* indices, int first, int size, const Part* part,
                         int first_node, const Primvar* uvs, int first_uv, bool left, Corners* c)
{
    if (!SN_GROW(c->nodes, c->node_capacity, (int64_t)size, "a face") ||
        !SN_GROW(c->uvs, c->uv_capacity, (int64_t)size, "a face"))
        return SN_ERROR_MEMORY;
    bool any = false;
    for (int i = 0; i < size; i++) {
        int corner = first + (left ? size - 1 - i : i);
        double vertex = sn_usda_at(indices, -INFINITY, corner);
        if (!(vertex >= 0 && vertex < part->vertex_count))
            return sn_malformed(b->reader, "a face names point %g; there are %d", vertex, part->vertex_count);
        c->nodes[i] = first_node + (int64_t)vertex;
        int number = uvs ? primvar_number(uvs, corner, (int)vertex) : -1;
        c->uvs[i] = number < 0 ? -1 : first_uv + number;
        any = any || number >= 0;
    }
    return sn_builder_face(b, c->nodes, any ? c->uvs : NULL, NULL, size);
}

static SnStatus add_faces(SnMeshBuilder* b, const SnUsda* u, const Part* part, int first_node, Corners* c)
{
    const SnUsdaAttribute *counts = sn_usda_find(u, part->prim, "faceVertexCounts"),
                          *indices = sn_usda_find(u, part->prim, "faceVertexIndices"),
                          *orientation = sn_usda_find(u, part->prim, "orientation");
    Primvar uvs;
    bool has_uvs = find_uvs(u, part->prim, &uvs),
         left = orientation && orientation->text_count > 0 && sn_word_is(orientation->texts[0], "leftHanded");
    int faces = counts ? sn_usda_length(counts) : 0, corners = indices ? sn_usda_length(indices) : 0, next = 0;
    int first_uv = b->faces.faces.uv_count;
    if (faces < 0 || corners < 0) return fail_prim(u, part->prim, "its faces change with time");
    for (int i = 0; has_uvs && i < sn_usda_length(uvs.values) / 2; i++)
        SN_TRY(sn_builder_uv(b, (const double[2]){sn_usda_at(uvs.values, -INFINITY, 2 * i),
                                                  sn_usda_at(uvs.values, -INFINITY, 2 * i + 1)}));
    for (int f = 0; f < faces; f++) {
        double size = sn_usda_at(counts, -INFINITY, f);
        if (!(size >= 3 && size <= corners - next))
            return fail_prim(u, part->prim, "faceVertexCounts and faceVertexIndices do not agree");
        SN_TRY(add_face(b, indices, next, (int)size, part, first_node, has_uvs ? &uvs : NULL, first_uv, left, c));
        next += (int)size;
    }
    return SN_OK;
}

static SnStatus build(SnMeshBuilder* b, const Stage* s, Corners* corners, const double* x, SnMesh** mesh)
{
    int first = 0;
    SN_TRY(sn_builder_begin(b, &s->file.reader));
    for (int p = 0; p < s->part_count; p++) {
        const Part* part = &s->parts[p];
        SN_TRY(add_nodes(b, &s->file, part, x + 3 * (size_t)first));
        char* name = sn_copy_word(s->file.prims[part->prim].name);
        if (!name) return SN_ERROR_MEMORY;
        SnStatus status = sn_builder_face_group(b, SN_FACE_OBJECT, name);
        sn_free(name);
        SN_TRY(status);
        SN_TRY(add_faces(b, &s->file, part, first, corners));
        first += part->vertex_count;
    }
    return sn_builder_finish(b, mesh);
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    Stage s;
    SnMeshBuilder builder = {0};
    Corners corners = {0};
    double* x = NULL;
    SnStatus status = open_stage(path, &s);
    if (status == SN_OK && !SN_NEW(x, 3 * (int64_t)s.vertex_count, "vertices")) status = SN_ERROR_MEMORY;
    if (status == SN_OK) status = vertices_at(&s, -INFINITY, x);
    if (status == SN_OK) status = build(&builder, &s, &corners, x, mesh);
    sn_builder_abandon(&builder);
    SN_FREE(x, corners.nodes, corners.uvs);
    close_stage(&s);
    return status;
}

const SnMeshFormat sn_mesh_usda = {
    .name = "usda",
    .endings = ".usda .usd",
    .summary = "USD as text: faces of all meshes in their places, at their first time sample, with UVs and colours",
    .read = read,
    .y_up_metres = true,
    .surface = true,
};

// --- a point cache ---

typedef struct Times {
    double* codes;
    int count, capacity;
} Times;

static SnStatus add_times(Times* t, const SnUsdaAttribute* a)
{
    if (!a || !a->timed) return SN_OK;
    if (!SN_GROW(t->codes, t->capacity, t->count + (int64_t)a->sample_count, "times")) return SN_ERROR_MEMORY;
    for (int i = 0; i < a->sample_count; i++) t->codes[t->count++] = a->times[i];
    return SN_OK;
}

static int compare_numbers(const void* left, const void* right)
{
    double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

// Of all samples of points and places, each once; 0 where nothing moves.
static SnStatus collect_times(const Stage* s, Times* t)
{
    for (int p = 0; p < s->part_count; p++) {
        SN_TRY(add_times(t, s->parts[p].points));
        for (int prim = s->parts[p].prim; prim >= 0; prim = s->file.prims[prim].parent)
            for (int i = s->file.prims[prim].first; i >= 0; i = s->file.attributes[i].next)
                if (strncmp(s->file.attributes[i].name.text, "xformOp:", 8) == 0)
                    SN_TRY(add_times(t, &s->file.attributes[i]));
    }
    if (t->count == 0) {
        if (!SN_GROW(t->codes, t->capacity, (int64_t)1, "times")) return SN_ERROR_MEMORY;
        t->codes[t->count++] = s->file.start;
    }
    qsort(t->codes, (size_t)t->count, sizeof *t->codes, compare_numbers);
    int kept = 0;
    for (int i = 0; i < t->count; i++)
        if (i == 0 || t->codes[i] > t->codes[kept - 1]) t->codes[kept++] = t->codes[i];
    t->count = kept;
    return SN_OK;
}

static SnStatus take_frames(const Stage* s, const Times* t, SnPointCache** cache)
{
    SN_TRY(sn_point_cache_create(s->vertex_count, t->count, s->file.codes_per_second, cache));
    for (int f = 0; f < t->count; f++) {
        double* x = (*cache)->points + 3 * (int64_t)f * s->vertex_count;
        (*cache)->times[f] = (t->codes[f] - s->file.start) / s->file.codes_per_second;
        SN_TRY(vertices_at(s, t->codes[f], x));
        for (int64_t i = 0; i < 3 * (int64_t)s->vertex_count; i++)
            if (!isfinite(x[i]))
                return sn_fail(SN_ERROR_FORMAT, "%s: point %lld is at no finite place at time code %g",
                               s->file.reader.path, (long long)(i / 3), t->codes[f]);
    }
    return SN_OK;
}

static SnStatus read_cache(const char* path, double rate, SnPointCache** cache)
{
    (void)rate;
    Stage s;
    Times t = {0};
    *cache = NULL;
    SnStatus status = open_stage(path, &s);
    if (status == SN_OK) status = collect_times(&s, &t);
    if (status == SN_OK) status = take_frames(&s, &t, cache);
    if (status != SN_OK) sn_point_cache_destroy(*cache), *cache = NULL;
    sn_free(t.codes);
    close_stage(&s);
    return status;
}

const SnPointCacheFormat sn_point_cache_usda = {
    .name = "usda",
    .endings = ".usda .usd",
    .summary = "USD as text: vertices of all meshes at their time samples; startTimeCode is time 0",
    .read = read_cache,
};
