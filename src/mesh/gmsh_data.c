// gmsh .msh: $NodeData and $ElementData become fields; what the file leaves out is not a number.
#include "mesh/gmsh.h"

#include "mesh/elements.h"
#include "mesh/raise.h"

#include <math.h>

enum { MOST_COMPONENTS = 1 << 20 };

typedef struct Header {
    char* name;
    int components;
    int64_t entries;
} Header;

static SnStatus read_strings(Gmsh* g, Header* header)
{
    int count;
    SN_TRY(sn_read_count(&g->reader, 2, &count, "text tags"));
    for (int i = 0; i < count; i++) {
        char* text;
        SN_TRY(sn_read_quoted(&g->reader, &text, "the name of the data"));
        if (i == 0)
            header->name = text;
        else
            sn_free(text);
    }
    if (!header->name) header->name = sn_copy_text("data");
    return header->name ? SN_OK : SN_ERROR_MEMORY;
}

// Texts (the name first), reals (the time), integers (step, components, entries, ...); text in binary files too.
static SnStatus read_header(Gmsh* g, Header* header)
{
    int count;
    double real;
    int64_t integers[3] = {0, 0, 0}, value;
    SN_TRY(read_strings(g, header));
    SN_TRY(sn_read_count(&g->reader, 2, &count, "real tags"));
    for (int i = 0; i < count; i++) SN_TRY(sn_read_real(&g->reader, &real, "a real tag"));
    SN_TRY(sn_read_count(&g->reader, 2, &count, "integer tags"));
    for (int i = 0; i < count; i++) {
        SN_TRY(sn_read_integer(&g->reader, INT32_MIN, INT32_MAX, &value, "an integer tag"));
        if (i < 3) integers[i] = value;
    }
    if (count < 3 || integers[1] < 1 || integers[1] > MOST_COMPONENTS || integers[2] < 0)
        return sn_malformed(&g->reader, "integer tags must be step, components (at least 1) and number of entries");
    header->components = (int)integers[1];
    header->entries = integers[2];
    if (g->binary) sn_skip_line(&g->reader);
    return sn_gmsh_fits(g, header->entries, 1, 0, header->components, "entries");
}

// Entries of other elements, such as those of lower dimension, have no place in a field and are passed over.
static SnStatus read_entries(Gmsh* g, const Header* header, bool per_node, const SnTags* tags)
{
    const SnMeshBuilder* b = &g->builder;
    int top = sn_mesh_top_dimension(b->mesh);
    int parts = !per_node && b->quadratics[top] ? sn_quadratic_parts[top] : 1, count = parts * tags->count;
    double *values = NULL, value;
    for (int64_t i = 0; i < header->entries; i++) {
        int64_t tag;
        SN_TRY(sn_gmsh_int(g, &tag, "the tag of an entry"));
        int index = sn_tags_find(tags, tag);
        if (index < 0 && per_node)
            return sn_malformed(&g->reader, "data for node %lld, which is not in $Nodes", (long long)tag);
        if (index >= 0 && !values) { // only now: a field without any entry of ours is none
            SN_TRY(sn_builder_field(&g->builder, header->name, per_node, header->components, count, &values));
            for (int64_t j = 0; j < (int64_t)header->components * count; j++) values[j] = NAN;
        }
        for (int c = 0; c < header->components; c++) {
            SN_TRY(sn_gmsh_real(g, &value, "a value"));
            for (int k = 0; k < parts && index >= 0; k++)
                values[(int64_t)header->components * (parts * (int64_t)index + k) + c] = value;
        }
    }
    return SN_OK;
}

static SnStatus read_data(Gmsh* g, bool per_node, const SnTags* tags)
{
    Header header = {0};
    SnStatus status = read_header(g, &header);
    if (status == SN_OK) status = read_entries(g, &header, per_node, tags);
    sn_free(header.name);
    return status;
}

SnStatus sn_gmsh_read_node_data(Gmsh* g)
{
    if (!g->have_nodes) return sn_malformed(&g->reader, "$NodeData before $Nodes");
    return read_data(g, true, &g->nodes);
}

SnStatus sn_gmsh_read_element_data(Gmsh* g)
{
    if (!g->have_elements) return sn_malformed(&g->reader, "$ElementData before $Elements");
    SnTags* tags = &g->elements[sn_mesh_top_dimension(g->builder.mesh)];
    if (sn_tags_sort(tags)) return read_data(g, false, tags);
    return sn_malformed(&g->reader, "$ElementData, but two elements have the tag %lld", (long long)tags->duplicate);
}
