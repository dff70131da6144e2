// Wavefront .obj: v (also with colours), vt, vn, f (polygons become fans of triangles), l (lines become edges), o, g,
// usemtl and s; other keywords are passed over.
#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/faces.h"
#include "mesh/writer.h"

typedef struct Obj {
    SnReader reader;
    SnMeshBuilder builder;
    int64_t* corners[3]; // of the face or line being read: vertices, texture coordinates, normals; -1: none
    int capacity[3];
} Obj;

enum { VERTEX, UV, NORMAL };

static SnStatus read_vertex(Obj* o)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        if (!sn_skip_blanks(&o->reader)) return sn_malformed(&o->reader, "a vertex has three coordinates, not %d", i);
        SN_TRY(sn_read_real(&o->reader, &x[i], "a vertex's coordinate"));
    }
    SN_TRY(sn_builder_node(&o->builder, x));
    double more[4];
    int count = 0;
    while (count < 4 && sn_skip_blanks(&o->reader)) SN_TRY(sn_read_real(&o->reader, &more[count++], "a vertex"));
    if (count < 3) return SN_OK; // a fourth coordinate, which is 1 for everybody
    return sn_builder_colour(&o->builder, (const float[]){(float)more[0], (float)more[1], (float)more[2], 1});
}

// vt u [v [w]], vn x y z
static SnStatus read_attribute(Obj* o, int kind)
{
    double x[3] = {0};
    for (int i = 0; i < (kind == UV ? 2 : 3); i++) {
        if (!sn_skip_blanks(&o->reader) && (kind == NORMAL || i == 0))
            return sn_malformed(&o->reader, kind == UV ? "a texture coordinate has one to three numbers, not none"
                                                       : "a normal has three numbers");
        if (!sn_skip_blanks(&o->reader)) break;
        SN_TRY(sn_read_real(&o->reader, &x[i], kind == UV ? "a texture coordinate" : "a normal"));
    }
    return kind == UV ? sn_builder_uv(&o->builder, x) : sn_builder_normal(&o->builder, x);
}

// One number of a corner; negative ones count back from the last of their kind.
static SnStatus read_number(Obj* o, int kind, int64_t* number)
{
    static const char* const names[] = {"vertex", "texture coordinate", "normal"};
    const SnFaces* faces = &o->builder.faces.faces;
    SnReader* r = &o->reader;
    const char* at = r->at;
    bool negative = at < r->end && *at == '-';
    int64_t n = 0;
    if (negative) at++;
    const char* digits = at;
    for (; at < r->end && *at >= '0' && *at <= '9' && n <= INT32_MAX; at++) n = 10 * n + (*at - '0');
    bool ends = at == r->end || *at == '/' || *at == ' ' || (*at >= '\t' && *at <= '\r');
    int64_t known = kind == VERTEX ? o->builder.mesh->node_count : kind == UV ? faces->uv_count : faces->normal_count;
    if (at == digits || !ends || n == 0 || (negative && n > known))
        return sn_malformed(r, "a %s number should be here: 1 is the first %s, -1 the last of the %lld so far",
                            names[kind], names[kind], (long long)known);
    *number = negative ? known - n : n - 1;
    r->at = at;
    return SN_OK;
}

// "7", "7/1", "7/1/3" or "7//3"
static SnStatus read_corner(Obj* o, int place)
{
    SnReader* r = &o->reader;
    SN_TRY(read_number(o, VERTEX, &o->corners[VERTEX][place]));
    for (int kind = UV; kind <= NORMAL; kind++) {
        o->corners[kind][place] = -1;
        if (r->at == r->end || *r->at != '/') continue;
        r->at++;
        bool there = r->at < r->end && (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'));
        if (there) SN_TRY(read_number(o, kind, &o->corners[kind][place]));
    }
    return SN_OK;
}

static SnStatus read_corners(Obj* o, int least, int* count)
{
    for (*count = 0; sn_skip_blanks(&o->reader); ++*count) {
        for (int kind = VERTEX; kind <= NORMAL; kind++)
            if (!SN_GROW(o->corners[kind], o->capacity[kind], *count + (int64_t)1, "corners")) return SN_ERROR_MEMORY;
        SN_TRY(read_corner(o, *count));
    }
    if (*count >= least) return SN_OK;
    return sn_malformed(&o->reader, "%d vertices where at least %d are needed", *count, least);
}

static SnStatus read_face(Obj* o)
{
    int count;
    SN_TRY(read_corners(o, 3, &count));
    bool has[3] = {0};
    for (int i = 0; i < count; i++)
        for (int kind = UV; kind <= NORMAL; kind++) has[kind] = has[kind] || o->corners[kind][i] >= 0;
    return sn_builder_face(&o->builder, o->corners[VERTEX], has[UV] ? o->corners[UV] : NULL,
                           has[NORMAL] ? o->corners[NORMAL] : NULL, count);
}

static SnStatus read_line(Obj* o)
{
    int count;
    SN_TRY(read_corners(o, 2, &count));
    for (int i = 1; i < count; i++) SN_TRY(sn_builder_element(&o->builder, 1, &o->corners[VERTEX][i - 1]));
    return SN_OK;
}

// The rest of the line, without blanks at its ends.
static SnStatus read_name(Obj* o, SnFaceGroupKind kind)
{
    SnReader* r = &o->reader;
    sn_skip_blanks(r);
    const char* end = r->at;
    while (end < r->end && *end != '\n' && *end != '\r' && *end) end++;
    while (end > r->at && (end[-1] == ' ' || end[-1] == '\t')) end--;
    char* name = sn_copy_word((SnWord){r->at, end - r->at < 1024 ? (int)(end - r->at) : 1024});
    if (!name) return SN_ERROR_MEMORY;
    SnStatus status = sn_builder_face_group(&o->builder, kind, name);
    sn_free(name);
    return status;
}

// s 3, s off
static SnStatus read_smoothing(Obj* o)
{
    SnWord word;
    int64_t group = 0;
    if (sn_skip_blanks(&o->reader) && sn_peek_word(&o->reader, &word) && !sn_word_is(word, "off"))
        SN_TRY(sn_read_integer(&o->reader, 0, INT32_MAX, &group, "a smoothing group, or off"));
    sn_builder_smoothing(&o->builder, (int)group);
    return SN_OK;
}

static SnStatus read_statement(Obj* o, SnWord word)
{
    if (sn_word_is(word, "v")) return read_vertex(o);
    if (sn_word_is(word, "vt")) return read_attribute(o, UV);
    if (sn_word_is(word, "vn")) return read_attribute(o, NORMAL);
    if (sn_word_is(word, "f")) return read_face(o);
    if (sn_word_is(word, "l")) return read_line(o);
    if (sn_word_is(word, "o")) return read_name(o, SN_FACE_OBJECT);
    if (sn_word_is(word, "g")) return read_name(o, SN_FACE_GROUP);
    if (sn_word_is(word, "usemtl")) return read_name(o, SN_FACE_MATERIAL);
    return sn_word_is(word, "s") ? read_smoothing(o) : SN_OK;
}

static SnStatus read_lines(Obj* o, SnMesh** mesh)
{
    SnReader* r = &o->reader;
    SnWord word;
    r->comment = '#';
    SN_TRY(sn_builder_begin(&o->builder, r));
    for (; r->at < r->end; sn_skip_line(r)) {
        if (!sn_skip_blanks(r) || !sn_next_word(r, &word)) continue;
        SN_TRY(read_statement(o, word));
    }
    return sn_builder_finish(&o->builder, mesh);
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    Obj o = {0};
    SN_TRY(sn_reader_open(&o.reader, path));
    SnStatus status = read_lines(&o, mesh);
    sn_builder_abandon(&o.builder);
    SN_FREE(o.corners[0], o.corners[1], o.corners[2]);
    sn_reader_close(&o.reader);
    return status;
}

// --- writing ---

// o, g, usemtl and s, where they change; names that end at a line's end.
static void write_state(SnWriter* w, const SnFaces* f, int* const numbers[3], int face)
{
    static const char* const words[] = {"o", "g", "usemtl"};
    for (int kind = 0; kind < 3; kind++) {
        int now = numbers[kind][face], before = face > 0 ? numbers[kind][face - 1] : 0;
        if (now == before) continue;
        sn_write(w, now ? "%s %s\n" : "%s\n", words[kind], now ? f->groups[now - 1].name : "");
    }
    if (!f->smoothing || (face > 0 && f->smoothing[face] == f->smoothing[face - 1])) return;
    sn_write(w, f->smoothing[face] ? "s %d\n" : "s off\n", f->smoothing[face]);
}

// "7", "7/1", "7/1/3" or "7//3"
static void write_corner(SnWriter* w, const SnFaces* f, int corner)
{
    int uv = f->corner_uvs ? f->corner_uvs[corner] : -1, normal = f->corner_normals ? f->corner_normals[corner] : -1;
    sn_write(w, " %d", f->corners[corner] + 1);
    if (uv >= 0) sn_write(w, "/%d", uv + 1);
    if (normal >= 0) sn_write(w, uv >= 0 ? "/%d" : "//%d", normal + 1);
}

static SnStatus write_faces(SnWriter* w, const SnFaces* f)
{
    int* numbers[3] = {0};
    bool room = sn_faces_number_groups(f, numbers);
    for (int i = 0; i < f->uv_count; i++)
        sn_write(w, "vt %.17g %.17g\n", f->uvs[2 * (size_t)i], f->uvs[2 * (size_t)i + 1]);
    for (int i = 0; i < f->normal_count; i++) {
        const double* n = f->normals + 3 * (size_t)i;
        sn_write(w, "vn %.17g %.17g %.17g\n", n[0], n[1], n[2]);
    }
    for (int i = 0; room && i < f->count; i++) {
        write_state(w, f, numbers, i);
        sn_write(w, "f");
        for (int k = f->start[i]; k < f->start[i + 1]; k++) write_corner(w, f, k);
        sn_write(w, "\n");
    }
    SN_FREE(numbers[0], numbers[1], numbers[2]);
    return room ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus write(const SnMesh* mesh, const char* path)
{
    SnWriter w;
    SnStatus status = SN_OK;
    const float* colours = mesh->faces ? mesh->faces->colours : NULL;
    SN_TRY(sn_writer_open(&w, path));
    for (int i = 0; i < mesh->node_count; i++) {
        const double* p = mesh->nodes + 3 * (size_t)i;
        const float* c = colours ? colours + 4 * (size_t)i : NULL;
        sn_write(&w, "v %.17g %.17g %.17g", p[0], p[1], p[2]);
        if (colours) sn_write(&w, " %.9g %.9g %.9g", (double)c[0], (double)c[1], (double)c[2]);
        sn_write(&w, "\n");
    }
    if (mesh->faces) status = write_faces(&w, mesh->faces);
    for (int i = 0; !mesh->faces && i < mesh->triangle_count; i++) {
        const int* n = mesh->triangles + 3 * (size_t)i;
        sn_write(&w, "f %d %d %d\n", n[0] + 1, n[1] + 1, n[2] + 1);
    }
    for (int i = 0; i < mesh->edge_count; i++)
        sn_write(&w, "l %d %d\n", mesh->edges[2 * (size_t)i] + 1, mesh->edges[2 * (size_t)i + 1] + 1);
    SnStatus closed = sn_writer_close(&w);
    return status == SN_OK ? closed : status;
}

const SnMeshFormat sn_mesh_obj = {
    .name = "obj",
    .endings = ".obj",
    .summary = "Wavefront polygons and lines with UVs, normals, groups, smoothing and colours; of tetrahedra the "
               "surface is written",
    .read = read,
    .write = write,
    .surface = true,
};
