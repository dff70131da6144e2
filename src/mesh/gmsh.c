// gmsh .msh: the header, the sections and their order. Versions 2.x, 4.0 and 4.1, text and binary
// (https://gmsh.info/doc/texinfo/gmsh.html#MSH-file-format).
#include "mesh/gmsh.h"

#include <string.h>

SnStatus sn_gmsh_int(Gmsh* g, int64_t* value, const char* what)
{
    if (g->binary) return sn_read_binary_integer(&g->reader, SN_INT32, value, what);
    return sn_read_integer(&g->reader, -INT32_MAX, INT32_MAX, value, what);
}

SnStatus sn_gmsh_size(Gmsh* g, int64_t* value, const char* what)
{
    if (g->binary) return sn_read_binary_integer(&g->reader, g->size_type, value, what);
    return sn_read_integer(&g->reader, 0, INT64_MAX, value, what);
}

SnStatus sn_gmsh_real(Gmsh* g, double* value, const char* what)
{
    if (g->binary) return sn_read_binary_real(&g->reader, SN_FLOAT64, value, what);
    return sn_read_real(&g->reader, value, what);
}

SnStatus sn_gmsh_fits(Gmsh* g, int64_t count, int ints, int sizes, int reals, const char* what)
{
    size_t bytes = g->binary ? 4 * (size_t)ints + sn_number_size(g->size_type) * (size_t)sizes + 8 * (size_t)reals
                             : 2 * (size_t)(ints + sizes + reals);
    return sn_reader_fits(&g->reader, count, bytes, what);
}

static SnStatus read_byte_order(Gmsh* g)
{
    sn_skip_line(&g->reader);
    const void* bytes;
    SN_TRY(sn_read_bytes(&g->reader, 4, &bytes, "the number 1 that shows the byte order"));
    if (memcmp(bytes, "\1\0\0\0", 4) == 0) return SN_OK;
    g->reader.big_endian = memcmp(bytes, "\0\0\0\1", 4) == 0;
    if (g->reader.big_endian) return SN_OK;
    return sn_reader_fail(&g->reader, bytes, SN_ERROR_FORMAT, "the number 1 that shows the byte order is missing");
}

static SnStatus read_format(Gmsh* g)
{
    double version;
    int64_t binary, size;
    sn_skip_space(&g->reader);
    const char* where = g->reader.at;
    SN_TRY(sn_read_real(&g->reader, &version, "the format version"));
    if (version >= 2 && version < 3)
        g->version = GMSH_2_2;
    else if (version == 4 || version == 4.1)
        g->version = version == 4 ? GMSH_4_0 : GMSH_4_1;
    else
        return sn_reader_fail(&g->reader, where, SN_ERROR_UNSUPPORTED,
                              "format version %g; 2.2, 4.0 and 4.1 can be read (gmsh -format msh41 converts)", version);
    SN_TRY(sn_read_integer(&g->reader, 0, 1, &binary, "the file type (0: text, 1: binary)"));
    SN_TRY(sn_read_integer(&g->reader, 4, 8, &size, "the data size (4 or 8)"));
    g->size_type = g->version == GMSH_4_1 && size == 4 ? SN_UINT32 : SN_UINT64;
    g->binary = g->reader.binary = binary == 1;
    return g->binary ? read_byte_order(g) : SN_OK;
}

static SnStatus read_physical_names(Gmsh* g)
{
    int count;
    SN_TRY(sn_read_count(&g->reader, 6, &count, "physical names"));
    for (int i = 0; i < count; i++) {
        int64_t dimension, tag;
        char* name;
        SN_TRY(sn_read_integer(&g->reader, 0, 3, &dimension, "the dimension of a physical group"));
        SN_TRY(sn_read_integer(&g->reader, -INT32_MAX, INT32_MAX, &tag, "the tag of a physical group"));
        SN_TRY(sn_read_quoted(&g->reader, &name, "the name of a physical group"));
        SnStatus status = sn_builder_name_group(&g->builder, (int)dimension, (int)tag, name);
        sn_free(name);
        SN_TRY(status);
    }
    return SN_OK;
}

static const struct Section {
    const char* name;
    bool text; // in binary files too, at least at its start
    SnStatus (*read)(Gmsh* g);
} sections[] = {
    {"MeshFormat", true, read_format},          {"PhysicalNames", true, read_physical_names},
    {"Entities", false, sn_gmsh_read_entities}, {"PartitionedEntities", false, sn_gmsh_read_partitioned_entities},
    {"Nodes", false, sn_gmsh_read_nodes},       {"Elements", false, sn_gmsh_read_elements},
    {"NodeData", true, sn_gmsh_read_node_data}, {"ElementData", true, sn_gmsh_read_element_data},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static const struct Section* find_section(SnWord name)
{
    for (int i = 0; i < SECTIONS; i++)
        if (sn_word_is(name, sections[i].name)) return &sections[i];
    return NULL;
}

static SnStatus expect_end(Gmsh* g, SnWord name)
{
    SnWord word;
    if (sn_peek_word(&g->reader, &word) && word.length == name.length + 4 && memcmp(word.text, "$End", 4) == 0 &&
        memcmp(word.text + 4, name.text, (size_t)name.length) == 0) {
        g->reader.at += word.length;
        return SN_OK;
    }
    return sn_malformed(&g->reader, "$End%.*s should be here", name.length, name.text);
}

// A section that does not concern us: on to its end, whatever the bytes between.
static SnStatus skip_section(Gmsh* g, SnWord name)
{
    char marker[64];
    if (name.length > 50) return sn_reader_fail(&g->reader, name.text, SN_ERROR_FORMAT, "this is not a section");
    memcpy(marker, "$End", 4);
    memcpy(marker + 4, name.text, (size_t)name.length);
    size_t length = (size_t)name.length + 4;
    const char* end = memmem(g->reader.at, (size_t)(g->reader.end - g->reader.at), marker, length);
    if (!end)
        return sn_reader_fail(&g->reader, name.text, SN_ERROR_FORMAT, "$%.*s is not ended by $End%.*s", name.length,
                              name.text, name.length, name.text);
    g->reader.at = end + length;
    return SN_OK;
}

static SnStatus read_section(Gmsh* g, bool first)
{
    SnWord word;
    SN_TRY(sn_read_word(&g->reader, &word, "a section such as $MeshFormat"));
    if (word.text[0] != '$' || word.length < 2)
        return sn_reader_fail(&g->reader, word.text, SN_ERROR_FORMAT, "a section such as $MeshFormat should be here%s",
                              word.text[0] == '(' ? "; this looks like ANSYS's format, which is another one" : "");
    SnWord name = {word.text + 1, word.length - 1};
    const struct Section* section = find_section(name);
    if (first && section != &sections[0])
        return sn_reader_fail(&g->reader, word.text, SN_ERROR_FORMAT,
                              "a gmsh file starts with $MeshFormat; older versions must be converted");
    if (!first && section == &sections[0])
        return sn_reader_fail(&g->reader, word.text, SN_ERROR_FORMAT, "a second $MeshFormat");
    if (!section) return skip_section(g, name);
    if (g->binary && !section->text) sn_skip_line(&g->reader);
    SN_TRY(section->read(g));
    return expect_end(g, name);
}

static SnStatus read_sections(Gmsh* g, SnMesh** mesh)
{
    SN_TRY(sn_builder_begin_slab(&g->builder, &g->reader, g->slab));
    SN_TRY(read_section(g, true));
    for (;;) {
        sn_skip_space(&g->reader);
        if (g->reader.at == g->reader.end) break;
        SN_TRY(read_section(g, false));
    }
    SnMesh* built = g->builder.mesh;
    if (g->skipped && built->tetrahedron_count + built->triangle_count + built->edge_count == 0)
        return sn_reader_fail(&g->reader, NULL, SN_ERROR_UNSUPPORTED,
                              "all %d elements are of higher order; save the mesh with Mesh.ElementOrder = 1",
                              g->skipped);
    return sn_builder_finish(&g->builder, mesh);
}

static SnStatus read_file(const char* path, struct SnSlab* slab, SnMesh** mesh)
{
    Gmsh g = {.slab = slab};
    SN_TRY((slab ? sn_reader_open_mapped : sn_reader_open)(&g.reader, path));
    SnStatus status = read_sections(&g, mesh);
    sn_builder_abandon(&g.builder);
    sn_tags_free(&g.nodes);
    for (int i = 0; i < 4; i++) sn_tags_free(&g.elements[i]);
    SN_FREE(g.entities, g.physicals);
    sn_reader_close(&g.reader);
    return status;
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    return read_file(path, NULL, mesh);
}

static SnStatus read_slab(const char* path, struct SnSlab* slab)
{
    SnMesh* none = NULL;
    return read_file(path, slab, &none);
}

const SnMeshFormat sn_mesh_gmsh = {
    .name = "gmsh",
    .endings = ".msh",
    .summary = "gmsh 2.2, 4.0 and 4.1, text and binary; written as 4.1 text if not told otherwise",
    .read = read,
    .read_slab = read_slab,
    .write = sn_gmsh_write,
    .write_as = sn_gmsh_write_as,
};
