#include "constraint/tie.h"

#include <string.h>

#include "core/share.h"
#include "linalg/vec3.h"

enum { AXES = 3 };

// As those of slides, the number above the node.
int64_t sn_tie_key(int number, int slide_count, int axis, int node)
{
    return ((int64_t)slide_count + AXES * (int64_t)number + axis) << 32 | node;
}

int sn_tie_number(const SnConstraint* c, int slide_count)
{
    int64_t number = (c->key >> 32) - slide_count;
    return sn_constraint_is_contact(c) || number < 0 ? -1 : (int)(number / AXES);
}

static void set_point(const SnTie* tie, int k, SnStencil* at)
{
    *at = (SnStencil){.count = 1, .node = {tie->nodes[k]}, .weight = {1}};
    for (int c = SN_TIE_CORNERS * k; c < SN_TIE_CORNERS * (k + 1) && tie->corners; c++) {
        if (tie->weights[c] == 0) continue;
        at->node[at->count] = tie->corners[c], at->weight[at->count] = -tie->weights[c];
        at->count++;
    }
}

SnStatus sn_tie_collect(const SnTie* tie, int slide_count, const SnTasks* tasks, SnConstraintSet* set)
{
    for (int k = 0; k < tie->node_count; k++) {
        int number = sn_share_number(tasks, tie->nodes[k]);
        if (tie->gone && tie->gone[k] != 0) continue;
        for (int a = 0; a < tie->axis_count; a++) {
            SnKept item = {.constraint = {.key = sn_tie_key(tie->number, slide_count, a, number)}};
            SnStencil* at = &item.constraint.at;
            set_point(tie, k, at);
            memcpy(at->normal, tie->axes + 3 * a, sizeof at->normal);
            at->offset = sn_dot3(at->normal, tie->place + 3 * (int64_t)k);
            memcpy(item.constraint.velocity, tie->velocity + 3 * (int64_t)k, sizeof item.constraint.velocity);
            SN_TRY(sn_constraint_set_add(set, &item));
        }
    }
    return SN_OK;
}
