// Arithmetic in scenes, and values set by name, as --set and the C API have them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/expression.h"
#include "fuzz.h"
#include <sinew/world.h>

void fuzz_expression(const uint8_t* bytes, size_t size);

void fuzz_expression(const uint8_t* bytes, size_t size)
{
    char text[100], error[100] = "";
    double value = 0;
    static const SnVariable variables[] = {{"min", -1}, {"max", 2}};
    if (size >= sizeof text) size = sizeof text - 1;
    memcpy(text, bytes, size), text[size] = 0;
    if (sn_expression(text, variables, 2, &value, error, sizeof error))
        FUZZ_CHECK(!isnan(value));
    else
        FUZZ_CHECK(*error);
    char* equals = strchr(text, '=');
    if (!equals) return;
    *equals = 0;
    SnSolverDef solver = sn_default_solver_def();
    SnMaterial material = sn_material("spline", 1e5, 0.3, 1000);
    SnDampingDef damping = sn_default_damping_def("power-law");
    SnObstacleShape box = sn_obstacle("box");
    SnStatus status = SN_OK;
    switch (size % 4) { // names that are not known are compared with all that are, which takes long
    case 0: status = sn_solver_set(&solver, text, equals + 1); break;
    case 1: status = sn_material_set(&material, text, equals + 1); break;
    case 2: status = sn_damping_set(&damping, text, equals + 1); break;
    default: status = sn_obstacle_set(&box, text, equals + 1);
    }
    FUZZ_CHECK(status == SN_OK || *sn_last_error());
}
