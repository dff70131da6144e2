// .stl, text and binary: triangles without shared vertices; those with the same coordinates are made one.
#include "linalg/vec3.h"
#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/writer.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 84, RECORD = 50 }; // bytes: of a binary file's header with its count, and of each triangle

typedef struct Corner {
    double x[3];
    int index; // in the file
} Corner;

typedef struct Stl {
    SnReader reader;
    SnMeshBuilder builder;
    Corner* corners;
    int count, capacity;
    int* node; // of each corner
} Stl;

static SnStatus add_corner(Stl* s, const double x[3])
{
    if (!SN_GROW(s->corners, s->capacity, s->count + (int64_t)1, "triangles")) return SN_ERROR_MEMORY;
    Corner* corner = &s->corners[s->count];
    for (int i = 0; i < 3; i++) corner->x[i] = x[i] == 0 ? 0 : x[i]; // -0 is 0
    corner->index = s->count++;
    return SN_OK;
}

static SnStatus read_binary(Stl* s, int64_t count)
{
    double x[3];
    const void* ignored;
    s->reader.at = s->reader.bytes + HEADER;
    for (int64_t t = 0; t < count; t++) {
        SN_TRY(sn_read_bytes(&s->reader, 12, &ignored, "a normal"));
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) SN_TRY(sn_read_binary_real(&s->reader, SN_FLOAT32, &x[i], "a coordinate"));
            SN_TRY(add_corner(s, x));
        }
        SN_TRY(sn_read_bytes(&s->reader, 2, &ignored, "a triangle's attribute"));
    }
    return SN_OK;
}

// facet ... outer loop, vertex x y z (at least three times), endloop, endfacet.
static SnStatus read_facet(Stl* s)
{
    SnWord word;
    double x[3];
    int corners = 0;
    sn_skip_line(&s->reader); // the normal follows from the vertices
    for (;;) {
        SN_TRY(sn_read_word(&s->reader, &word, "endfacet"));
        if (sn_word_is(word, "endfacet")) break;
        if (sn_word_is(word, "outer") || sn_word_is(word, "loop") || sn_word_is(word, "endloop")) continue;
        if (!sn_word_is(word, "vertex"))
            return sn_reader_fail(&s->reader, word.text, SN_ERROR_FORMAT, "vertex or endfacet should be here");
        for (int i = 0; i < 3; i++) SN_TRY(sn_read_real(&s->reader, &x[i], "a coordinate"));
        SN_TRY(add_corner(s, x));
        corners++;
    }
    if (corners == 3) return SN_OK;
    return sn_reader_fail(&s->reader, word.text, SN_ERROR_FORMAT, "a facet of %d vertices; it must have 3", corners);
}

static SnStatus read_text(Stl* s)
{
    SnWord word;
    while (sn_next_word(&s->reader, &word)) {
        if (sn_word_is(word, "solid") || sn_word_is(word, "endsolid"))
            sn_skip_line(&s->reader); // with a name
        else if (sn_word_is(word, "facet"))
            SN_TRY(read_facet(s));
        else
            return sn_reader_fail(&s->reader, word.text, SN_ERROR_FORMAT, "facet or endsolid should be here");
    }
    return SN_OK;
}

// A binary file may start with "solid" too, so its size decides.
static SnStatus read_corners(Stl* s)
{
    SnReader* r = &s->reader;
    int64_t count = -1;
    if (r->size >= HEADER) {
        r->at = r->bytes + HEADER - 4;
        SN_TRY(sn_read_binary_integer(r, SN_UINT32, &count, "the number of triangles"));
    }
    if (count >= 0 && r->size == HEADER + RECORD * (uint64_t)count) {
        r->binary = true;
        return read_binary(s, count);
    }
    r->at = r->bytes;
    SnWord word;
    if (sn_peek_word(r, &word) && sn_word_is(word, "solid")) return read_text(s);
    r->binary = true;
    if (count < 0)
        return sn_reader_fail(r, r->end, SN_ERROR_FORMAT, "an STL file starts with 'solid' or has a header of %d bytes",
                              HEADER);
    return sn_reader_fail(r, r->bytes + HEADER - 4, SN_ERROR_FORMAT,
                          "%lld triangles need a file of %lld bytes, and this one has %zu", (long long)count,
                          (long long)(HEADER + RECORD * count), r->size);
}

// By bits, so that not-a-number is equal to itself and the order is one.
static int compare_corners(const void* left, const void* right)
{
    const Corner *a = left, *b = right;
    int order = memcmp(a->x, b->x, sizeof a->x);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

// Nodes are numbered in the order in which the file first names them.
static SnStatus merge_corners(Stl* s)
{
    if (!SN_NEW(s->node, s->count, "vertices")) return SN_ERROR_MEMORY;
    qsort(s->corners, (size_t)s->count, sizeof *s->corners, compare_corners);
    for (int i = 0, first = 0; i < s->count; i++) {
        if (memcmp(s->corners[i].x, s->corners[first].x, sizeof s->corners[i].x) != 0) first = i;
        s->node[s->corners[i].index] = -1 - s->corners[first].index; // the first corner there
    }
    Corner* corners;
    if (!SN_NEW(corners, s->count, "vertices")) return SN_ERROR_MEMORY;
    for (int i = 0; i < s->count; i++) corners[s->corners[i].index] = s->corners[i];
    sn_free(s->corners);
    s->corners = corners;
    for (int i = 0; i < s->count; i++) {
        int first = -1 - s->node[i];
        if (first == i) SN_TRY(sn_builder_node(&s->builder, s->corners[i].x));
        s->node[i] = first == i ? s->builder.mesh->node_count - 1 : s->node[first];
    }
    for (int i = 0; i + 2 < s->count; i += 3)
        SN_TRY(sn_builder_element(&s->builder, 2, (const int64_t[]){s->node[i], s->node[i + 1], s->node[i + 2]}));
    return SN_OK;
}

static SnStatus read_all(Stl* s, SnMesh** mesh)
{
    SN_TRY(sn_builder_begin(&s->builder, &s->reader));
    SN_TRY(read_corners(s));
    if (s->count > 0) SN_TRY(merge_corners(s));
    return sn_builder_finish(&s->builder, mesh);
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    Stl s = {0};
    SN_TRY(sn_reader_open(&s.reader, path));
    SnStatus status = read_all(&s, mesh);
    sn_builder_abandon(&s.builder);
    SN_FREE(s.corners, s.node);
    sn_reader_close(&s.reader);
    return status;
}

static void write_triangle(SnWriter* w, const SnMesh* mesh, const int* nodes)
{
    const double* p[3];
    double u[3], v[3];
    for (int i = 0; i < 3; i++) p[i] = mesh->nodes + 3 * (size_t)nodes[i];
    for (int i = 0; i < 3; i++) u[i] = p[1][i] - p[0][i], v[i] = p[2][i] - p[0][i];
    double n[3];
    sn_cross3(u, v, n);
    double length = sn_length3(n);
    if (!(length > 0)) length = 1;
    sn_write(w, "facet normal %g %g %g\nouter loop\n", n[0] / length, n[1] / length, n[2] / length);
    for (int i = 0; i < 3; i++) sn_write(w, "vertex %.17g %.17g %.17g\n", p[i][0], p[i][1], p[i][2]);
    sn_write(w, "endloop\nendfacet\n");
}

static SnStatus write(const SnMesh* mesh, const char* path)
{
    SnWriter w;
    if (mesh->triangle_count == 0)
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: STL files hold triangles, and this mesh has none", path);
    SN_TRY(sn_writer_open(&w, path));
    sn_write(&w, "solid sinew\n");
    for (int i = 0; i < mesh->triangle_count; i++) write_triangle(&w, mesh, mesh->triangles + 3 * (size_t)i);
    sn_write(&w, "endsolid sinew\n");
    return sn_writer_close(&w);
}

const SnMeshFormat sn_mesh_stl = {
    .name = "stl",
    .endings = ".stl",
    .summary = "triangles, text or binary, equal vertices made one; written as text",
    .read = read,
    .write = write,
    .surface = true,
};
