// Wavefront .obj: v, f (polygons become fans of triangles) and l (lines become edges); other keywords are passed over.
#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/writer.h"

typedef struct Obj {
    SnReader reader;
    SnMeshBuilder builder;
    int64_t* corners; // of the face or line being read
    int capacity;
} Obj;

static SnStatus read_vertex(Obj* o)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        if (!sn_skip_blanks(&o->reader)) return sn_malformed(&o->reader, "a vertex has three coordinates, not %d", i);
        SN_TRY(sn_read_real(&o->reader, &x[i], "a vertex's coordinate"));
    }
    return sn_builder_node(&o->builder, x);
}

// "7", "7/1", "7/1/3" or "7//3"; only the first number matters here. Negative ones count back from the last vertex.
static SnStatus read_corner(Obj* o, int64_t* node)
{
    SnReader* r = &o->reader;
    const char* at = r->at;
    bool negative = at < r->end && *at == '-';
    int64_t n = 0;
    if (negative) at++;
    const char* digits = at;
    for (; at < r->end && *at >= '0' && *at <= '9' && n <= INT32_MAX; at++) n = 10 * n + (*at - '0');
    bool ends = at == r->end || *at == '/' || *at == ' ' || (*at >= '\t' && *at <= '\r');
    int64_t known = o->builder.mesh->node_count;
    if (at == digits || !ends || n == 0 || (negative && n > known))
        return sn_malformed(r, "a vertex number should be here: 1 is the first vertex, -1 the last of the %lld so far",
                            (long long)known);
    *node = negative ? known - n : n - 1;
    while (at < r->end && (*at == '/' || *at == '-' || (*at >= '0' && *at <= '9'))) at++;
    r->at = at;
    return SN_OK;
}

static SnStatus read_corners(Obj* o, int least, int* count)
{
    for (*count = 0; sn_skip_blanks(&o->reader); ++*count) {
        if (!SN_GROW(o->corners, o->capacity, *count + (int64_t)1, "corners")) return SN_ERROR_MEMORY;
        SN_TRY(read_corner(o, &o->corners[*count]));
    }
    if (*count >= least) return SN_OK;
    return sn_malformed(&o->reader, "%d vertices where at least %d are needed", *count, least);
}

static SnStatus read_face(Obj* o)
{
    int count;
    SN_TRY(read_corners(o, 3, &count));
    return sn_builder_polygon(&o->builder, o->corners, count);
}

static SnStatus read_line(Obj* o)
{
    int count;
    SN_TRY(read_corners(o, 2, &count));
    for (int i = 1; i < count; i++) SN_TRY(sn_builder_element(&o->builder, 1, &o->corners[i - 1]));
    return SN_OK;
}

static SnStatus read_lines(Obj* o, SnMesh** mesh)
{
    SnReader* r = &o->reader;
    SnWord word;
    r->comment = '#';
    SN_TRY(sn_builder_begin(&o->builder, r));
    for (; r->at < r->end; sn_skip_line(r)) {
        if (!sn_skip_blanks(r) || !sn_next_word(r, &word)) continue;
        if (word.length != 1) continue;
        if (word.text[0] == 'v') SN_TRY(read_vertex(o));
        if (word.text[0] == 'f') SN_TRY(read_face(o));
        if (word.text[0] == 'l') SN_TRY(read_line(o));
    }
    return sn_builder_finish(&o->builder, mesh);
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    Obj o = {0};
    SN_TRY(sn_reader_open(&o.reader, path));
    SnStatus status = read_lines(&o, mesh);
    sn_builder_abandon(&o.builder);
    sn_free(o.corners);
    sn_reader_close(&o.reader);
    return status;
}

static SnStatus write(const SnMesh* mesh, const char* path)
{
    SnWriter w;
    SN_TRY(sn_writer_open(&w, path));
    for (int i = 0; i < mesh->node_count; i++) {
        const double* p = mesh->nodes + 3 * (size_t)i;
        sn_write(&w, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int* n = mesh->triangles + 3 * (size_t)i;
        sn_write(&w, "f %d %d %d\n", n[0] + 1, n[1] + 1, n[2] + 1);
    }
    for (int i = 0; i < mesh->edge_count; i++)
        sn_write(&w, "l %d %d\n", mesh->edges[2 * (size_t)i] + 1, mesh->edges[2 * (size_t)i + 1] + 1);
    return sn_writer_close(&w);
}

const SnMeshFormat sn_mesh_obj = {
    .name = "obj",
    .endings = ".obj",
    .summary = "Wavefront triangles and lines; of tetrahedra the surface is written",
    .read = read,
    .write = write,
    .surface = true,
};
