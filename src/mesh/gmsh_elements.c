// gmsh .msh: $Entities, $Nodes and $Elements. In 2.2 each element carries its tags; in 4.x elements come in blocks, one
// per geometric entity, and the entity knows its physical groups.
#include "mesh/gmsh.h"

#include "mesh/elements.h"

#include <stdlib.h>

enum { MOST_PHYSICALS = 64 }; // of one entity: elements times groups must stay in proportion to the file

// --- $Entities

static SnStatus skip_ints(Gmsh* g, const char* what)
{
    int64_t count, ignored;
    SN_TRY(sn_gmsh_size(g, &count, what));
    SN_TRY(sn_gmsh_fits(g, count, 1, 0, 0, what));
    for (int64_t i = 0; i < count; i++) SN_TRY(sn_gmsh_int(g, &ignored, what));
    return SN_OK;
}

static SnStatus read_physicals(Gmsh* g, GmshEntity* entity)
{
    int64_t count, tag;
    SN_TRY(sn_gmsh_size(g, &count, "the number of physical groups"));
    if (count > MOST_PHYSICALS)
        return sn_malformed(&g->reader, "an entity in %lld physical groups, at most %d", (long long)count,
                            MOST_PHYSICALS);
    entity->first = g->physical_count;
    entity->count = (int)count;
    if (!SN_GROW(g->physicals, g->physical_capacity, g->physical_count + count, "physical groups"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        SN_TRY(sn_gmsh_int(g, &tag, "the tag of a physical group"));
        if (tag < -INT32_MAX) tag = -INT32_MAX;
        g->physicals[g->physical_count++] = (int)(tag < 0 ? -tag : tag); // the sign is an orientation
    }
    return SN_OK;
}

static SnStatus read_entity(Gmsh* g, int dimension, bool partitioned)
{
    int64_t tag, ignored;
    double bound;
    if (!SN_GROW(g->entities, g->entity_capacity, g->entity_count + (int64_t)1, "entities")) return SN_ERROR_MEMORY;
    SN_TRY(sn_gmsh_int(g, &tag, "the tag of an entity"));
    GmshEntity* entity = &g->entities[g->entity_count];
    *entity = (GmshEntity){.dimension = dimension, .tag = (int)tag};
    if (partitioned) {
        SN_TRY(sn_gmsh_int(g, &ignored, "the parent's dimension"));
        SN_TRY(sn_gmsh_int(g, &ignored, "the parent's tag"));
        SN_TRY(skip_ints(g, "partitions"));
    }
    int bounds = dimension == 0 && g->version == GMSH_4_1 ? 3 : 6;
    for (int i = 0; i < bounds; i++) SN_TRY(sn_gmsh_real(g, &bound, "the bounds of an entity"));
    SN_TRY(read_physicals(g, entity));
    if (dimension > 0) SN_TRY(skip_ints(g, "bounding entities"));
    g->entity_count++;
    return SN_OK;
}

static int compare_entities(const void* left, const void* right)
{
    const GmshEntity *a = left, *b = right;
    if (a->dimension != b->dimension) return a->dimension < b->dimension ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static SnStatus read_entity_lists(Gmsh* g, bool partitioned)
{
    int64_t counts[4];
    for (int d = 0; d < 4; d++) {
        SN_TRY(sn_gmsh_size(g, &counts[d], "the number of entities"));
        SN_TRY(sn_gmsh_fits(g, counts[d], 1, 1, 3, "entities"));
    }
    for (int d = 0; d < 4; d++)
        for (int64_t i = 0; i < counts[d]; i++) SN_TRY(read_entity(g, d, partitioned));
    if (g->entity_count) qsort(g->entities, (size_t)g->entity_count, sizeof *g->entities, compare_entities);
    return SN_OK;
}

SnStatus sn_gmsh_read_entities(Gmsh* g)
{
    return read_entity_lists(g, false);
}

SnStatus sn_gmsh_read_partitioned_entities(Gmsh* g)
{
    int64_t ignored, ghosts;
    SN_TRY(sn_gmsh_size(g, &ignored, "the number of partitions"));
    SN_TRY(sn_gmsh_size(g, &ghosts, "the number of ghost entities"));
    for (int64_t i = 0; i < ghosts; i++) {
        SN_TRY(sn_gmsh_int(g, &ignored, "the tag of a ghost entity"));
        SN_TRY(sn_gmsh_int(g, &ignored, "the partition of a ghost entity"));
    }
    return read_entity_lists(g, true);
}

// NULL when there is none.
static const GmshEntity* entity_of(const Gmsh* g, int dimension, int tag)
{
    GmshEntity key = {.dimension = dimension, .tag = tag};
    if (g->entity_count == 0) return NULL;
    return bsearch(&key, g->entities, (size_t)g->entity_count, sizeof key, compare_entities);
}

// --- $Nodes

static SnStatus read_coordinates(Gmsh* g, int parameters)
{
    double x[3], ignored;
    sn_reader_release(&g->reader);
    for (int i = 0; i < 3; i++) SN_TRY(sn_gmsh_real(g, &x[i], "a node's coordinate"));
    for (int i = 0; i < parameters; i++) SN_TRY(sn_gmsh_real(g, &ignored, "a node's parameter"));
    return sn_builder_node(&g->builder, x);
}

// 4.0 has tag and coordinates of each node together; 4.1 first all tags, then all coordinates.
static SnStatus read_node_block(Gmsh* g)
{
    int64_t first, second, parametric, count, tag;
    SN_TRY(sn_gmsh_int(g, &first, "the entity of a block of nodes"));
    SN_TRY(sn_gmsh_int(g, &second, "the entity of a block of nodes"));
    SN_TRY(sn_gmsh_int(g, &parametric, "whether nodes are parametric (0 or 1)"));
    SN_TRY(sn_gmsh_size(g, &count, "the number of nodes in a block"));
    bool old = g->version == GMSH_4_0;
    int64_t dimension = old ? second : first;
    if (dimension < 0 || dimension > 3)
        return sn_malformed(&g->reader, "a block of nodes of dimension %lld", (long long)dimension);
    int parameters = parametric ? (int)dimension : 0;
    SN_TRY(sn_gmsh_fits(g, count, old, !old, 3, "nodes"));
    for (int64_t i = 0; i < count; i++) {
        SN_TRY(old ? sn_gmsh_int(g, &tag, "a node's tag") : sn_gmsh_size(g, &tag, "a node's tag"));
        SN_TRY(sn_tags_add(&g->nodes, tag));
        if (old) SN_TRY(read_coordinates(g, parameters));
    }
    for (int64_t i = 0; !old && i < count; i++) SN_TRY(read_coordinates(g, parameters));
    return SN_OK;
}

static SnStatus read_node_blocks(Gmsh* g)
{
    int64_t blocks, count, ignored;
    SN_TRY(sn_gmsh_size(g, &blocks, "the number of blocks"));
    SN_TRY(sn_gmsh_size(g, &count, "the number of nodes"));
    SN_TRY(sn_gmsh_fits(g, count, 0, 0, 3, "nodes"));
    for (int i = 0; i < 2 && g->version == GMSH_4_1; i++) SN_TRY(sn_gmsh_size(g, &ignored, "the range of node tags"));
    for (int64_t i = 0; i < blocks; i++) SN_TRY(read_node_block(g));
    if (count != g->nodes.count)
        return sn_malformed(&g->reader, "%lld nodes are announced, but the blocks have %d", (long long)count,
                            g->nodes.count);
    return SN_OK;
}

static SnStatus read_node_list(Gmsh* g)
{
    int count;
    int64_t tag;
    SN_TRY(sn_read_count(&g->reader, 8, &count, "nodes")); // text, in binary files too
    if (g->binary) sn_skip_line(&g->reader);
    SN_TRY(sn_gmsh_fits(g, count, 1, 0, 3, "nodes"));
    for (int i = 0; i < count; i++) {
        SN_TRY(sn_gmsh_int(g, &tag, "a node's tag"));
        SN_TRY(sn_tags_add(&g->nodes, tag));
        SN_TRY(read_coordinates(g, 0));
    }
    return SN_OK;
}

SnStatus sn_gmsh_read_nodes(Gmsh* g)
{
    if (g->have_nodes) return sn_malformed(&g->reader, "a second $Nodes section");
    g->have_nodes = true;
    SN_TRY(g->version == GMSH_2_2 ? read_node_list(g) : read_node_blocks(g));
    if (sn_tags_sort(&g->nodes)) return SN_OK;
    return sn_malformed(&g->reader, "two nodes have the tag %lld", (long long)g->nodes.duplicate);
}

// --- $Elements

typedef enum Use { KEEP, SECOND, SKIP, REFUSE } Use; // SECOND: of second order
typedef struct Kind {
    int type, nodes, dimension;
    Use use;
    const char* name;
} Kind;

static const Kind kinds[] = {
    {1, 2, 1, KEEP, "lines"},          {2, 3, 2, KEEP, "triangles"},      {3, 4, 2, REFUSE, "quadrangles"},
    {4, 4, 3, KEEP, "tetrahedra"},     {5, 8, 3, REFUSE, "hexahedra"},    {6, 6, 3, REFUSE, "prisms"},
    {7, 5, 3, REFUSE, "pyramids"},     {8, 3, 1, SECOND, "lines"},        {9, 6, 2, SECOND, "triangles"},
    {10, 9, 2, REFUSE, "quadrangles"}, {11, 10, 3, SECOND, "tetrahedra"}, {12, 27, 3, REFUSE, "hexahedra"},
    {13, 18, 3, REFUSE, "prisms"},     {14, 14, 3, REFUSE, "pyramids"},   {15, 1, 0, KEEP, "points"},
    {16, 8, 2, REFUSE, "quadrangles"}, {17, 20, 3, REFUSE, "hexahedra"},  {18, 15, 3, REFUSE, "prisms"},
    {19, 13, 3, REFUSE, "pyramids"},   {20, 9, 2, SKIP, "triangles"},     {21, 10, 2, SKIP, "triangles"},
    {22, 12, 2, SKIP, "triangles"},    {23, 15, 2, SKIP, "triangles"},    {24, 15, 2, SKIP, "triangles"},
    {25, 21, 2, SKIP, "triangles"},    {26, 4, 1, SKIP, "lines"},         {27, 5, 1, SKIP, "lines"},
    {28, 6, 1, SKIP, "lines"},         {29, 20, 3, SKIP, "tetrahedra"},   {30, 35, 3, SKIP, "tetrahedra"},
    {31, 56, 3, SKIP, "tetrahedra"},   {92, 64, 3, REFUSE, "hexahedra"},  {93, 125, 3, REFUSE, "hexahedra"},
};

static SnStatus find_kind(Gmsh* g, int64_t type, const Kind** kind)
{
    *kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type) *kind = &kinds[i];
    if (*kind && (*kind)->use != REFUSE) return SN_OK;
    return sn_reader_fail(&g->reader, NULL, SN_ERROR_UNSUPPORTED,
                          "elements of type %lld (%s); points, lines, triangles and tetrahedra can be read",
                          (long long)type, *kind ? (*kind)->name : "unknown");
}

static SnStatus keep_element(Gmsh* g, const Kind* kind, int64_t tag, const int64_t* nodes, const int* groups,
                             int group_count)
{
    int d = kind->dimension, first = d ? sn_mesh_count_of(g->builder.mesh, d) : (int)nodes[0], last = first + 1;
    if (d > 0) {
        SN_TRY(kind->use == SECOND ? sn_builder_quadratic(&g->builder, d, nodes)
                                   : sn_builder_element(&g->builder, d, nodes));
        SN_TRY(sn_tags_add(&g->elements[d], tag));
        last = sn_mesh_count_of(g->builder.mesh, d);
    }
    for (int i = 0; i < group_count; i++)
        for (int item = first; item < last && groups[i] != 0; item++)
            SN_TRY(sn_builder_join(&g->builder, d, groups[i], item));
    return SN_OK;
}

static SnStatus read_element(Gmsh* g, const Kind* kind, int64_t tag, const int* groups, int group_count)
{
    static const int as_vtk[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
    int64_t nodes[10], node;
    sn_reader_release(&g->reader);
    for (int i = 0; i < kind->nodes; i++) {
        SN_TRY(g->version == GMSH_4_1 ? sn_gmsh_size(g, &node, "a node of an element")
                                      : sn_gmsh_int(g, &node, "a node of an element"));
        if (kind->use == SKIP) continue;
        int64_t* place = &nodes[kind->use == SECOND ? as_vtk[i] : i];
        *place = sn_tags_find(&g->nodes, node);
        if (*place < 0)
            return sn_malformed(&g->reader, "element %lld names node %lld, which is not in $Nodes", (long long)tag,
                                (long long)node);
    }
    g->skipped += kind->use == SKIP;
    return kind->use == SKIP ? SN_OK : keep_element(g, kind, tag, nodes, groups, group_count);
}

static SnStatus read_element_block(Gmsh* g)
{
    int64_t first, second, type, count, tag;
    SN_TRY(sn_gmsh_int(g, &first, "the entity of a block of elements"));
    SN_TRY(sn_gmsh_int(g, &second, "the entity of a block of elements"));
    SN_TRY(sn_gmsh_int(g, &type, "an element type"));
    const Kind* kind;
    SN_TRY(find_kind(g, type, &kind));
    SN_TRY(sn_gmsh_size(g, &count, "the number of elements in a block"));
    bool old = g->version == GMSH_4_0;
    SN_TRY(sn_gmsh_fits(g, count, old ? 1 + kind->nodes : 0, old ? 0 : 1 + kind->nodes, 0, "elements"));
    const GmshEntity* entity = entity_of(g, kind->dimension, (int)(old ? first : second));
    const int* groups = entity && entity->count ? g->physicals + entity->first : NULL;
    for (int64_t i = 0; i < count; i++) {
        SN_TRY(old ? sn_gmsh_int(g, &tag, "an element's tag") : sn_gmsh_size(g, &tag, "an element's tag"));
        SN_TRY(read_element(g, kind, tag, groups, entity ? entity->count : 0));
    }
    return SN_OK;
}

static SnStatus read_element_blocks(Gmsh* g)
{
    int64_t blocks, ignored;
    SN_TRY(sn_gmsh_size(g, &blocks, "the number of blocks"));
    for (int i = 0; i < (g->version == GMSH_4_1 ? 3 : 1); i++)
        SN_TRY(sn_gmsh_size(g, &ignored, "the number of elements"));
    for (int64_t i = 0; i < blocks; i++) SN_TRY(read_element_block(g));
    return SN_OK;
}

// The tags of a 2.2 element; the first is its physical group.
static SnStatus read_element_tags(Gmsh* g, int64_t count, int* group)
{
    int64_t tag;
    *group = 0;
    for (int64_t i = 0; i < count; i++) {
        SN_TRY(sn_gmsh_int(g, &tag, "a tag of an element"));
        if (i == 0) *group = (int)(tag == INT32_MIN ? INT32_MAX : tag < 0 ? -tag : tag);
    }
    return SN_OK;
}

// 2.2, text: tag type tag-count tags nodes. Binary: type count tag-count, then tag tags nodes of each.
static SnStatus read_old_elements(Gmsh* g, int64_t* done)
{
    int64_t tag = 0, type, count = 1, tags;
    if (!g->binary) SN_TRY(sn_gmsh_int(g, &tag, "an element's tag"));
    SN_TRY(sn_gmsh_int(g, &type, "an element type"));
    const Kind* kind;
    SN_TRY(find_kind(g, type, &kind));
    if (g->binary) SN_TRY(sn_gmsh_int(g, &count, "the number of elements in a block"));
    SN_TRY(sn_gmsh_int(g, &tags, "the number of tags"));
    if (count <= 0 || tags < 0)
        return sn_malformed(&g->reader, "a block of %lld elements with %lld tags", (long long)count, (long long)tags);
    for (int64_t i = 0; i < count; i++) {
        int group;
        if (g->binary) SN_TRY(sn_gmsh_int(g, &tag, "an element's tag"));
        SN_TRY(read_element_tags(g, tags, &group));
        SN_TRY(read_element(g, kind, tag, &group, 1));
    }
    *done += count;
    return SN_OK;
}

SnStatus sn_gmsh_read_elements(Gmsh* g)
{
    if (!g->have_nodes) return sn_malformed(&g->reader, "$Elements before $Nodes");
    if (g->have_elements) return sn_malformed(&g->reader, "a second $Elements section");
    g->have_elements = true;
    if (g->version != GMSH_2_2) return read_element_blocks(g);
    int count;
    SN_TRY(sn_read_count(&g->reader, 8, &count, "elements"));
    if (g->binary) sn_skip_line(&g->reader);
    int64_t done = 0;
    while (done < count) SN_TRY(read_old_elements(g, &done));
    return SN_OK;
}
