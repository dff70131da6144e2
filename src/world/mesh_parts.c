// A world that was made of parts of meshes is a part as it stands; what is left is to know of what.
#include <stdlib.h>
#include <string.h>

#include "mesh/part.h"
#include "world/restrict.h"

static SnStatus allocate(const SnModel* model, SnMeshPart* const* parts, SnPartOf* of)
{
    int n = of->node_count = model->node_count, sharers = 0;
    of->body_count = model->body_count;
    for (int b = 0; b < model->body_count; b++) sharers += parts[b]->sharer_start[model->bodies[b].node_count];
    bool room = SN_NEW(of->nodes, n, "parts") && SN_NEW(of->owner, n, "parts") && SN_NEW(of->own, n, "parts") &&
                SN_NEW(of->body, n, "parts") && SN_NEW(of->ghost, n, "parts") && SN_NEW(of->common, 0, "parts") &&
                SN_NEW(of->sharer_start, (int64_t)n + 1, "parts") && SN_NEW(of->sharers, sharers, "parts") &&
                SN_NEW(of->spans, 2 * (int64_t)model->body_count, "parts") && SN_NEW(of->pins, 0, "parts") &&
                SN_NEW(of->shifts, 0, "parts");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

static void take_body(SnBody* body, const SnMeshPart* part, int b, int mine, SnPartOf* of)
{
    int used = of->sharer_start[body->first_node];
    body->whole_first = (int)of->all_nodes;
    of->all_nodes += part->all_nodes;
    for (int k = 0; k < body->node_count; k++) {
        int i = body->first_node + k;
        of->nodes[i] = body->whole_first + part->nodes[k], of->body[i] = b;
        of->owner[i] = part->owner[k], of->own[i] = part->owner[k] == mine;
        for (int s = part->sharer_start[k]; s < part->sharer_start[k + 1]; s++) of->sharers[used++] = part->sharers[s];
        of->sharer_start[i + 1] = used;
    }
    if (part->own_count == 0) return;
    of->spans[2 * of->span_count] = body->first_node;
    of->spans[2 * of->span_count++ + 1] = body->first_node + part->own_count;
}

static void cut_load(SnLoad* load, const SnPartOf* of)
{
    int count = 0;
    for (int k = 0; k < load->node_count; k++)
        if (of->own[load->nodes[k]]) load->nodes[count++] = load->nodes[k];
    load->node_count = count;
}

SnStatus sn_world_take_mesh_parts(SnWorld* world, SnMeshPart* const* parts, int mine, SnPartOf* of)
{
    SnModel* model = &world->model;
    *of = (SnPartOf){0};
    SN_TRY(allocate(model, parts, of));
    for (int b = 0; b < model->body_count; b++) take_body(&model->bodies[b], parts[b], b, mine, of);
    for (int l = 0; l < model->load_count; l++) cut_load(&model->loads[l], of);
    if (of->all_nodes > INT32_MAX / 3)
        return sn_fail(SN_ERROR_VALUE, "the world would have %lld nodes; at most %d are possible",
                       (long long)of->all_nodes, INT32_MAX / 3);
    return SN_OK;
}
