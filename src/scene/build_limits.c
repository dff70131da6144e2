// Limits of stretch.
#include <stdio.h>

#include "mesh/elements.h"
#include "scene/build.h"
#include "world/definitions.h"

void sn_build_limits(SnScene* scene, SnSceneBody* body)
{
    const SnLimitsPart* part = &body->part->limits;
    int dimension = body->mesh ? sn_mesh_top_dimension(body->mesh) : 2;
    body->limits = part->def;
    char of[128];
    snprintf(of, sizeof of, "limits of %s", body->context);
    if (part->node && sn_limits_check(&part->def, dimension, of) != SN_OK)
        sn_problem_error(&scene->problems, part->node->place, "%s", sn_last_error());
}
