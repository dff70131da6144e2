// gmsh .msh, written as 4.1 text. Elements keep their order: a run of neighbours in the same groups is one block, and
// each set of groups is one entity.
#include "mesh/gmsh.h"

#include "mesh/elements.h"
#include "mesh/writer.h"

#include <stdlib.h>

// The items of one dimension and the groups of each; sets of groups are entities 1, 2, ...
typedef struct Sets {
    int item_count;
    int* start;   // item_count + 1, into tags
    int* tags;    // of the groups of each item
    int* entity;  // of each item; 0: not written (a node in no group)
    int* order;   // items sorted by their sets
    int* example; // an item of each entity
    int entity_count, block_count;
} Sets;

static void free_sets(Sets* s)
{
    sn_free(s->start);
    sn_free(s->tags);
    sn_free(s->entity);
    sn_free(s->order);
    sn_free(s->example);
}

static int compare_sets(const void* left, const void* right, void* context)
{
    const Sets* s = context;
    int a = *(const int*)left, b = *(const int*)right;
    int na = s->start[a + 1] - s->start[a], nb = s->start[b + 1] - s->start[b];
    for (int i = 0; i < na && i < nb; i++) {
        int ta = s->tags[s->start[a] + i], tb = s->tags[s->start[b] + i];
        if (ta != tb) return ta < tb ? -1 : 1;
    }
    return (na > nb) - (na < nb);
}

static SnStatus collect_tags(const SnMesh* mesh, int dimension, Sets* s)
{
    if (!SN_NEW(s->start, (size_t)s->item_count + 2, "group lists")) return SN_ERROR_MEMORY;
    for (int g = 0; g < mesh->group_count; g++)
        for (int i = 0; mesh->groups[g].dimension == dimension && i < mesh->groups[g].count; i++)
            s->start[mesh->groups[g].items[i] + 2]++;
    for (int i = 1; i <= s->item_count; i++) s->start[i + 1] += s->start[i];
    if (!SN_NEW(s->tags, s->start[s->item_count + 1], "group lists")) return SN_ERROR_MEMORY;
    for (int g = 0; g < mesh->group_count; g++)
        for (int i = 0; mesh->groups[g].dimension == dimension && i < mesh->groups[g].count; i++)
            s->tags[s->start[mesh->groups[g].items[i] + 1]++] = mesh->groups[g].tag;
    return SN_OK;
}

static SnStatus find_sets(const SnMesh* mesh, int dimension, Sets* s)
{
    int n = s->item_count = sn_mesh_count_of(mesh, dimension);
    SN_TRY(collect_tags(mesh, dimension, s));
    if (!SN_NEW(s->entity, n, "entities") || !SN_NEW(s->order, n, "entities") || !SN_NEW(s->example, n + 1, "entities"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) s->order[i] = i;
    if (n && s->start[n] > 0) qsort_r(s->order, (size_t)n, sizeof *s->order, compare_sets, s);
    for (int i = 0; i < n; i++) {
        int item = s->order[i];
        if (dimension == 0 && s->start[item] == s->start[item + 1]) continue;
        if (s->entity_count == 0 || compare_sets(&s->example[s->entity_count], &item, s) != 0)
            s->example[++s->entity_count] = item;
        s->entity[item] = s->entity_count;
    }
    for (int i = 0; i < n; i++) s->block_count += s->entity[i] && (i == 0 || s->entity[i] != s->entity[i - 1]);
    return SN_OK;
}

// A name in quotation marks, which it cannot hold itself.
static void write_quoted(SnWriter* w, const char* name)
{
    sn_write(w, "\"");
    for (const char* c = name; *c; c++) sn_write(w, "%c", *c == '"' || *c == '\n' ? '\'' : *c);
    sn_write(w, "\"\n");
}

static void write_names(SnWriter* w, const SnMesh* mesh)
{
    if (mesh->group_count == 0) return;
    sn_write(w, "$PhysicalNames\n%d\n", mesh->group_count);
    for (int g = 0; g < mesh->group_count; g++) {
        sn_write(w, "%d %d ", mesh->groups[g].dimension, mesh->groups[g].tag);
        write_quoted(w, mesh->groups[g].name);
    }
    sn_write(w, "$EndPhysicalNames\n");
}

// Entities get the bounds of the whole mesh, points the place of one of their nodes.
static void write_entity(SnWriter* w, const SnMesh* mesh, const SnMeshMeasure* m, const Sets* s, int dimension, int e)
{
    int item = s->example[e];
    sn_write(w, "%d", e);
    for (int i = 0; i < 3; i++) sn_write_real(w, dimension ? m->lo[i] : mesh->nodes[3 * (size_t)item + (size_t)i]);
    for (int i = 0; dimension && i < 3; i++) sn_write_real(w, m->hi[i]);
    sn_write(w, " %d", s->start[item + 1] - s->start[item]);
    for (int i = s->start[item]; i < s->start[item + 1]; i++) sn_write(w, " %d", s->tags[i]);
    sn_write(w, dimension ? " 0\n" : "\n");
}

static void write_entities(SnWriter* w, const SnMesh* mesh, const Sets sets[4])
{
    SnMeshMeasure measure;
    sn_mesh_measure(mesh, &measure);
    sn_write(w, "$Entities\n%d %d %d %d\n", sets[0].entity_count, sets[1].entity_count, sets[2].entity_count,
             sets[3].entity_count);
    for (int d = 0; d < 4; d++)
        for (int e = 1; e <= sets[d].entity_count; e++) write_entity(w, mesh, &measure, &sets[d], d, e);
    sn_write(w, "$EndEntities\n");
}

static void write_nodes(SnWriter* w, const SnMesh* mesh)
{
    int n = mesh->node_count;
    sn_write(w, "$Nodes\n1 %d 1 %d\n%d 1 0 %d\n", n, n, sn_mesh_top_dimension(mesh), n);
    for (int i = 1; i <= n; i++) sn_write(w, "%d\n", i);
    for (int i = 0; i < n; i++) {
        const double* p = mesh->nodes + 3 * (size_t)i;
        sn_write(w, "%.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    sn_write(w, "$EndNodes\n");
}

static void write_blocks(SnWriter* w, const SnMesh* mesh, const Sets* s, int dimension, int64_t* tag)
{
    static const int types[] = {15, 1, 2, 4};
    const int* list = sn_mesh_list_of(mesh, dimension);
    int corners = dimension + 1;
    for (int first = 0, last; first < s->item_count; first = last) {
        for (last = first + 1; last < s->item_count && s->entity[last] == s->entity[first];) last++;
        if (s->entity[first] == 0) continue;
        sn_write(w, "%d %d %d %d\n", dimension, s->entity[first], types[dimension], last - first);
        for (int i = first; i < last; i++) {
            sn_write(w, "%lld", (long long)++*tag);
            for (int j = 0; j < corners; j++)
                sn_write(w, " %d", 1 + (dimension ? list[(size_t)corners * (size_t)i + (size_t)j] : i));
            sn_write(w, "\n");
        }
    }
}

// Tetrahedra first, so that their tags are 1, 2, ...
static void write_elements(SnWriter* w, const SnMesh* mesh, const Sets sets[4])
{
    int64_t blocks = 0, count = 0, tag = 0;
    for (int d = 0; d < 4; d++) {
        blocks += sets[d].block_count;
        for (int i = 0; i < sets[d].item_count; i++) count += sets[d].entity[i] != 0;
    }
    sn_write(w, "$Elements\n%lld %lld %d %lld\n", (long long)blocks, (long long)count, count > 0, (long long)count);
    for (int d = 3; d >= 0; d--) write_blocks(w, mesh, &sets[d], d, &tag);
    sn_write(w, "$EndElements\n");
}

static void write_field(SnWriter* w, const SnMesh* mesh, const SnMeshField* field)
{
    const char* section = field->per_node ? "NodeData" : "ElementData";
    int count = field->per_node ? mesh->node_count : sn_mesh_count_of(mesh, sn_mesh_top_dimension(mesh));
    sn_write(w, "$%s\n1\n", section);
    write_quoted(w, field->name);
    sn_write(w, "1\n0\n3\n0\n%d\n%d\n", field->components, count);
    for (int i = 0; i < count; i++) {
        sn_write(w, "%d", i + 1);
        for (int c = 0; c < field->components; c++)
            sn_write_real(w, field->values[(size_t)field->components * (size_t)i + (size_t)c]);
        sn_write(w, "\n");
    }
    sn_write(w, "$End%s\n", section);
}

static SnStatus write_file(const SnMesh* mesh, const char* path, const Sets sets[4])
{
    SnWriter w;
    SN_TRY(sn_writer_open(&w, path));
    sn_write(&w, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    write_names(&w, mesh);
    write_entities(&w, mesh, sets);
    write_nodes(&w, mesh);
    write_elements(&w, mesh, sets);
    for (int i = 0; i < mesh->field_count; i++) write_field(&w, mesh, &mesh->fields[i]);
    return sn_writer_close(&w);
}

SnStatus sn_gmsh_write(const SnMesh* mesh, const char* path)
{
    Sets sets[4] = {0};
    SnStatus status = SN_OK;
    for (int d = 0; d < 4 && status == SN_OK; d++) status = find_sets(mesh, d, &sets[d]);
    if (status == SN_OK) status = write_file(mesh, path, sets);
    for (int d = 0; d < 4; d++) free_sets(&sets[d]);
    return status;
}
