// The definitions of a world and of what is in it: their parameters, defaults, and the checks of what is given.
#include "world/definitions.h"

#include <string.h>

#include "constraint/method.h"
#include "integrator/integrator.h"
#include "solver/solver.h"
#include "world/motion.h"

const SnParameter sn_time_parameters[] = {
    {"step", SN_NUMBER, offsetof(SnWorldDef, time_step), .value = "1/60", .range = ">0", .unit = "s",
     .doc = "length of a time step"},
    {0},
};

const SnParameter sn_world_parameters[] = {
    {"gravity", SN_NUMBER, offsetof(SnWorldDef, gravity), .count = 3, .value = "[0, -9.81, 0]", .unit = "m/s2",
     .doc = "acceleration of free fall"},
    {0},
};

const SnParameter sn_contact_parameters[] = {
    {"method", SN_CHOICE, offsetof(SnContactDef, method), .value = "auto", .names = (const char* const[]){"auto", NULL},
     .table = &sn_constraint_method_table,
     .doc = "of `solver: admm` and `pd`: contacts as energies, or as constraints of the global step by Uzawa's method "
            "or Gauss-Seidel (where each has one node, otherwise Uzawa's); `auto`: Uzawa's, and from 300 contacts of "
            "one node without friction on Gauss-Seidel. The other solvers take energies: `auto` or `energy`"},
    {"bodies", SN_BOOLEAN, offsetof(SnContactDef, bodies), .value = "true", .doc = "bodies touch each other"},
    {"self", SN_BOOLEAN, offsetof(SnContactDef, self), .value = "false", .doc = "each body touches itself"},
    {"thickness", SN_NUMBER, offsetof(SnContactDef, thickness), .value = "auto", .unset = "-1", .range = ">=0",
     .unit = "m", .names = (const char* const[]){"auto", NULL},
     .doc = "how far surfaces are kept apart, where a body or obstacle says nothing else; `auto`: 1 % of the mean "
            "length of a body's edges; never less than 0.1 % of that"},
    {"friction", SN_NUMBER, offsetof(SnContactDef, friction), .value = "0", .range = ">=0",
     .doc = "Coulomb's coefficient between bodies"},
    {"slip", SN_NUMBER, offsetof(SnContactDef, slip), .value = "0", .range = ">=0", .unit = "m/s",
     .doc = "0: what sticks does not move; otherwise friction is smoothed below this speed, and what should stick may "
            "creep that fast"},
    {"push", SN_NUMBER, offsetof(SnContactDef, push), .value = "0.25", .range = ">0", .unit = "m/s",
     .doc = "what starts inside something is pushed out no faster than this"},
    {"parts", SN_INTEGER, offsetof(SnContactDef, parts), .value = "32", .range = ">=1 <=1024",
     .doc = "a step that does not converge while something touches is taken in shorter ones, at most so many, a power "
            "of two; 1: it is not"},
    {"untangle", SN_BOOLEAN, offsetof(SnContactDef, untangle), .value = "false",
     .doc = "surfaces that cross at the start are separated little by little, no faster than `push`; otherwise they "
            "are refused"},
    {"restitution", SN_INTEGER, offsetof(SnContactDef, restitution), .value = "0", .range = ">=0 <=1",
     .doc = "0: what hits does not bounce, but for its elasticity; 1: it bounces as `tr-bdf2`, `bdf2` or `trapezoidal` "
            "have it, and may gain energy"},
    {0},
};

const SnParameter sn_sleep_parameters[] = {
    {"speed", SN_NUMBER, offsetof(SnSleepDef, speed), .value = "0.01", .range = ">=0", .unit = "m/s",
     .doc = "bodies that touch, or are near each other, fall asleep together when none of their nodes has been faster; "
            "0: they never do"},
    {"after", SN_NUMBER, offsetof(SnSleepDef, after), .value = "0.5", .range = ">=0", .unit = "s",
     .doc = "for so long, in steps that converged"},
    {0},
};

const SnParameter sn_obstacle_parameters[] = {
    {"friction", SN_NUMBER, offsetof(SnObstacleDef, friction), .value = "0", .range = ">=0",
     .doc = "Coulomb's coefficient"},
    {"thickness", SN_NUMBER, offsetof(SnObstacleDef, thickness), .unset = "-1", .example = "1e-3", .range = ">=0",
     .unit = "m", .doc = "bodies are kept this far from its surface; without it, each by its own thickness"},
    {0},
};

const SnParameter sn_body_contact_parameters[] = {
    {"thickness", SN_NUMBER, offsetof(SnBodyContactDef, thickness), .unset = "-1", .example = "1e-3", .range = ">=0",
     .unit = "m",
     .doc = "two surfaces are kept apart by half of each one's, as two layers of cloth are; without it, as `contact` "
            "of the scene says"},
    {"skin", SN_BOOLEAN, offsetof(SnBodyContactDef, skin), .value = "false",
     .doc = "its skin touches others, itself and obstacles, in place of its own surface"},
    {0},
};

const SnParameter sn_contact_pair_parameters[] = {
    {"friction", SN_NUMBER, offsetof(SnContactPairDef, friction), .unset = "-1", .example = "0.5", .range = ">=0",
     .doc = "Coulomb's coefficient between the two"},
    {0},
};

_Static_assert(offsetof(SnLimits, hi) == offsetof(SnLimits, lo) + sizeof(double), "`stretch` is lo and hi");
const SnParameter sn_limits_parameters[] = {
    {"stretch", SN_NUMBER, offsetof(SnLimits, lo), .count = 2, .value = "[0, inf]", .example = "[0.95, 1.05]",
     .range = ">=0 <=inf",
     .doc =
         "the least and the largest stretch, on either side of 1; edges with `[1, 1]` are rods, with `[0, 1]` ropes"},
    {"mode", SN_ENUM, offsetof(SnLimits, mode), .value = "auto",
     .names = (const char* const[]){"auto", "isotropic", "warp-weft", NULL},
     .doc = "which stretches: all principal ones; of sheets, those of warp and weft; `auto`: the latter for sheets"},
    {"stiffness", SN_NUMBER, offsetof(SnLimits, stiffness), .example = "1e7", .range = ">0", .unit = "Pa",
     .doc = "of the energy that takes their place in solvers other than admm, where it only sets the pace; when not "
            "given, ten times what the material and the inertia of an element put up"},
    {0},
};

const SnParameter sn_handle_parameters[] = {
    {"how", SN_ENUM, offsetof(SnHandleDef, how), .value = "eliminate",
     .names = (const char* const[]){"eliminate", "energy", NULL},
     .doc = "how they are held: taken out of the problem, which is exact and costs nothing, or by springs, with an "
            "energy stiffness/2 |x - place|² each"},
    {"stiffness", SN_NUMBER, offsetof(SnHandleDef, stiffness), .example = "1e6", .range = ">0", .unit = "N/m",
     .doc = "of each node, with `how: energy`; when not given, a thousand times what the node's elements and, in a "
            "step, its inertia put up against being moved, and `solver: admm` then keeps them in place to convergence"},
    {0},
};

const SnParameter sn_hinge_parameters[] = {
    {"axis", SN_NUMBER, offsetof(SnHandleDef, hinge_axis), .count = 3, .example = "[0, 0, 1]",
     .doc =
         "direction of the axis, any length; without it they turn about the point in any direction, as a ball joint"},
    {"point", SN_NUMBER, offsetof(SnHandleDef, hinge_point), .count = 3, .unset = "[nan, nan, nan]",
     .example = "[0, 0.5, 0]", .unit = "m", .doc = "a point on the axis; without it the middle of the nodes"},
    {0},
};

const SnParameter sn_slide_parameters[] = {
    {"distance", SN_NUMBER, offsetof(SnSlideDef, distance), .unset = "nan", .example = "0", .unit = "m",
     .doc = "from the surface, outwards; without it, as far as each node starts"},
    {0},
};

SnContactDef sn_default_contact_def(void)
{
    SnContactDef def = {0};
    sn_parameters_default(sn_contact_parameters, &def);
    def.bodies = false; // unless it is asked for, as in a scene without `contact`
    return def;
}

SnWorldDef sn_default_world_def(void)
{
    SnWorldDef def = {.solver = sn_default_solver_def(), .contact = sn_default_contact_def()};
    sn_parameters_default(sn_sleep_parameters, &def.sleep);
    def.sleep.speed = 0; // unless it is asked for, as in a scene without `sleep`
    sn_parameters_default(sn_time_parameters, &def);
    sn_parameters_default(sn_world_parameters, &def);
    sn_parameters_default(sn_integrator_parameters, &def);
    return def;
}

SnHandleDef sn_default_handle_def(void)
{
    SnHandleDef def = {0};
    sn_parameters_default(sn_handle_parameters, &def);
    sn_parameters_default(sn_hinge_parameters, &def);
    sn_parameters_default(sn_motion_parameters, &def.motion);
    return def;
}

SnObstacleDef sn_default_obstacle_def(void)
{
    SnObstacleDef def = {.shape = sn_obstacle("plane")};
    sn_parameters_default(sn_obstacle_parameters, &def);
    sn_parameters_default(sn_motion_parameters, &def.motion);
    return def;
}

SnSlideDef sn_default_slide_def(void)
{
    SnSlideDef def = {.on_body = -1, .on_obstacle = -1};
    sn_parameters_default(sn_slide_parameters, &def);
    return def;
}

SnStatus sn_check_time_step(double time_step)
{
    return sn_parameters_check(sn_time_parameters, &(SnWorldDef){.time_step = time_step}, "time");
}

static SnStatus resolve_integrator(SnWorldDef* def)
{
    SN_TRY(sn_parameters_check(sn_integrator_parameters, def, "integrator"));
    sn_parameters_intern(sn_integrator_parameters, def);
    for (int i = 0; i < sn_integrator_count(); i++)
        SN_TRY(sn_parameters_check(sn_integrator_at(i)->parameters, def, "integrator"));
    return SN_OK;
}

// How contacts are kept, and other constraints, which are kept together.
static SnStatus choose_constraints(SnWorldDef* def)
{
    const SnSolverType* solver = sn_solver_find(def->solver.type);
    const char *constraints = def->solver.constraints, *contacts = def->contact.method;
    bool open = strcmp(contacts, "auto") == 0, energy = strcmp(contacts, "energy") == 0;
    if (!solver->global_step && !open && !energy)
        return sn_fail(SN_ERROR_VALUE,
                       "contact method '%s' needs solver admm or pd; for solver '%s' contacts are energies: auto or "
                       "energy",
                       contacts, solver->name);
    if (open || !solver->global_step || strcmp(constraints, contacts) == 0) return SN_OK;
    if (strcmp(constraints, "auto") != 0)
        return sn_fail(SN_ERROR_VALUE,
                       "contact method '%s' and solver constraints '%s' disagree: contacts and other constraints are "
                       "kept together; give one of them",
                       contacts, constraints);
    def->solver.constraints = contacts;
    return SN_OK;
}

SnStatus sn_world_def_resolve(const SnWorldDef* given, SnWorldDef* def)
{
    *def = *given;
    SN_TRY(sn_parameters_check(sn_contact_parameters, &def->contact, "contact"));
    sn_parameters_intern(sn_contact_parameters, &def->contact);
    SN_TRY(sn_parameters_check(sn_sleep_parameters, &def->sleep, "sleep"));
    SN_TRY(sn_parameters_check(sn_time_parameters, def, "time"));
    SN_TRY(sn_parameters_check(sn_world_parameters, def, ""));
    SN_TRY(resolve_integrator(def));
    SN_TRY(sn_solver_def_resolve(&def->solver));
    return choose_constraints(def);
}
