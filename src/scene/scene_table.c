// The tables of a scene: every key with type, default, unit, range and meaning. A new key is a new row here and a
// member in parts.h.
#include "dissipation/dissipation.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "obstacle/obstacle.h"
#include "scene/parts.h"
#include "scene/script.h"
#include "solver/initial.h"

#include <stdio.h>

#define AT(Part, member) .offset = offsetof(Part, member)
#define TEXT .type = SN_FIELD_TEXT
#define NUMBER .type = SN_FIELD_NUMBERS
#define WHOLE .type = SN_FIELD_NUMBERS, .whole = true
#define NUMBERS(n) .type = SN_FIELD_NUMBERS, .count = (n)
#define MATRIX .type = SN_FIELD_MATRIX
#define RAW .type = SN_FIELD_RAW
#define MAPPING(m) .type = SN_FIELD_MAPPING, .mapping = &(m)
#define LIST(m) .type = SN_FIELD_LIST, .mapping = &(m)
#define CHOICE(list) .type = SN_FIELD_CHOICE, .names = (list)
#define CHOICE_OF(function) .type = SN_FIELD_CHOICE, .name = (function)

static const char* preset_name(int index)
{
    return index < sn_preset_count() ? sn_preset_at(index)->name : NULL;
}

static const char* material_or_preset(int index)
{
    return index < sn_material_count() ? sn_material_at(index)->name : preset_name(index - sn_material_count());
}

static const char* solver_name(int index)
{
    return index < sn_solver_count() ? sn_solver_at(index)->name : NULL;
}

static const char* initial_name(int index)
{
    return index < sn_initial_count() ? sn_initial_at(index)->name : NULL;
}

static const char* const linear_solvers[] = {"cholesky", "pcg", NULL};
static const char* const preconditioners[] = {"ichol", "block-jacobi", NULL};
static const char* const blends[] = {"average", "symmetric", NULL};
static const char* const yes_or_no[] = {"false", "true", NULL};
static const char* const constraint_methods[] = {"auto", "uzawa", "gauss-seidel", "energy", NULL};
static const char* const line_searches[] = {"armijo", "wolfe", "dot", NULL};

static const char* script_name(int index)
{
    return sn_scripts[index].name;
}

static const char* dissipation_name(int index)
{
    return index < sn_dissipation_count() ? sn_dissipation_at(index)->name : NULL;
}

static const char* obstacle_name(int index)
{
    return index < sn_obstacle_count() ? sn_obstacle_at(index)->name : NULL;
}

static const char* integrator_name(int index)
{
    return index < sn_integrator_count() ? sn_integrator_at(index)->name : NULL;
}

static const SnField time_fields[] = {
    {"step", NUMBER, AT(SnTimePart, step), .value = "1/60", .range = ">0", .unit = "s", .doc = "length of a time step"},
    {"frames", WHOLE, AT(SnTimePart, frames), .value = "100", .range = ">=0", .doc = "how many steps to simulate"},
    {0}};
static const SnMapping time_mapping = {"time", "How finely and how long to simulate.", sizeof(SnTimePart), time_fields,
                                       NULL};

static const SnField integrator_fields[] = {
    {"type", CHOICE_OF(integrator_name), AT(SnIntegratorPart, type), .value = "backward-euler",
     .doc = "the time integrator"},
    {"gamma", NUMBER, AT(SnIntegratorPart, gamma), .example = "0.5", .range = ">0 <1",
     .doc = "of `type: tr-bdf2`: where its first stage ends, as a part of the step; without it 2 - sqrt 2, with which "
            "both stages have the same matrix"},
    {"dissipation-order", WHOLE, AT(SnIntegratorPart, dissipation_order), .example = "2", .range = ">=1 <=2",
     .doc = "1: dissipation is exact to first order in the step; 2: to second order; without "
            "it the integrator's own order"},
    {0}};
static const SnMapping integrator_mapping = {
    "integrator",
    "How a step in time is made, see [Integrators](#integrators). `integrator: static` is short for "
    "`integrator: {type: static}`.",
    sizeof(SnIntegratorPart), integrator_fields, "type"};

static const SnField solver_fields[] = {
    {"type", CHOICE_OF(solver_name), AT(SnSolverPart, type), .value = "auto", .doc = "the method"},
    {"iterations", WHOLE, AT(SnSolverPart, iterations), .value = "100", .range = ">=1",
     .doc = "at most this many per minimisation"},
    {"tolerance", NUMBER, AT(SnSolverPart, tolerance), .value = "1e-5", .range = ">=0",
     .doc = "stop when the gradient is this small in the characteristic norm; 0: only the iterations stop it"},
    {"line-search", CHOICE(line_searches), AT(SnSolverPart, line_search), .value = "armijo",
     .doc = "halving until the energy has decreased enough; strong Wolfe conditions; or halving from the quadratic's "
            "minimum until it has decreased at all"},
    {"armijo", NUMBER, AT(SnSolverPart, armijo), .value = "0.3", .range = ">0 <0.5",
     .doc = "sufficient decrease that the line searches armijo and wolfe ask for"},
    {"initial", CHOICE_OF(initial_name), AT(SnSolverPart, initial), .value = "laplacian",
     .doc = "of `type: lbfgs`: what it starts from, see [Initials](#initials)"},
    {"history", WHOLE, AT(SnSolverPart, history), .value = "5", .range = ">=0 <=100",
     .doc = "of `type: lbfgs`: pairs of steps and gradients kept; 0: none, which is plain quasi-Newton"},
    {"linear", CHOICE(linear_solvers), AT(SnSolverPart, linear), .value = "cholesky",
     .doc = "of `type: newton`: its linear systems by a factorisation, or by preconditioned conjugate gradients"},
    {"preconditioner", CHOICE(preconditioners), AT(SnSolverPart, preconditioner), .value = "ichol",
     .doc = "of `linear: pcg`: an incomplete Cholesky factor of 3x3 blocks, or the blocks on the diagonal alone"},
    {"blend", CHOICE(blends), AT(SnSolverPart, blend), .value = "average",
     .doc =
         "of `type: dot`, where subdomains meet: the mean of their solutions, or weights of 1/sqrt(n) before and after "
         "solving, which keeps the operator symmetric"},
    {"subdomains", RAW, AT(SnSolverPart, subdomains), .value = "auto", .example = "{nodes: 1000}",
     .doc = "of `type: dot` and `initial: dot`: `auto`, how many, or about how many nodes each has"},
    {"relaxation", NUMBER, AT(SnSolverPart, relaxation), .value = "1", .range = ">=1 <2",
     .doc = "of `type: admm`: over-relaxation; 1: none"},
    {"anderson", WHOLE, AT(SnSolverPart, anderson), .value = "0", .range = ">=0 <=20",
     .doc = "of `type: admm` and `pd`: how many iterations Anderson's acceleration looks back; 0: it is off"},
    {"adapt", CHOICE(yes_or_no), AT(SnSolverPart, adapt), .value = "true",
     .doc =
         "of `type: admm`: weights follow the stiffness that is met, where iterations make little progress; not with "
         "`tolerance: 0`"},
    {"warm-start", CHOICE(yes_or_no), AT(SnSolverPart, warm_start), .value = "false",
     .doc = "of `type: admm`: start from the stresses of the step before"},
    {"merge-dissipation", CHOICE(yes_or_no), AT(SnSolverPart, merge_dissipation), .value = "true",
     .doc = "of `type: admm`: damping is part of each element's local step; otherwise a term of its own"},
    {"residual", NUMBER, AT(SnSolverPart, residual), .value = "0", .range = ">=0",
     .doc = "of `type: admm`: stop also when its primal and dual residuals are this small, relatively; 0: they are not "
            "looked at"},
    {"constraints", CHOICE(constraint_methods), AT(SnSolverPart, constraints), .value = "auto",
     .doc = "of `type: admm` and `pd`, how they are kept: Uzawa's method with conjugate gradients; Gauss-Seidel, where "
            "each has one node; as energies; or whichever suits. `contact.method` sets it, too"},
    {0}};
static const SnMapping solver_mapping = {
    "solver",
    "How the minimisation of each step is solved; it stops at the tolerance or after the iterations, whichever comes "
    "first. See [Solvers](#solvers). `solver: newton` is short for `solver: {type: newton}`.",
    sizeof(SnSolverPart), solver_fields, "type"};

static const SnField place_fields[] = {
    {"turn", NUMBERS(4), AT(SnPlacePart, turn), .value = "[0, 0, 1, 0]", .unit = "degrees",
     .doc = "axis (any length) and angle, about the origin, before it is fitted"},
    {"fit", NUMBER, AT(SnPlacePart, fit), .example = "1", .range = ">0", .unit = "m",
     .doc = "scale the longest side of the bounding box to this and put its minimum corner at 0"},
    {"scale", NUMBER, AT(SnPlacePart, scale), .value = "1", .range = ">0", .doc = "scale about the origin"},
    {"rotate", NUMBERS(4), AT(SnPlacePart, rotate), .value = "[0, 0, 1, 0]", .unit = "degrees",
     .doc = "axis (any length) and angle, about the origin"},
    {"move", NUMBERS(3), AT(SnPlacePart, move), .value = "[0, 0, 0]", .unit = "m", .doc = "translation"},
    {0}};
static const SnMapping place_mapping = {"place",
                                        "Where the rest shape is put: turn, fit, scale, rotate, move, in this order.",
                                        sizeof(SnPlacePart), place_fields, NULL};

#define NO_GRADIENT "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]"
static const SnField velocity_fields[] = {
    {"linear", NUMBERS(3), AT(SnVelocityPart, linear), .value = "[0, 0, 0]", .unit = "m/s", .doc = "of every node"},
    {"angular", NUMBERS(3), AT(SnVelocityPart, angular), .value = "[0, 0, 0]", .unit = "rad/s",
     .doc = "rotation about the centre of mass"},
    {"gradient", MATRIX, AT(SnVelocityPart, gradient), .value = NO_GRADIENT, .unit = "1/s",
     .doc = "matrix times the offset from the centre of mass"},
    {0}};
static const SnMapping velocity_mapping = {"velocity", "Velocities at the start; the parts add up.",
                                           sizeof(SnVelocityPart), velocity_fields, NULL};

static const char* const start_shapes[] = {"rest", "point", "random", NULL};
static const SnField start_fields[] = {
    {"shape", CHOICE(start_shapes), AT(SnStartPart, shape), .value = "rest",
     .doc = "as the mesh is; all nodes in the centre of its bounding box; or each anywhere in that box"},
    {"seed", WHOLE, AT(SnStartPart, seed), .value = "1", .range = ">=0", .doc = "of `shape: random`"},
    {"stretch", NUMBERS(3), AT(SnStartPart, stretch), .example = "[2, 1, 1]",
     .doc = "factors along x, y, z about the centre of the bounding box"},
    {"twist", NUMBER, AT(SnStartPart, twist), .example = "90", .unit = "degrees",
     .doc = "turn about the x axis through the centre, from minus half at the lower end to plus half at the upper"},
    {"gradient", MATRIX, AT(SnStartPart, gradient), .example = "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
     .doc = "matrix times the rest position"},
    {0}};
static const SnMapping start_mapping = {
    "start",
    "Positions at the start, made from the placed rest shape: one of `shape`, `stretch`, `twist`, `gradient`. "
    "`start: point` is short for `start: {shape: point}`.",
    sizeof(SnStartPart), start_fields, "shape"};

static const char* const inversions[] = {"extend", "barrier", NULL};
static const SnField fiber_fields[] = {
    {"stiffness", NUMBER, AT(SnFiberPart, stiffness), .example = "1e5", .range = ">=0", .unit = "Pa",
     .doc = "k of k/2 (|F d| - 1)^2, what a stretch along the fibers costs; needed in a material"},
    {"direction", RAW, AT(SnFiberPart, direction), .example = "[1, 0, 0]",
     .doc = "d in the placed rest shape, any length; or `{field: NAME}`, a field of the mesh file with three numbers "
            "per element or node, which turns with the mesh (zero: no fibers there); needed in a material"},
    {0}};
static const SnMapping fiber_mapping = {"fiber",
                                        "Fibers in a body of tetrahedra, added to its material: they resist being "
                                        "stretched and shortened along their direction.",
                                        sizeof(SnFiberPart), fiber_fields, NULL};

#define BENDING_DOC                                                                                             \
    "of a sheet: stiffness against being bent; without it young thickness^3/(12 (1 - poisson^2)), or none for " \
    "a sheet by `area-density` without `thickness`; 0: none"
static const SnField region_fields[] = {
    {"group", TEXT, AT(SnRegionPart, group), .required = true, .example = "bone",
     .doc = "a physical group of the mesh file, of the elements that the body is made of"},
    {"young", NUMBER, AT(SnRegionPart, numbers.young), .example = "1e6", .range = ">0", .unit = "Pa",
     .doc = "Young's modulus"},
    {"poisson", NUMBER, AT(SnRegionPart, numbers.poisson), .example = "0.3", .range = ">-1 <0.5",
     .doc = "Poisson's ratio"},
    {"mu", NUMBER, AT(SnRegionPart, numbers.mu), .example = "4e5", .range = ">0", .unit = "Pa",
     .doc = "with `lambda`, instead of young and poisson"},
    {"lambda", NUMBER, AT(SnRegionPart, numbers.lambda), .example = "6e5", .unit = "Pa", .doc = "with `mu`"},
    {"density", NUMBER, AT(SnRegionPart, numbers.density), .example = "1800", .range = ">0", .unit = "kg/m3",
     .doc = "mass per volume at rest"},
    {"ratio", NUMBER, AT(SnRegionPart, numbers.ratio), .example = "0.2", .doc = "of mooney-rivlin"},
    {"stiffening", NUMBER, AT(SnRegionPart, numbers.stiffening), .example = "1", .doc = "of fung"},
    {"barrier", NUMBER, AT(SnRegionPart, numbers.barrier), .example = "0", .doc = "of spline"},
    {"fiber", MAPPING(fiber_mapping), AT(SnRegionPart, numbers.fiber), .doc = "other fibers; stiffness 0: none"},
    {"bending", NUMBER, AT(SnRegionPart, numbers.bending), .example = "1e-5", .range = ">=0", .unit = "N m",
     .doc = "of a sheet; a fold between two regions has the mean of theirs"},
    {0}};
static const SnMapping region_mapping = {"region",
                                         "Other numbers in a part of the body; what is not given is as in the "
                                         "material. Where regions overlap, the later one "
                                         "holds.",
                                         sizeof(SnRegionPart), region_fields, NULL};

static const SnField material_fields[] = {
    {"type", CHOICE_OF(material_or_preset), AT(SnMaterialPart, type), .example = "neo-hookean",
     .doc = "a material or a preset; without it neo-hookean for tetrahedra and triangles, spring for edges"},
    {"preset", CHOICE_OF(preset_name), AT(SnMaterialPart, preset), .example = "rubber",
     .doc = "numbers to start from; keys that are given take their place"},
    {"young", NUMBER, AT(SnMaterialPart, numbers.young), .value = "1e5", .range = ">0", .unit = "Pa",
     .doc = "Young's modulus"},
    {"poisson", NUMBER, AT(SnMaterialPart, numbers.poisson), .value = "0.45", .range = ">-1 <0.5",
     .doc = "Poisson's ratio"},
    {"mu", NUMBER, AT(SnMaterialPart, numbers.mu), .example = "3.4e4", .range = ">0", .unit = "Pa",
     .doc = "with `lambda`, instead of young and poisson: Lame's parameters"},
    {"lambda", NUMBER, AT(SnMaterialPart, numbers.lambda), .example = "3.1e5", .unit = "Pa",
     .doc = "with `mu`; above -2/3 mu"},
    {"density", NUMBER, AT(SnMaterialPart, numbers.density), .value = "1000", .range = ">0", .unit = "kg/m3",
     .doc = "mass per volume at rest"},
    {"area-density", NUMBER, AT(SnMaterialPart, area_density), .example = "0.2", .range = ">0", .unit = "kg/m2",
     .doc = "of a sheet, instead of density; without `thickness`, young, mu and lambda are then per area, in N/m"},
    {"weight", NUMBER, AT(SnMaterialPart, weight), .value = "1", .range = ">0",
     .doc = "scales the weights of ADMM's terms"},
    {"inversion", CHOICE(inversions), AT(SnMaterialPart, inversion), .value = "extend",
     .doc = "what becomes of elements turned inside out: they recover (extend), or it cannot happen (barrier)"},
    {"thickness", NUMBER, AT(SnMaterialPart, thickness), .value = "1e-3", .range = ">0", .unit = "m",
     .doc = "of a sheet, or the diameter of a rope"},
    {"bending", NUMBER, AT(SnMaterialPart, numbers.bending), .example = "1e-5", .range = ">=0", .unit = "N m",
     .doc = BENDING_DOC},
    {"fiber", MAPPING(fiber_mapping), AT(SnMaterialPart, numbers.fiber), .doc = "fibers through tetrahedra"},
    {"ratio", NUMBER, AT(SnMaterialPart, numbers.ratio), .example = "0.2",
     .doc = "of mooney-rivlin: mu2/(mu1 + mu2), 0 to 1"},
    {"stiffening", NUMBER, AT(SnMaterialPart, numbers.stiffening), .example = "1",
     .doc = "of fung: the b of its formula, 0.001 to 1000"},
    {"barrier", NUMBER, AT(SnMaterialPart, numbers.barrier), .example = "0",
     .doc = "of spline: k of k mu max(-ln J, 0)^3, which is added; 0 to 1e6"},
    {"a", RAW, AT(SnMaterialPart, a), .example = "[[0.5, -1.5], [1, 0], [2, 1.5]]",
     .doc =
         "of spline: points [s, a'] of the slope of a(s), in units of mu; a cubic spline between, linear beyond them"},
    {"b", RAW, AT(SnMaterialPart, b), .example = "[[0.5, -0.1], [1, 0], [2, 0.1]]", .doc = "the same for b(s_i s_j)"},
    {"c", RAW, AT(SnMaterialPart, c), .example = "[[0.5, -5], [1, 0], [2, 1]]", .doc = "the same for c(J)"},
    {"regions", LIST(region_mapping), AT(SnMaterialPart, regions), .doc = "where the numbers are others"},
    {"young-field", RAW, AT(SnMaterialPart, young_field), .example = "stiffness",
     .doc = "a field of the mesh file, one positive number per element or node, that multiplies young"},
    {0}};
static const SnMapping material_mapping = {
    "material",
    "What a body is made of, see [Materials](#materials). `material: stvk` is short for `material: {type: stvk}`, and "
    "`material: rubber` for `material: {preset: rubber}`.",
    sizeof(SnMaterialPart), material_fields, "type"};

#define RANGE_DOC "between two values; `min` and `max` are the body's own bounds"
static const SnField where_fields[] = {
    {"nodes", RAW, AT(SnWherePart, nodes), .example = "[0, 1, 2]", .doc = "node numbers from 0, or `all`"},
    {"x", RAW, AT(SnWherePart, range[0]), .example = "[min, min+0.01]", .unit = "m", .doc = RANGE_DOC},
    {"y", RAW, AT(SnWherePart, range[1]), .example = "[min, max]", .unit = "m", .doc = RANGE_DOC},
    {"z", RAW, AT(SnWherePart, range[2]), .example = "[min, max]", .unit = "m", .doc = RANGE_DOC},
    {"box", RAW, AT(SnWherePart, box), .example = "[[0, 0, 0], [1, 1, 1]]", .unit = "m",
     .doc = "two opposite corners; `min` and `max` as above"},
    {"sphere", RAW, AT(SnWherePart, sphere), .example = "[[0, 0, 0], 0.5]", .unit = "m", .doc = "centre and radius"},
    {"group", RAW, AT(SnWherePart, group), .example = "clamped", .doc = "a physical group of the mesh file"},
    {0}};
static const SnMapping where_mapping = {
    "where",
    "Which nodes, chosen on the placed rest shape; with several keys, the nodes that fulfil all. Bounds are included, "
    "with a billionth of the body's size to spare. `where: all` takes every node.",
    sizeof(SnWherePart), where_fields, "nodes"};

static const char* const momentum_ways[] = {"false", "true", "velocity-gradient", "projector", NULL};
static const char* const damping_bases[] = {"strain-rate", "rayleigh", "principal-stretch", NULL};
static const SnField damping_fields[] = {
    {"type", CHOICE_OF(dissipation_name), AT(SnDampingPart, type), .required = true, .example = "rayleigh",
     .doc = "the dissipation function"},
    {"beta", NUMBER, AT(SnDampingPart, beta), .value = "0.01", .range = ">=0", .unit = "s",
     .doc = "of rayleigh and principal-stretch: the part of the stiffness that damps"},
    {"shear", NUMBER, AT(SnDampingPart, shear), .value = "100", .range = ">=0", .unit = "Pa s",
     .doc = "of strain-rate: viscosity"},
    {"bulk", NUMBER, AT(SnDampingPart, bulk), .value = "0", .range = ">=0", .unit = "Pa s",
     .doc = "of strain-rate: viscosity of changes of volume"},
    {"base", CHOICE(damping_bases), AT(SnDampingPart, base), .example = "rayleigh",
     .doc = "of power-law (without it strain-rate) and spline (without it principal-stretch): what they change, whose "
            "own numbers they take as well"},
    {"exponent", NUMBER, AT(SnDampingPart, exponent), .value = "1", .range = ">=0 <=10",
     .doc = "of power laws: the force grows with this power of the rate; 0 is dry, like clay, 1 is viscous"},
    {"reference", NUMBER, AT(SnDampingPart, reference), .value = "100", .range = ">0", .unit = "W/m3",
     .doc = "of power-law: where the base dissipates so much, both do the same"},
    {"strength", NUMBER, AT(SnDampingPart, strength), .value = "100", .range = ">=0", .unit = "Pa s^exponent",
     .doc = "of fast-power-law"},
    {"smoothing", NUMBER, AT(SnDampingPart, smoothing), .value = "1e-3", .range = ">0", .unit = "1/s",
     .doc = "of power laws: rates below this are damped viscously, so that exponents below 1 do not stick"},
    {"curve", RAW, AT(SnDampingPart, curve), .example = "[[0.5, 3], [1, 1], [2, 3]]",
     .doc = "of spline: points [stretch, factor]; a cubic spline between, linear beyond them, 0 where it is negative"},
    {"per-stretch", CHOICE(yes_or_no), AT(SnDampingPart, per_stretch), .value = "false",
     .doc = "of spline over principal-stretch: each stretch has its own factor; otherwise the largest counts"},
    {"drag", NUMBER, AT(SnDampingPart, drag), .value = "0.1", .range = ">=0", .unit = "1/s",
     .doc = "of drag: velocities decay at this rate"},
    {"conserve-momentum", CHOICE(momentum_ways), AT(SnDampingPart, conserve_momentum), .value = "false",
     .doc = "of rayleigh: leave rigid turning alone, and with it the angular momentum; `true` is `velocity-gradient`, "
            "`projector` is the other way; the other types do so anyway"},
    {"group", TEXT, AT(SnDampingPart, group), .example = "bone",
     .doc = "only the elements of this physical group of the mesh file"},
    {"where", MAPPING(where_mapping), AT(SnDampingPart, where), .doc = "only elements all of whose nodes are there"},
    {0}};
static const SnMapping damping_mapping = {
    "damping",
    "How a body loses energy, see [Dissipations](#dissipations); `damping` is a list, whose items add up. "
    "`damping: [rayleigh]` is short for `damping: [{type: rayleigh}]`.",
    sizeof(SnDampingPart), damping_fields, "type"};

static const char* const limit_modes[] = {"auto", "isotropic", "warp-weft", NULL};
static const SnField limits_fields[] = {
    {"stretch", NUMBERS(2), AT(SnLimitsPart, stretch), .value = "[0, inf]", .example = "[0.95, 1.05]",
     .range = ">=0 <=inf",
     .doc =
         "the least and the largest stretch, on either side of 1; edges with `[1, 1]` are rods, with `[0, 1]` ropes"},
    {"mode", CHOICE(limit_modes), AT(SnLimitsPart, mode), .value = "auto",
     .doc = "which stretches: all principal ones; of sheets, those of warp and weft; `auto`: the latter for sheets"},
    {"stiffness", NUMBER, AT(SnLimitsPart, stiffness), .example = "1e7", .range = ">0", .unit = "Pa",
     .doc = "of the energy that takes their place in solvers other than admm, where it only sets the pace; when not "
            "given, ten times what the material and the inertia of an element put up"},
    {0}};
static const SnMapping limits_mapping = {"limits",
                                         "Limits of stretch. `solver: admm` keeps them, the more exactly the further "
                                         "it converges; other solvers resist what "
                                         "is beyond them with a stiff energy.",
                                         sizeof(SnLimitsPart), limits_fields, NULL};

static const SnField body_fields[] = {
    {"name", TEXT, AT(SnBodyPart, name), .example = "bar",
     .doc = "for handles, messages and overrides; `body 0` and so on without it"},
    {"mesh", RAW, AT(SnBodyPart, mesh), .required = true, .example = "{box: {size: [4, 1, 1], cells: [40, 10, 10]}}",
     .doc = "a file or a generated shape"},
    {"place", MAPPING(place_mapping), AT(SnBodyPart, place), .doc = "where the rest shape is put"},
    {"velocity", MAPPING(velocity_mapping), AT(SnBodyPart, velocity), .doc = "velocities at the start"},
    {"start", MAPPING(start_mapping), AT(SnBodyPart, start), .doc = "positions at the start"},
    {"material", MAPPING(material_mapping), AT(SnBodyPart, material), .doc = "what it is made of"},
    {"damping", LIST(damping_mapping), AT(SnBodyPart, damping), .doc = "how it loses energy"},
    {"limits", MAPPING(limits_mapping), AT(SnBodyPart, limits), .doc = "how far it can be stretched at most"},
    {0}};
static const SnMapping body_mapping = {"body", "One deformable body; `bodies` is a list of them.", sizeof(SnBodyPart),
                                       body_fields, NULL};

static const SnField rotate_fields[] = {
    {"axis", NUMBERS(3), AT(SnRotatePart, axis), .example = "[1, 0, 0]", .required = true,
     .doc = "direction of the axis, any length"},
    {"rate", NUMBER, AT(SnRotatePart, rate), .example = "90", .required = true, .unit = "degrees/s",
     .doc = "counter-clockwise seen against the axis"},
    {"centre", NUMBERS(3), AT(SnRotatePart, centre), .example = "[0, 0, 0]", .unit = "m",
     .doc = "a point on the axis; without it the centre of the body's rest bounding box"},
    {0}};
static const SnMapping rotate_mapping = {"rotate", "A rotation of constant rate.", sizeof(SnRotatePart), rotate_fields,
                                         NULL};

static const SnField oscillate_fields[] = {{"amplitude", NUMBERS(3), AT(SnOscillatePart, amplitude),
                                            .example = "[0.1, 0, 0]", .required = true, .unit = "m",
                                            .doc = "the largest displacement"},
                                           {"frequency", NUMBER, AT(SnOscillatePart, frequency), .example = "1.5",
                                            .required = true, .unit = "1/s", .doc = "whole swings per second"},
                                           {0}};
static const SnMapping oscillate_mapping = {"oscillate", "To and fro as a sine of time.", sizeof(SnOscillatePart),
                                            oscillate_fields, NULL};

static const SnField motion_fields[] = {
    {"velocity", NUMBERS(3), AT(SnMotionPart, velocity), .value = "[0, 0, 0]", .unit = "m/s",
     .doc = "constant velocity"},
    {"turn", NUMBERS(2), AT(SnMotionPart, turn), .value = "[0, 0]", .range = ">=0", .unit = "m",
     .doc = "how far the velocity carries ahead and back, from the start, before it changes sign; zeros: it does not"},
    {"rotate", MAPPING(rotate_mapping), AT(SnMotionPart, rotate), .doc = "constant rotation"},
    {"keyframes", RAW, AT(SnMotionPart, keyframes), .example = "[[0, [0, 0, 0]], [1, [0, 0.5, 0]]]", .unit = "s, m",
     .doc = "times and displacements from the start, linear in between"},
    {"oscillate", MAPPING(oscillate_mapping), AT(SnMotionPart, oscillate), .doc = "to and fro"},
    {"until", NUMBER, AT(SnMotionPart, until), .value = "inf", .range = ">=0 <=inf", .unit = "s",
     .doc = "the motion stops here and the nodes are held"},
    {"release", NUMBER, AT(SnMotionPart, release), .value = "inf", .range = ">=0 <=inf", .unit = "s",
     .doc = "the nodes are let go here"},
    {0}};
static const SnMapping motion_mapping = {
    "motion", "How the nodes of a handle move; the parts add up. Without it they are held where they start.",
    sizeof(SnMotionPart), motion_fields, NULL};

static const char* const holds[] = {"eliminate", "energy", NULL};
static const SnField handle_fields[] = {
    {"body", TEXT, AT(SnHandlePart, body), .required = true, .example = "bar",
     .doc = "name of the body, or its number from 0"},
    {"where", MAPPING(where_mapping), AT(SnHandlePart, where), .required = true, .example = "{x: [min, min+0.01]}",
     .doc = "which of its nodes"},
    {"motion", MAPPING(motion_mapping), AT(SnHandlePart, motion), .doc = "how they move"},
    {"how", CHOICE(holds), AT(SnHandlePart, how), .value = "eliminate",
     .doc = "how they are held: taken out of the problem, which is exact and costs nothing, or, to be compared with "
            "that, by an energy stiffness/2 |x - place|² each; `solver: admm` then keeps them in place to convergence"},
    {"stiffness", NUMBER, AT(SnHandlePart, stiffness), .example = "1e6", .range = ">0", .unit = "N/m",
     .doc = "of each node, with `how: energy`; for admm it only sets the pace; when not given, a thousand times what "
            "the node's elements and, in a step, its inertia put up against being moved"},
    {0}};
static const SnMapping handle_mapping = {
    "handle", "Nodes that are held or moved; `handles` is a list of them. A node belongs to one handle at most.",
    sizeof(SnHandlePart), handle_fields, NULL};

static const SnField script_fields[] = {
    {"type", CHOICE_OF(script_name), AT(SnScriptPart, type), .required = true, .example = "twist",
     .doc = "what is done, see [Scripts](#scripts)"},
    {"body", TEXT, AT(SnScriptPart, body), .required = true, .example = "bar",
     .doc = "name of the body, or its number from 0"},
    {"width", NUMBER, AT(SnScriptPart, width), .example = "0.02", .range = ">0 <0.5",
     .doc = "how much of the body's extent each end takes; without it, and the other keys, the script's own"},
    {"speed", NUMBER, AT(SnScriptPart, speed), .example = "0.5", .unit = "m/s",
     .doc = "of each end, outwards; negative: inwards"},
    {"rate", NUMBER, AT(SnScriptPart, rate), .example = "90", .unit = "degrees/s",
     .doc = "of the upper end about the axis; the lower end turns the other way"},
    {"turn", NUMBERS(2), AT(SnScriptPart, turn), .example = "[0.8, 0.4]", .range = ">=0", .unit = "m",
     .doc = "the ends change direction at the first step that finds them this far ahead or back"},
    {0}};
static const SnMapping script_mapping = {
    "script",
    "What the papers do with a body: handles that take its ends along an axis and move them; `scripts` is a list of "
    "them. The motion is a function of time, so that a run can be resumed anywhere.",
    sizeof(SnScriptPart), script_fields, NULL};

static const SnField output_fields[] = {
    {"every", WHOLE, AT(SnOutputPart, every), .value = "1", .range = ">=1",
     .doc = "steps from one stored frame to the next"},
    {"write", RAW, AT(SnOutputPart, write), .value = "[]", .example = "[vtu]",
     .doc = "formats to export beside the run file"},
    {"compress", CHOICE(yes_or_no), AT(SnOutputPart, compress), .value = "false",
     .doc = "the run file's frames are compressed by zlib: mostly 5 to 10 % smaller, but four times as long to write"},
    {0}};
static const SnMapping output_mapping = {"output", "What is written.", sizeof(SnOutputPart), output_fields, NULL};

static const SnField obstacle_fields[] = {
    {"type", CHOICE_OF(obstacle_name), AT(SnObstaclePart, type), .required = true, .example = "plane",
     .doc = "the shape"},
    {"name", TEXT, AT(SnObstaclePart, name), .example = "floor", .doc = "for messages and overrides"},
    {"point", NUMBERS(3), AT(SnObstaclePart, point), .example = "[0, 0, 0]", .unit = "m",
     .doc = "of a plane: a point of it"},
    {"normal", NUMBERS(3), AT(SnObstaclePart, normal), .example = "[0, 1, 0]",
     .doc = "of a plane: outward, any length"},
    {"centre", NUMBERS(3), AT(SnObstaclePart, centre), .example = "[0, 0, 0]", .unit = "m",
     .doc = "of a sphere, box or torus"},
    {"from", NUMBERS(3), AT(SnObstaclePart, from), .example = "[-0.5, 0, 0]", .unit = "m",
     .doc = "of a capsule or cylinder: one end of its axis"},
    {"to", NUMBERS(3), AT(SnObstaclePart, to), .example = "[0.5, 0, 0]", .unit = "m", .doc = "the other end"},
    {"radius", NUMBER, AT(SnObstaclePart, radius), .example = "1", .range = ">0", .unit = "m",
     .doc = "of a sphere, capsule or cylinder; of a torus, that of the circle inside its tube"},
    {"size", NUMBERS(3), AT(SnObstaclePart, size), .example = "[1, 1, 1]", .unit = "m",
     .doc = "of a box; of a terrain along x, up for a height of 1, along z"},
    {"rotate", NUMBERS(4), AT(SnObstaclePart, rotate), .example = "[0, 0, 1, 30]", .unit = "degrees",
     .doc = "of a box: axis (any length) and angle, about its centre"},
    {"axis", NUMBERS(3), AT(SnObstaclePart, axis), .example = "[0, 1, 0]", .doc = "of a torus, any length"},
    {"tube", NUMBER, AT(SnObstaclePart, tube), .example = "0.25", .range = ">0", .unit = "m",
     .doc = "of a torus: radius of its tube"},
    {"corner", NUMBERS(3), AT(SnObstaclePart, corner), .example = "[0, 0, 0]", .unit = "m",
     .doc = "of a terrain: where the first height is, were it 0"},
    {"heights", RAW, AT(SnObstaclePart, heights), .example = "[[0, 0, 0.2], [0, 0.1, 0.3]]",
     .doc = "of a terrain: rows along x, one after the other along z"},
    {"file", TEXT, AT(SnObstaclePart, file), .example = "hills.png",
     .doc = "of a terrain, in place of `heights`: a grey picture (PNG or PGM, 8 or 16 bits); black is 0, white 1, its "
            "top row the first along z"},
    {"mesh", RAW, AT(SnObstaclePart, mesh), .example = "{file: stairs.obj}",
     .doc = "of a mesh: a file or a generated shape, as that of a body; a closed surface, or tetrahedra whose boundary "
            "is taken"},
    {"place", MAPPING(place_mapping), AT(SnObstaclePart, place), .doc = "of a mesh: where it is put"},
    {"frames", RAW, AT(SnObstaclePart, frames), .example = "[walk1.obj, walk2.obj]",
     .doc = "of a mesh, in place of `mesh`: files with as many nodes each, or a pattern such as walk%03d.obj, numbered "
            "from 0 or 1; it "
            "changes from one to the next"},
    {"rate", NUMBER, AT(SnObstaclePart, rate), .value = "30", .range = ">0", .unit = "1/s", .doc = "of `frames`"},
    {"friction", NUMBER, AT(SnObstaclePart, friction), .value = "0", .range = ">=0", .doc = "Coulomb's coefficient"},
    {"thickness", NUMBER, AT(SnObstaclePart, thickness), .example = "1e-3", .range = ">=0", .unit = "m",
     .doc = "nodes are kept this far from its surface; without it, as `contact` says"},
    {"motion", MAPPING(motion_mapping), AT(SnObstaclePart, motion),
     .doc = "how it moves, as a rigid body; `release` has no meaning here"},
    {0}};
const SnMapping sn_obstacle_mapping = {"obstacle",
                                       "Something rigid that bodies touch, see [Obstacles](#obstacles); `obstacles` is "
                                       "a list of them. Each type takes its own "
                                       "numbers only.",
                                       sizeof(SnObstaclePart), obstacle_fields, NULL};

static const char* const contact_methods[] = {"auto", "energy", "uzawa", "gauss-seidel", NULL};
static const char* const restitutions[] = {"0", "1", NULL};
static const SnField contact_fields[] = {
    {"method", CHOICE(contact_methods), AT(SnContactPart, method), .value = "auto",
     .doc = "of `solver: admm` and `pd`: contacts as energies, or as constraints of the global step by Uzawa's method "
            "or Gauss-Seidel (where each has one node, otherwise Uzawa's); `auto`: Uzawa's, and from 300 contacts of "
            "one node without friction on Gauss-Seidel. The other solvers take energies: `auto` or `energy`"},
    {"bodies", CHOICE(yes_or_no), AT(SnContactPart, bodies), .value = "true", .doc = "bodies touch each other"},
    {"self", CHOICE(yes_or_no), AT(SnContactPart, self), .value = "false", .doc = "each body touches itself"},
    {"thickness", NUMBER, AT(SnContactPart, thickness), .value = "1e-3", .range = ">=0", .unit = "m",
     .doc = "nodes are kept this far from surfaces; no node ends a converged step deeper than this inside one"},
    {"friction", NUMBER, AT(SnContactPart, friction), .value = "0", .range = ">=0",
     .doc = "Coulomb's coefficient between bodies"},
    {"slip", NUMBER, AT(SnContactPart, slip), .value = "1e-3", .range = ">0", .unit = "m/s",
     .doc = "friction is smoothed below this speed: what should stick may creep that fast at most"},
    {"push", NUMBER, AT(SnContactPart, push), .value = "0.25", .range = ">0", .unit = "m/s",
     .doc = "what starts inside something is pushed out no faster than this"},
    {"restitution", CHOICE(restitutions), AT(SnContactPart, restitution), .value = "0",
     .doc = "0: what hits does not bounce, but for its elasticity; 1: it bounces as `tr-bdf2`, `bdf2` or `trapezoidal` "
            "have it, and may gain energy"},
    {0}};
static const SnMapping contact_mapping = {
    "contact",
    "How bodies touch. Contact with obstacles needs no `contact`; without it, bodies do not touch each other.",
    sizeof(SnContactPart), contact_fields, NULL};

static const SnField slide_fields[] = {
    {"body", TEXT, AT(SnSlidePart, body), .required = true, .example = "skin",
     .doc = "name of the body that slides, or its number from 0"},
    {"on", TEXT, AT(SnSlidePart, on), .required = true, .example = "muscle",
     .doc = "name of the obstacle, or name or number of the body, that it slides on; a body feels it, an obstacle does "
            "not"},
    {"where", MAPPING(where_mapping), AT(SnSlidePart, where), .doc = "which of its nodes; without it, all of them"},
    {"distance", NUMBER, AT(SnSlidePart, distance), .example = "0", .unit = "m",
     .doc = "from the surface, outwards; without it, as far as each node starts"},
    {0}};
static const SnMapping slide_mapping = {"slide",
                                        "Nodes that stay at their distance from a surface and move freely along it; "
                                        "`slides` is a list of them. They do not "
                                        "touch, as by `contact`, what they slide on.",
                                        sizeof(SnSlidePart), slide_fields, NULL};

static const SnField scene_fields[] = {
    {"name", TEXT, AT(SnScenePart, name), .example = "twisting bar", .doc = "a title; the file's name without it"},
    {"time", MAPPING(time_mapping), AT(SnScenePart, time), .doc = "steps and frames"},
    {"gravity", NUMBERS(3), AT(SnScenePart, gravity), .value = "[0, -9.81, 0]", .unit = "m/s2",
     .doc = "acceleration of free fall"},
    {"integrator", MAPPING(integrator_mapping), AT(SnScenePart, integrator), .doc = "how a step in time is made"},
    {"solver", MAPPING(solver_mapping), AT(SnScenePart, solver), .doc = "how a step is solved"},
    {"bodies", LIST(body_mapping), AT(SnScenePart, bodies), .required = true,
     .example = "[{mesh: {box: {size: [1, 1, 1], cells: [5, 5, 5]}}}]", .doc = "what is simulated"},
    {"handles", LIST(handle_mapping), AT(SnScenePart, handles), .doc = "nodes that are held or moved"},
    {"scripts", LIST(script_mapping), AT(SnScenePart, scripts), .off = true,
     .doc = "ready-made motions of a body's ends"},
    {"obstacles", LIST(sn_obstacle_mapping), AT(SnScenePart, obstacles), .off = true, .doc = "what bodies touch"},
    {"slides", LIST(slide_mapping), AT(SnScenePart, slides), .off = true, .doc = "what slides on what"},
    {"contact", MAPPING(contact_mapping), AT(SnScenePart, contact), .off = true, .doc = "how bodies touch"},
    {"output", MAPPING(output_mapping), AT(SnScenePart, output), .doc = "what is written"},
    {0}};
const SnMapping sn_scene_mapping = {"scene", "The whole file.", sizeof(SnScenePart), scene_fields, NULL};

const char* const sn_mesh_file_doc = "path of a mesh file, relative to the scene's folder";

static void print_values(const SnShapeParameter* parameter, char* text, size_t size)
{
    size_t used = parameter->count > 1 ? (size_t)snprintf(text, size, "[") : 0;
    for (int i = 0; i < parameter->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%g", i ? ", " : "", parameter->values[i]);
    if (parameter->count > 1 && used < size) snprintf(text + used, size - used, "]");
}

void sn_shape_mapping(int shape, SnShapeMapping* out)
{
    const SnShape* row = sn_shapes[shape];
    _Static_assert(SN_SHAPE_PARAMETERS == 4 && SN_SHAPE_PARAMETERS + 2 <= SN_SHAPE_FIELDS, "room for every parameter");
    *out = (SnShapeMapping){.mapping = {row->name, row->summary, sizeof(SnShapePart), out->fields, NULL}};
    int n = 0;
    for (; n < SN_SHAPE_PARAMETERS && row->parameters[n].name; n++) {
        const SnShapeParameter* parameter = &row->parameters[n];
        print_values(parameter, out->text[n], sizeof out->text[n]);
        out->fields[n] = (SnField){parameter->name,
                                   NUMBERS(parameter->count),
                                   .offset = offsetof(SnShapePart, values) + (size_t)n * sizeof(double[3]),
                                   .whole = parameter->integer,
                                   .range = ">0",
                                   .value = out->text[n],
                                   .unit = parameter->unit && *parameter->unit ? parameter->unit : NULL,
                                   .doc = parameter->summary};
    }
    if (row->patterns)
        out->fields[n] = (SnField){"pattern", CHOICE(row->patterns), AT(SnShapePart, pattern),
                                   .value = row->patterns[0], .doc = "how cells are cut into elements"};
}
