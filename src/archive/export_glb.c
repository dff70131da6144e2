// glTF 2.0, binary: one file with bodies, obstacles and a camera. Frames after the first are morph targets, and an
// animation of their weights goes from one to the next. Quantised files have positions of 16 bits and normals of 8
// (KHR_mesh_quantization). Velocities, if asked for, are an attribute of the same form as positions, `_VELOCITY`.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/glb_mesh.h"
#include "core/pi.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

enum { FLOAT = 5126, UINT32 = 5125, INT16 = 5122, INT8 = 5120, VERTICES = 34962, INDICES = 34963 };

enum { TEXTS = 6 };

// The file being made: JSON lists that grow, and where the next bytes of the buffer are.
typedef struct Glb {
    SnExport* job;
    SnGlbMesh* meshes;
    bool quantise, velocities;
    FILE *views, *accessors, *nodes, *shapes, *channels, *materials;
    char* texts[TEXTS];
    size_t sizes[TEXTS];
    int view_count, accessor_count, channel_count, material_count;
    uint64_t bytes; // of the buffer
    int times, weights;
} Glb;

enum { MOST_BYTES = 0x7fffffff }; // a file is less than 4 GiB, and many readers stop at half of that

static int add_view(Glb* g, uint64_t bytes, int stride, int target)
{
    fprintf(g->views, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu", g->view_count ? "," : "",
            (unsigned long long)g->bytes, (unsigned long long)bytes);
    if (stride) fprintf(g->views, ",\"byteStride\":%d", stride);
    if (target) fprintf(g->views, ",\"target\":%d", target);
    fputc('}', g->views);
    g->bytes += (bytes + 3) / 4 * 4;
    return g->view_count++;
}

static int add_accessor(Glb* g, int view, uint64_t offset, int component, int count, const char* type, const float* lo,
                        const float* hi)
{
    fprintf(g->accessors, "%s{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"",
            g->accessor_count ? "," : "", view, (unsigned long long)offset, component, count, type);
    if (component == INT16 || component == INT8) fputs(",\"normalized\":true", g->accessors);
    bool scalar = strcmp(type, "SCALAR") == 0;
    for (int end = 0; lo && end < 2; end++) {
        const float* x = end ? hi : lo;
        fprintf(g->accessors, ",\"%s\":[%.9g", end ? "max" : "min", (double)x[0]);
        if (!scalar) fprintf(g->accessors, ",%.9g,%.9g", (double)x[1], (double)x[2]);
        fputc(']', g->accessors);
    }
    fputc('}', g->accessors);
    return g->accessor_count++;
}

// --- numbers as they are in the file ---

typedef enum Kind { POSITION, NORMAL, VELOCITY, KINDS } Kind;
static const char* const semantics[KINDS] = {"POSITION", "NORMAL", "_VELOCITY"};

static int component_of(const Glb* g, Kind kind)
{
    if (!g->quantise || kind == VELOCITY) return FLOAT;
    return kind == NORMAL ? INT8 : INT16;
}

static int stride_of(const Glb* g, Kind kind)
{
    int component = component_of(g, kind);
    return component == FLOAT ? 12 : component == INT16 ? 8 : 4;
}

// Normals are those of triangles.
static bool has(const Glb* g, const SnGlbMesh* m, Kind kind)
{
    return kind == POSITION || (kind == NORMAL ? m->triangle_count > 0 : g->velocities && m->mesh->velocities);
}

static float quantised(const SnGlbMesh* m, const float* x, int c)
{
    return (float)lround(((double)x[c] - m->shift[c]) / m->scale * 32767);
}

// Of a frame, less the first one (NULL: it is the first): what is in the file, still as floats.
static void make_positions(const Glb* g, const SnGlbMesh* m, const float* start, float* out)
{
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) {
        const float *x = m->points + i / 3 * 3, *s = start ? start + i / 3 * 3 : NULL;
        int c = (int)(i % 3);
        out[i] = g->quantise ? quantised(m, x, c) - (s ? quantised(m, s, c) : 0) : s ? x[c] - s[c] : x[c];
    }
}

static void make_normals(const Glb* g, const SnGlbMesh* m, const float* start, float* out)
{
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) {
        float n = m->normals[i] - (start ? start[i] : 0);
        out[i] = g->quantise ? fmaxf(-127, fminf(127, roundf(127 * n))) : n;
    }
}

static void make_velocities(const SnGlbMesh* m, const float* start, float* out)
{
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) out[i] = m->velocities[i] - (start ? start[i] : 0);
}

static void write_numbers(FILE* file, int component, int count, const float* x)
{
    if (component == FLOAT) {
        fwrite(x, 12, (size_t)count, file);
        return;
    }
    for (int i = 0; i < count; i++, x += 3) {
        if (component == INT8)
            fwrite((const int8_t[4]){(int8_t)x[0], (int8_t)x[1], (int8_t)x[2], 0}, 4, 1, file);
        else
            fwrite((const int16_t[4]){(int16_t)x[0], (int16_t)x[1], (int16_t)x[2], 0}, 8, 1, file);
    }
}

// --- meshes: what is said of them, then their bytes in the same order ---

// Each of the frames of a mesh: the kind of numbers, by the first and by this one.
typedef struct Frames {
    float *start, *numbers; // 3 x vertex_count
} Frames;

static SnStatus each_frame(Glb* g, SnGlbMesh* m, Kind kind,
                           SnStatus (*use)(Glb* g, SnGlbMesh* m, int frame, Kind kind, const float* numbers))
{
    size_t count = 3 * (size_t)m->vertex_count;
    Frames f = {0};
    SnStatus status = SN_ERROR_MEMORY;
    if (SN_NEW(f.start, count, "a frame") && SN_NEW(f.numbers, count, "a frame")) status = SN_OK;
    for (int i = 0; status == SN_OK && i <= m->target_count; i++) {
        status = sn_glb_mesh_read(g->job, m, i);
        if (status != SN_OK) break;
        const float* start = i ? f.start : NULL;
        const float* own = kind == POSITION ? m->points : kind == NORMAL ? m->normals : m->velocities;
        if (kind == POSITION) make_positions(g, m, start, f.numbers);
        if (kind == NORMAL) make_normals(g, m, start, f.numbers);
        if (kind == VELOCITY) make_velocities(m, start, f.numbers);
        if (i == 0) memcpy(f.start, own, count * sizeof(float));
        status = use(g, m, i, kind, f.numbers);
    }
    SN_FREE(f.start, f.numbers);
    return status;
}

static SnStatus describe_frame(Glb* g, SnGlbMesh* m, int frame, Kind kind, const float* x)
{
    float lo[3] = {x[0], x[1], x[2]}, hi[3] = {x[0], x[1], x[2]};
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++)
        lo[i % 3] = fminf(lo[i % 3], x[i]), hi[i % 3] = fmaxf(hi[i % 3], x[i]);
    add_accessor(g, g->view_count - 1, (uint64_t)frame * (uint64_t)m->vertex_count * (uint64_t)stride_of(g, kind),
                 component_of(g, kind), m->vertex_count, "VEC3", lo, hi);
    return SN_OK;
}

static SnStatus write_frame(Glb* g, SnGlbMesh* m, int frame, Kind kind, const float* x)
{
    (void)frame;
    write_numbers(g->job->stream, component_of(g, kind), m->vertex_count, x);
    return SN_OK;
}

// "POSITION": 3, "NORMAL": 7 of a frame; first: accessors of the first one, -1 where it has none.
static void write_attributes(Glb* g, const int first[KINDS], int frame)
{
    for (int k = 0; k < KINDS; k++)
        if (first[k] >= 0) fprintf(g->shapes, "%s\"%s\":%d", k ? "," : "{", semantics[k], first[k] + frame);
}

// A primitive: triangles or lines, with the frames as targets.
static void write_primitive(Glb* g, const SnGlbMesh* m, int indices, int mode, const int first[KINDS],
                            const int look[3])
{
    int uv = look[0], colour = look[1], material = look[2];
    fputs("{\"attributes\":", g->shapes);
    write_attributes(g, first, 0);
    if (uv >= 0) fprintf(g->shapes, ",\"TEXCOORD_0\":%d", uv);
    if (colour >= 0) fprintf(g->shapes, ",\"COLOR_0\":%d", colour);
    fprintf(g->shapes, "},\"indices\":%d,\"mode\":%d,\"material\":%d", indices, mode, material);
    for (int i = 1; i <= m->target_count; i++) {
        fputs(i == 1 ? ",\"targets\":[" : ",", g->shapes);
        write_attributes(g, first, i);
        fputs(i == m->target_count ? "}]" : "}", g->shapes);
    }
    fputc('}', g->shapes);
}

// glTF has colours as linear light.
static float linear(float x)
{
    return powf(fmaxf(0, fminf(x, 1)), 2.2f);
}

static int add_indices(Glb* g, int count)
{
    int view = add_view(g, 4 * (uint64_t)count, 0, INDICES);
    return add_accessor(g, view, 0, UINT32, count, "SCALAR", NULL, NULL);
}

// A name as JSON has it: bytes that are no UTF-8 or control something become _.
static void write_name(FILE* json, const char* name)
{
    for (const unsigned char* c = (const unsigned char*)name; *c;) {
        int more = *c < 0x80 ? 0 : *c >= 0xc2 && *c < 0xe0 ? 1 : *c >= 0xe0 && *c < 0xf0 ? 2 : *c < 0xf5 ? 3 : -1;
        if (*c >= 0x80 && *c < 0xc2) more = -1;
        for (int k = 1; k <= more; k++)
            if ((c[k] & 0xc0) != 0x80) more = -1;
        if (more == 2 && ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] >= 0xa0))) more = -1;
        if (more == 3 && ((*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] >= 0x90))) more = -1;
        if (more < 0 || *c < 0x20 || *c == 0x7f)
            fputc('_', json);
        else
            fprintf(json, "%s%.*s", *c == '"' || *c == '\\' ? "\\" : "", more + 1, (const char*)c);
        c += more > 0 ? more + 1 : 1;
    }
}

static int add_material(Glb* g, const SnExportMesh* m, const char* name)
{
    fprintf(g->materials, "%s{\"name\":\"", g->material_count ? "," : "");
    write_name(g->materials, name);
    fputs("\",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[", g->materials);
    for (int c = 0; c < 3; c++) fprintf(g->materials, "%.4g,", m->colours ? 1.0 : (double)linear(m->colour[c]));
    fputs("1],\"metallicFactor\":0,\"roughnessFactor\":0.6}}", g->materials);
    return g->material_count++;
}

// A primitive for each material that the skin's file names, all over the same vertices; the rest has the body's own.
static void write_parts(Glb* g, const SnGlbMesh* m, int view, const int first[KINDS], int uv, int colour)
{
    for (int p = 0; p < m->part_count; p++) {
        int start = m->part_starts[p], count = 3 * (m->part_starts[p + 1] - start), group = m->parts[p];
        const char* name = group < 0 ? m->mesh->name : m->mesh->skin->faces.groups[group].name;
        int indices = add_accessor(g, view, 12 * (uint64_t)start, UINT32, count, "SCALAR", NULL, NULL);
        if (p) fputc(',', g->shapes);
        write_primitive(g, m, indices, 4, first, (const int[3]){uv, colour, add_material(g, m->mesh, name)});
    }
}

static SnStatus describe_mesh(Glb* g, SnGlbMesh* m)
{
    uint64_t frames = (uint64_t)m->target_count + 1, count = (uint64_t)m->vertex_count;
    int faces = m->triangle_count ? add_view(g, 12 * (uint64_t)m->triangle_count, 0, INDICES) : -1;
    int lines = m->mesh->edge_count ? add_indices(g, 2 * m->mesh->edge_count) : -1;
    int first[KINDS] = {-1, -1, -1}, uv = -1, colour = -1;
    for (int k = 0; k < KINDS; k++) {
        if (!has(g, m, (Kind)k)) continue;
        first[k] = g->accessor_count;
        add_view(g, frames * count * (uint64_t)stride_of(g, (Kind)k), stride_of(g, (Kind)k), VERTICES);
        SN_TRY(each_frame(g, m, (Kind)k, describe_frame));
    }
    if (m->uv) uv = add_accessor(g, add_view(g, 8 * count, 8, VERTICES), 0, FLOAT, m->vertex_count, "VEC2", NULL, NULL);
    if (m->mesh->colours)
        colour = add_accessor(g, add_view(g, 16 * count, 16, VERTICES), 0, FLOAT, m->vertex_count, "VEC4", NULL, NULL);
    fprintf(g->shapes, "%s{\"name\":\"%s\",\"primitives\":[", m == g->meshes ? "" : ",", m->mesh->name);
    if (faces >= 0) write_parts(g, m, faces, first, uv, colour);
    if (faces >= 0 && lines >= 0) fputc(',', g->shapes);
    if (lines >= 0)
        write_primitive(g, m, lines, 1, first, (const int[3]){uv, colour, add_material(g, m->mesh, m->mesh->name)});
    fputs("]}", g->shapes);
    return SN_OK;
}

static void write_colours(FILE* file, const SnGlbMesh* m)
{
    for (int i = 0; m->mesh->colours && i < m->vertex_count; i++) {
        const float* c = m->mesh->colours + 4 * (size_t)m->source[i];
        fwrite((const float[4]){linear(c[0]), linear(c[1]), linear(c[2]), fmaxf(0, fminf(c[3], 1))}, 16, 1, file);
    }
}

static SnStatus write_mesh(Glb* g, SnGlbMesh* m)
{
    FILE* file = g->job->stream;
    fwrite(m->triangles, 12, (size_t)m->triangle_count, file);
    for (int i = 0; i < 2 * m->mesh->edge_count; i++) fwrite(&m->first[m->mesh->edges[i]], 4, 1, file);
    for (int k = 0; k < KINDS; k++)
        if (has(g, m, (Kind)k)) SN_TRY(each_frame(g, m, (Kind)k, write_frame));
    if (m->uv) fwrite(m->uv, 8, (size_t)m->vertex_count, file);
    write_colours(file, m);
    return SN_OK;
}

// --- the animation: at frame k the k-th target has all the weight ---

static void describe_times(Glb* g)
{
    int frames = g->job->kept, targets = frames - 1;
    const double* times = g->job->def.times;
    float lo = times ? (float)times[0] : 0, hi = times ? (float)times[targets] : (float)(targets / g->job->rate);
    g->times = add_accessor(g, add_view(g, 4 * (uint64_t)frames, 0, 0), 0, FLOAT, frames, "SCALAR", &lo, &hi);
    g->weights = add_accessor(g, add_view(g, 4 * (uint64_t)frames * (uint64_t)targets, 0, 0), 0, FLOAT,
                              frames * targets, "SCALAR", NULL, NULL);
}

static void write_times(Glb* g)
{
    FILE* file = g->job->stream;
    const double* times = g->job->def.times;
    for (int i = 0; i < g->job->kept; i++)
        fwrite(&(float){times ? (float)times[i] : (float)(i / g->job->rate)}, 4, 1, file);
    for (int i = 0; i < g->job->kept; i++)
        for (int k = 1; k < g->job->kept; k++) fwrite(&(float){k == i}, 4, 1, file);
}

static void describe_node(Glb* g, const SnGlbMesh* m)
{
    int index = (int)(m - g->meshes);
    fprintf(g->nodes, "%s{\"name\":\"%s\",\"mesh\":%d", index ? "," : "", m->mesh->name, index);
    if (g->quantise)
        fprintf(g->nodes, ",\"translation\":[%.17g,%.17g,%.17g],\"scale\":[%.17g,%.17g,%.17g]", m->shift[0],
                m->shift[1], m->shift[2], m->scale, m->scale, m->scale);
    fputc('}', g->nodes);
    if (m->target_count)
        fprintf(g->channels, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"weights\"}}",
                g->channel_count++ ? "," : "", index);
}

static void describe_camera(Glb* g)
{
    const SnExportCamera* c = &g->job->camera;
    fprintf(g->nodes, "%s{\"name\":\"Camera\",\"camera\":0,\"matrix\":[", g->job->mesh_count ? "," : "");
    const double* columns[] = {c->right, c->up, c->forward, c->eye};
    for (int k = 0; k < 16; k++) {
        double value = k % 4 == 3 ? k == 15 : (k / 4 == 2 ? -1 : 1) * columns[k / 4][k % 4];
        fprintf(g->nodes, "%s%.17g", k ? "," : "", value);
    }
    fputs("]}", g->nodes);
}

// --- the file ---

static void write_json(const Glb* g, FILE* json)
{
    int nodes = g->job->mesh_count + (g->job->def.camera ? 1 : 0);
    fputs("{\"asset\":{\"version\":\"2.0\",\"generator\":\"Sinew\"}", json);
    if (g->quantise)
        fputs(",\"extensionsUsed\":[\"KHR_mesh_quantization\"],\"extensionsRequired\":[\"KHR_mesh_quantization\"]",
              json);
    fputs(",\"scene\":0,\"scenes\":[{", json);
    for (int i = 0; i < nodes; i++) fprintf(json, i ? ",%d" : "\"nodes\":[%d", i);
    fputs(nodes ? "]}]" : "}]", json);
    if (nodes) fprintf(json, ",\"nodes\":[%s]", g->texts[2]);
    if (g->job->def.camera) {
        const SnExportCamera* c = &g->job->camera;
        fprintf(json,
                ",\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"aspectRatio\":%.9g,\"yfov\":%.9g,"
                "\"znear\":%.9g,\"zfar\":%.9g}}]",
                c->aspect, c->field_of_view * SN_PI / 180, c->near, c->far);
    }
    if (g->job->mesh_count > 0) {
        fprintf(json, ",\"meshes\":[%s],\"materials\":[%s", g->texts[3], g->texts[5]);
        fprintf(json, "],\"accessors\":[%s],\"bufferViews\":[%s],\"buffers\":[{\"byteLength\":%llu}]", g->texts[1],
                g->texts[0], (unsigned long long)g->bytes);
    }
    if (g->channel_count)
        fprintf(json,
                ",\"animations\":[{\"name\":\"frames\",\"samplers\":[{\"input\":%d,\"output\":%d,"
                "\"interpolation\":\"LINEAR\"}],\"channels\":[%s]}]",
                g->times, g->weights, g->texts[4]);
    fputc('}', json);
}

static SnStatus describe(Glb* g)
{
    bool moves = false;
    for (int i = 0; i < g->job->mesh_count; i++) {
        SN_TRY(sn_glb_mesh_make(g->job, &g->job->meshes[i], &g->meshes[i]));
        SN_TRY(describe_mesh(g, &g->meshes[i]));
        describe_node(g, &g->meshes[i]);
        moves = moves || g->meshes[i].target_count;
    }
    if (moves) describe_times(g);
    if (g->job->def.camera) describe_camera(g);
    if (g->bytes <= MOST_BYTES) return SN_OK;
    return sn_fail(SN_ERROR_UNSUPPORTED,
                   "%s would have %.1f GB, and a glTF file can have 2; choose fewer frames (--frames), --quantise, or "
                   "usda",
                   g->job->stream_path, (double)g->bytes / 1e9);
}

static SnStatus write_file(Glb* g, char** text, size_t* size)
{
    FILE *file = g->job->stream, *json = open_memstream(text, size);
    if (!json) return sn_fail_memory("a glTF file", 0);
    write_json(g, json);
    if (fclose(json) != 0) return sn_fail_memory("a glTF file", *size);
    uint32_t padded = (uint32_t)((*size + 3) / 4 * 4), bytes = (uint32_t)g->bytes;
    fwrite((uint32_t[5]){0x46546c67, 2, 20 + padded + (bytes ? 8 + bytes : 0), padded, 0x4e4f534a}, 4, 5, file);
    fprintf(file, "%s%.*s", *text, (int)(padded - *size), "   ");
    if (bytes) fwrite((uint32_t[2]){bytes, 0x004e4942}, 4, 2, file);
    for (int i = 0; i < g->job->mesh_count; i++) SN_TRY(write_mesh(g, &g->meshes[i]));
    if (g->channel_count) write_times(g);
    return SN_OK;
}

static SnStatus make(Glb* g)
{
    FILE** streams[] = {&g->views, &g->accessors, &g->nodes, &g->shapes, &g->channels, &g->materials};
    SnStatus status = SN_NEW(g->meshes, g->job->mesh_count, "meshes") ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; status == SN_OK && i < TEXTS; i++)
        if (!(*streams[i] = open_memstream(&g->texts[i], &g->sizes[i]))) status = sn_fail_memory("a glTF file", 0);
    if (status == SN_OK && g->job->kept > 0) status = describe(g);
    for (int i = 0; i < TEXTS; i++)
        if (*streams[i] && fclose(*streams[i]) != 0 && status == SN_OK) status = sn_fail_memory("a glTF file", 0);
    return status;
}

static SnStatus end(SnExport* job)
{
    Glb g = {.job = job, .quantise = job->def.quantise, .velocities = job->def.velocities};
    char* json = NULL;
    size_t size = 0;
    SnStatus status = make(&g);
    if (status == SN_OK) status = write_file(&g, &json, &size);
    for (int i = 0; g.meshes && i < job->mesh_count; i++) sn_glb_mesh_free(&g.meshes[i]);
    sn_free(g.meshes);
    for (int i = 0; i < TEXTS; i++) free(g.texts[i]);
    free(json);
    return status;
}

static SnStatus begin(SnExport* job)
{
    SN_TRY(sn_export_keep_begin(job));
    return sn_export_open_stream(job, "glb");
}

const SnExporter sn_export_glb = {
    .name = "glb",
    .summary = "glTF, one binary file: bodies, obstacles and camera; frames as morph targets with an animation",
    .scene = true,
    .y_up_metres = true,
    .begin = begin,
    .frame = sn_export_keep_frame,
    .end = end,
};
