#include "constraint/grab.h"

#include <string.h>

#include "constraint/tie.h"

SnStatus sn_grab_collect(const SnGrab* grab, int number, int slide_count, SnConstraintSet* set)
{
    for (int a = 0; a < 3 && grab->holds; a++) {
        SnKept item = {.constraint = {.springy = true, .spring = grab->stiffness}};
        SnConstraint* c = &item.constraint;
        c->key = sn_tie_key(number, slide_count, a, grab->node[0]);
        c->at = (SnStencil){.count = grab->count, .offset = grab->target[a]};
        memcpy(c->at.node, grab->node, sizeof grab->node);
        memcpy(c->at.weight, grab->weight, sizeof grab->weight);
        c->at.normal[a] = 1;
        SN_TRY(sn_constraint_set_add(set, &item));
    }
    return SN_OK;
}
