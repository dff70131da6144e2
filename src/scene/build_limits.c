// Limits of stretch.
#include <math.h>
#include <string.h>

#include "mesh/elements.h"
#include "scene/build.h"

void sn_build_limits(SnScene* scene, SnSceneBody* body)
{
    const SnLimitsPart* part = &body->part->limits;
    SnLimits* limits = &body->limits;
    *limits = part->def;
    if (!part->node) return;
    SnPlace place = part->node->place;
    if (!(limits->lo <= 1) || !(limits->hi >= 1))
        sn_problem_error(&scene->problems, place,
                         "'stretch' in limits of %s is [%g, %g]; the first must be between 0 and 1, the second at "
                         "least 1, as in [0.95, 1.05]",
                         body->context, limits->lo, limits->hi);
    int dimension = body->mesh ? sn_mesh_top_dimension(body->mesh) : 2;
    if (limits->mode == SN_LIMIT_WARP_WEFT && dimension != 2)
        sn_problem_error(&scene->problems, place,
                         "limits of %s: 'mode: warp-weft' is for sheets, its mesh is of %s; use 'mode: isotropic'",
                         body->context, sn_element_nouns[dimension][1]);
}
