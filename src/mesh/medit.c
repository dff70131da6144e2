// medit .mesh, text: keywords followed by a count and as many lines. Reference numbers other than 0 become groups
// (https://www.ljll.fr/frey/logiciels/Docmedit.dir/).
#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/slab.h"
#include "mesh/writer.h"

#include <ctype.h>

typedef struct Medit {
    SnReader reader;
    SnMeshBuilder builder;
    int dimension; // 2 or 3 coordinates per vertex
} Medit;

static SnStatus read_reference(Medit* m, int64_t* reference)
{
    return sn_read_integer(&m->reader, INT32_MIN, INT32_MAX, reference, "a reference number");
}

static SnStatus read_vertices(Medit* m, int count)
{
    for (int i = 0; i < count; i++) {
        double x[3] = {0, 0, 0};
        int64_t reference;
        sn_reader_release(&m->reader);
        for (int j = 0; j < m->dimension; j++) SN_TRY(sn_read_real(&m->reader, &x[j], "a vertex's coordinate"));
        SN_TRY(read_reference(m, &reference));
        SN_TRY(sn_builder_node(&m->builder, x));
        if (reference) SN_TRY(sn_builder_join(&m->builder, 0, (int)reference, -1));
    }
    return SN_OK;
}

static SnStatus read_elements(Medit* m, int dimension, int count)
{
    for (int i = 0; i < count; i++) {
        int64_t nodes[4], reference;
        sn_reader_release(&m->reader);
        for (int j = 0; j <= dimension; j++) {
            SN_TRY(sn_read_integer(&m->reader, 1, SN_MESH_MOST, &nodes[j], "a vertex number (counted from 1)"));
            nodes[j]--;
        }
        SN_TRY(sn_builder_element(&m->builder, dimension, nodes));
        SN_TRY(read_reference(m, &reference));
        if (reference) SN_TRY(sn_builder_join(&m->builder, dimension, (int)reference, -1));
    }
    return SN_OK;
}

enum { REFUSED = -1 };
static const struct Keyword {
    const char* name;
    int numbers;   // per line
    int dimension; // of the elements, 0: vertices
} keywords[] = {
    {"Vertices", 3, 0},        {"Edges", 3, 1},
    {"Triangles", 4, 2},       {"Tetrahedra", 5, 3},
    {"Hexahedra", 9, REFUSED}, {"Hexaedra", 9, REFUSED},
    {"Prisms", 7, REFUSED},    {"Pentahedra", 7, REFUSED},
    {"Pyramids", 6, REFUSED},  {"Quadrilaterals", 5, REFUSED},
};

// A keyword that does not concern us, such as RequiredEdges: the numbers after it.
static void skip_numbers(Medit* m)
{
    SnWord word;
    while (sn_peek_word(&m->reader, &word) && !isalpha((unsigned char)word.text[0])) m->reader.at += word.length;
}

static SnStatus read_list(Medit* m, SnWord word)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (!sn_word_is(word, keywords[i].name)) continue;
        int count, dimension = keywords[i].dimension;
        SN_TRY(sn_read_count(&m->reader, 2 * (size_t)keywords[i].numbers, &count, keywords[i].name));
        if (dimension == REFUSED && count > 0)
            return sn_reader_fail(&m->reader, word.text, SN_ERROR_UNSUPPORTED,
                                  "%s; edges, triangles and tetrahedra can be read", keywords[i].name);
        return dimension == 0 ? read_vertices(m, count) : read_elements(m, dimension, count);
    }
    if (!isalpha((unsigned char)word.text[0]))
        return sn_reader_fail(&m->reader, word.text, SN_ERROR_FORMAT,
                              "a keyword such as Vertices or Tetrahedra should be here, not '%.*s'",
                              word.length < 32 ? word.length : 32, word.text);
    skip_numbers(m);
    return SN_OK;
}

static SnStatus read_all(Medit* m, SnSlab* slab, SnMesh** mesh)
{
    SnWord word;
    int64_t number;
    m->reader.comment = '#';
    m->dimension = 3;
    SN_TRY(sn_builder_begin_slab(&m->builder, &m->reader, slab));
    SN_TRY(sn_read_word(&m->reader, &word, "MeshVersionFormatted"));
    if (!sn_word_is(word, "MeshVersionFormatted"))
        return sn_reader_fail(&m->reader, word.text, SN_ERROR_FORMAT, "a medit file starts with MeshVersionFormatted");
    SN_TRY(sn_read_integer(&m->reader, 1, 4, &number, "the format version"));
    while (sn_next_word(&m->reader, &word) && !sn_word_is(word, "End")) {
        if (sn_word_is(word, "Dimension")) {
            SN_TRY(sn_read_integer(&m->reader, 2, 3, &number, "the dimension"));
            m->dimension = (int)number;
        } else {
            SN_TRY(read_list(m, word));
        }
    }
    return sn_builder_finish(&m->builder, mesh);
}

static SnStatus read_file(const char* path, SnSlab* slab, SnMesh** mesh)
{
    Medit m = {0};
    SN_TRY((slab ? sn_reader_open_mapped : sn_reader_open)(&m.reader, path));
    SnStatus status = read_all(&m, slab, mesh);
    sn_builder_abandon(&m.builder);
    sn_reader_close(&m.reader);
    return status;
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    return read_file(path, NULL, mesh);
}

static SnStatus read_slab(const char* path, SnSlab* slab)
{
    SnMesh* none = NULL;
    return read_file(path, slab, &none);
}

static SnStatus write_list(SnWriter* w, const SnMesh* mesh, int dimension)
{
    static const char* const names[] = {"Vertices", "Edges", "Triangles", "Tetrahedra"};
    int count = sn_mesh_count_of(mesh, dimension), *references;
    const int* list = sn_mesh_list_of(mesh, dimension);
    if (count == 0) return SN_OK;
    SN_TRY(sn_mesh_first_tags(mesh, dimension, &references));
    sn_write(w, "\n%s\n%d\n", names[dimension], count);
    for (int i = 0; i < count; i++) {
        if (dimension == 0) {
            const double* p = mesh->nodes + 3 * (size_t)i;
            sn_write(w, "%.17g %.17g %.17g ", p[0], p[1], p[2]);
        }
        for (int j = 0; dimension > 0 && j <= dimension; j++)
            sn_write(w, "%d ", list[(size_t)(dimension + 1) * (size_t)i + (size_t)j] + 1);
        sn_write(w, "%d\n", references[i]);
    }
    sn_free(references);
    return SN_OK;
}

static SnStatus write(const SnMesh* mesh, const char* path)
{
    SnWriter w;
    SN_TRY(sn_writer_open(&w, path));
    sn_write(&w, "MeshVersionFormatted 2\nDimension 3\n");
    SnStatus status = SN_OK;
    for (int dimension = 0; dimension < 4 && status == SN_OK; dimension++) status = write_list(&w, mesh, dimension);
    sn_write(&w, "\nEnd\n");
    SnStatus closed = sn_writer_close(&w);
    return status == SN_OK ? closed : status;
}

const SnMeshFormat sn_mesh_medit = {
    .name = "medit",
    .endings = ".mesh",
    .summary = "medit text; reference numbers are groups",
    .read = read,
    .read_slab = read_slab,
    .write = write,
};
