// The mappings of a scene: the keys that only a scene has, and, at SN_ROWS and SN_PARTS, the parameters of the parts.
#include "scene/parts.h"

#include <math.h>
#include <string.h>

#include "dissipation/dissipation.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/solid.h"
#include "obstacle/obstacle.h"
#include "potential/actuator.h"
#include "potential/load.h"
#include "solver/initial.h"
#include "world/definitions.h"
#include "world/motion.h"

#define AT(Part, member) .offset = offsetof(Part, member)
#define TEXT .type = SN_TEXT
#define NUMBER .type = SN_NUMBER
#define INTEGER .type = SN_INTEGER
#define NUMBERS(n) .type = SN_NUMBER, .count = (n)
#define MATRIX .type = SN_MATRIX
#define OTHER .type = SN_OTHER
#define RAW .type = SN_RAW
#define MAPPING(m) .type = SN_MAPPING, .inside = &(m)
#define LIST(m) .type = SN_LIST, .inside = &(m)
#define NAMES(...)                 \
    .names = (const char* const[]) \
    {                              \
        __VA_ARGS__, NULL          \
    }
#define CHOICE(...) .type = SN_CHOICE, NAMES(__VA_ARGS__)
#define CHOICE_OF(from) .type = SN_CHOICE, .table = &(from)
#define ROWS(rows) "", .type = SN_ROWS, .inside = (rows)
#define PARTS(from) "", .type = SN_PARTS, .table = &(from)

// The type that a mapping names, or NULL.
static const char* type_of(const SnNode* node)
{
    const SnNode* type = sn_node_find(node, "type");
    return type && type->kind == SN_NODE_SCALAR && !sn_node_is_null(type) ? type->text : NULL;
}

static const SnParameter time_rows[] = {
    {ROWS(sn_time_parameters), AT(SnScenePart, world)},
    {"frames", INTEGER, AT(SnScenePart, frames), .value = "100", .range = ">=0", .doc = "how many steps to simulate"},
    {0},
};
static const SnMapping time_mapping = {"time", "How finely and how long to simulate.", sizeof(SnScenePart),
                                       .rows = time_rows, .node = offsetof(SnScenePart, time)};

static const SnParameter integrator_rows[] = {
    {ROWS(sn_integrator_parameters), AT(SnScenePart, world)},
    {PARTS(sn_integrator_table), AT(SnScenePart, world), .off = true},
    {0},
};
static const SnMapping integrator_mapping = {
    "integrator",
    "How a step in time is made, see [Integrators](#integrators). `integrator: static` is short for "
    "`integrator: {type: static}`.",
    sizeof(SnScenePart),
    .rows = integrator_rows,
    "type",
    .node = offsetof(SnScenePart, integrator)};

static void start_solver(void* out, const SnNode* node)
{
    SnSolverDef* solver = &((SnScenePart*)out)->world.solver;
    *solver = sn_default_solver_def();
    if (type_of(node) && sn_solver_find(type_of(node))) solver->type = sn_solver_find(type_of(node))->name;
    sn_solver_def_take_type(solver);
}

static const SnParameter solver_rows[] = {
    {ROWS(sn_solver_parameters), AT(SnScenePart, world.solver)},
    {PARTS(sn_solver_table), AT(SnScenePart, world.solver)},
    {PARTS(sn_initial_table), AT(SnScenePart, world.solver)},
    {0},
};
static const SnMapping solver_mapping = {
    "solver",
    "How the minimisation of each step is solved; it stops at the tolerance or after the iterations, whichever comes "
    "first. See [Solvers](#solvers) and [Initials](#initials). `solver: newton` is short for `solver: {type: newton}`.",
    sizeof(SnScenePart),
    .rows = solver_rows,
    "type",
    .node = offsetof(SnScenePart, solver),
    .start = start_solver};

static const SnParameter place_rows[] = {
    {"turn", NUMBERS(4), AT(SnPlacePart, turn), .value = "[0, 0, 1, 0]", .unit = "degrees",
     .doc = "axis (any length) and angle, about the origin, before it is fitted"},
    {"fit", NUMBER, AT(SnPlacePart, fit), .example = "1", .range = ">0", .unit = "m",
     .doc = "scale the longest side of the bounding box to this and put its minimum corner at 0"},
    {"scale", NUMBER, AT(SnPlacePart, scale), .value = "1", .range = ">0", .doc = "scale about the origin"},
    {"rotate", NUMBERS(4), AT(SnPlacePart, rotate), .value = "[0, 0, 1, 0]", .unit = "degrees",
     .doc = "axis (any length) and angle, about the origin"},
    {"move", NUMBERS(3), AT(SnPlacePart, move), .value = "[0, 0, 0]", .unit = "m", .doc = "translation"},
    {0},
};
static const SnMapping place_mapping = {"place",
                                        "Where the rest shape is put: turn, fit, scale, rotate, move, in this order.",
                                        sizeof(SnPlacePart), .rows = place_rows};

static const SnParameter copies_rows[] = {
    {"count", SN_INTEGER, .count = 3, AT(SnCopiesPart, count), .value = "[1, 1, 1]", .range = ">=1",
     .doc = "along x, y and z"},
    {"step", NUMBERS(3), AT(SnCopiesPart, step), .value = "[1, 1, 1]", .unit = "m", .doc = "from one to the next"},
    {"rotate", NUMBERS(4), AT(SnCopiesPart, rotate), .value = "[0, 0, 1, 0]", .unit = "degrees",
     .doc = "axis and angle by which each is turned further than the one before, about its own middle"},
    {0},
};
static const SnMapping copies_mapping = {
    "copies",
    "The body several times over, at the points of a grid; `ball` becomes the bodies `ball 0`, `ball 1` and so on, x "
    "counting fastest.",
    sizeof(SnCopiesPart), .rows = copies_rows};

#define NO_GRADIENT "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]"
static const SnParameter velocity_rows[] = {
    {"linear", NUMBERS(3), AT(SnVelocityPart, linear), .value = "[0, 0, 0]", .unit = "m/s", .doc = "of every node"},
    {"angular", NUMBERS(3), AT(SnVelocityPart, angular), .value = "[0, 0, 0]", .unit = "rad/s",
     .doc = "rotation about the centre of mass"},
    {"gradient", MATRIX, AT(SnVelocityPart, gradient), .value = NO_GRADIENT, .unit = "1/s",
     .doc = "matrix times the offset from the centre of mass"},
    {0},
};
static const SnMapping velocity_mapping = {"velocity", "Velocities at the start; the parts add up.",
                                           sizeof(SnVelocityPart), .rows = velocity_rows};

static const SnParameter start_rows[] = {
    {"shape", CHOICE("rest", "point", "random"), AT(SnStartPart, shape), .value = "rest",
     .doc = "as the mesh is; all nodes in the centre of its bounding box; or each anywhere in that box"},
    {"seed", INTEGER, AT(SnStartPart, seed), .value = "1", .range = ">=0", .doc = "of `shape: random`"},
    {"stretch", NUMBERS(3), AT(SnStartPart, stretch), .example = "[2, 1, 1]",
     .doc = "factors along x, y, z about the centre of the bounding box"},
    {"twist", NUMBER, AT(SnStartPart, twist), .example = "90", .unit = "degrees",
     .doc = "turn about the x axis through the centre, from minus half at the lower end to plus half at the upper"},
    {"gradient", MATRIX, AT(SnStartPart, gradient), .example = "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
     .doc = "matrix times the rest position"},
    {0},
};
static const SnMapping start_mapping = {
    "start",
    "Positions at the start, made from the placed rest shape: one of `shape`, `stretch`, `twist`, `gradient`. "
    "`start: point` is short for `start: {shape: point}`.",
    sizeof(SnStartPart), .rows = start_rows, .shorthand = "shape"};

static const SnParameter fiber_rows[] = {
    {"stiffness", NUMBER, AT(SnFiberPart, stiffness), .example = "1e5", .range = ">=0", .unit = "Pa",
     .doc = "k of k/2 (|F d| - 1)^2, what a stretch along the fibers costs; needed in a material"},
    {"direction", RAW, AT(SnFiberPart, direction), .example = "[1, 0, 0]",
     .doc = "d in the placed rest shape, any length; or `{field: NAME}`, a field of the mesh file with three numbers "
            "per element or node, which turns with the mesh (zero: no fibers there); needed in a material"},
    {0},
};
static const SnMapping fiber_mapping = {"fiber",
                                        "Fibers in a body of tetrahedra, added to its material: they resist being "
                                        "stretched and shortened along their direction.",
                                        sizeof(SnFiberPart), .rows = fiber_rows};

#define MU_DOC "with `lambda`, instead of young and poisson: Lame's parameters"
#define LAMBDA_DOC "with `mu`; above -2/3 mu"
static const SnParameter region_rows[] = {
    {"group", TEXT, AT(SnRegionPart, group), .required = true, .example = "bone",
     .doc = "a physical group of the mesh file, of the elements that the body is made of"},
    {ROWS(sn_elastic_parameters), AT(SnRegionPart, numbers.def)},
    {"mu", NUMBER, AT(SnRegionPart, numbers.mu), .example = "4e5", .range = ">0", .unit = "Pa", .doc = MU_DOC},
    {"lambda", NUMBER, AT(SnRegionPart, numbers.lambda), .example = "6e5", .unit = "Pa", .doc = LAMBDA_DOC},
    {PARTS(sn_material_table), AT(SnRegionPart, numbers.def), .off = true},
    {"fiber", MAPPING(fiber_mapping), AT(SnRegionPart, numbers.fiber), .doc = "other fibers; stiffness 0: none"},
    {0},
};
static const SnMapping region_mapping = {"region",
                                         "Other numbers in a part of the body; what is not given is as in the "
                                         "material. Where regions overlap, the later one "
                                         "holds.",
                                         sizeof(SnRegionPart), .rows = region_rows, .partial = true};

static void start_material(void* out, const SnNode* node)
{
    (void)node;
    SnMaterial* def = &((SnMaterialPart*)out)->numbers.def;
    *def = sn_material(NULL, 0, 0, 0);
    sn_parameters_default(sn_elastic_parameters, def);
}

static const SnParameter material_rows[] = {
    {"type", CHOICE_OF(sn_material_table), .second = &sn_preset_table, AT(SnMaterialPart, type),
     .example = "neo-hookean",
     .doc = "a material or a preset; without it neo-hookean for tetrahedra and triangles, spring for edges"},
    {"preset", CHOICE_OF(sn_preset_table), AT(SnMaterialPart, preset), .example = "rubber",
     .doc = "numbers to start from; keys that are given take their place"},
    {ROWS(sn_elastic_parameters), AT(SnMaterialPart, numbers.def)},
    {"mu", NUMBER, AT(SnMaterialPart, numbers.mu), .example = "3.4e4", .range = ">0", .unit = "Pa", .doc = MU_DOC},
    {"lambda", NUMBER, AT(SnMaterialPart, numbers.lambda), .example = "3.1e5", .unit = "Pa", .doc = LAMBDA_DOC},
    {"area-density", NUMBER, AT(SnMaterialPart, area_density), .example = "0.2", .range = ">0", .unit = "kg/m2",
     .doc = "of a sheet, instead of density; without `thickness`, young, mu and lambda are then per area, in N/m"},
    {ROWS(sn_stuff_parameters), AT(SnMaterialPart, numbers.def)},
    {"fiber", MAPPING(fiber_mapping), AT(SnMaterialPart, numbers.fiber), .doc = "fibers through tetrahedra"},
    {PARTS(sn_material_table), AT(SnMaterialPart, numbers.def), .off = true},
    {"regions", LIST(region_mapping), AT(SnMaterialPart, regions), .doc = "where the numbers are others"},
    {"young-field", OTHER, .example = "stiffness",
     .doc = "a field of the mesh file, one positive number per element or node, that multiplies young"},
    {0},
};
static const SnMapping material_mapping = {
    "material",
    "What a body is made of, see [Materials](#materials). `material: stvk` is short for `material: {type: stvk}`, and "
    "`material: rubber` for `material: {preset: rubber}`.",
    sizeof(SnMaterialPart),
    .rows = material_rows,
    "type",
    .start = start_material};

#define RANGE_DOC "between two values; `min` and `max` are the body's own bounds"
static const SnParameter where_rows[] = {
    {"nodes", RAW, AT(SnWherePart, nodes), .example = "[0, 1, 2]", .doc = "node numbers from 0, or `all`"},
    {"x", RAW, AT(SnWherePart, range[0]), .example = "[min, min+0.01]", .unit = "m", .doc = RANGE_DOC},
    {"y", RAW, AT(SnWherePart, range[1]), .example = "[min, max]", .unit = "m", .doc = RANGE_DOC},
    {"z", RAW, AT(SnWherePart, range[2]), .example = "[min, max]", .unit = "m", .doc = RANGE_DOC},
    {"box", RAW, AT(SnWherePart, box), .example = "[[0, 0, 0], [1, 1, 1]]", .unit = "m",
     .doc = "two opposite corners; `min` and `max` as above"},
    {"sphere", RAW, AT(SnWherePart, sphere), .example = "[[0, 0, 0], 0.5]", .unit = "m", .doc = "centre and radius"},
    {"group", RAW, AT(SnWherePart, group), .example = "clamped", .doc = "a physical group of the mesh file"},
    {0},
};
static const SnMapping where_mapping = {
    "where",
    "Which nodes, chosen on the placed rest shape; with several keys, the nodes that fulfil all. Bounds are included, "
    "with a billionth of the body's size to spare. `where: all` takes every node.",
    sizeof(SnWherePart), .rows = where_rows, .shorthand = "nodes"};

static void start_damping(void* out, const SnNode* node)
{
    ((SnDampingPart*)out)->def = sn_default_damping_def(type_of(node));
}

static const SnParameter damping_rows[] = {
    {"type", CHOICE_OF(sn_dissipation_table), AT(SnDampingPart, def.type), .required = true, .example = "rayleigh",
     .doc = "the dissipation function"},
    {PARTS(sn_dissipation_table), AT(SnDampingPart, def), .off = true},
    {ROWS(sn_damping_parameters), AT(SnDampingPart, def)},
    {"group", TEXT, AT(SnDampingPart, group), .example = "bone",
     .doc = "only the elements of this physical group of the mesh file"},
    {"where", MAPPING(where_mapping), AT(SnDampingPart, where), .doc = "only elements all of whose nodes are there"},
    {0},
};
static const SnMapping damping_mapping = {
    "damping",
    "How a body loses energy, see [Dissipations](#dissipations); `damping` is a list, whose items add up. "
    "`damping: [rayleigh]` is short for `damping: [{type: rayleigh}]`.",
    sizeof(SnDampingPart),
    .rows = damping_rows,
    "type",
    .start = start_damping};

static const SnParameter limits_rows[] = {
    {ROWS(sn_limits_parameters), AT(SnLimitsPart, def)},
    {0},
};
static const SnMapping limits_mapping = {"limits",
                                         "Limits of stretch. `solver: admm` keeps them, the more exactly the further "
                                         "it converges; other solvers resist what "
                                         "is beyond them with a stiff energy.",
                                         sizeof(SnLimitsPart), .rows = limits_rows};

#define GROUPS_DOC "names of groups that it is in; `pairs` of the scene's `contact` may mean all that are in one"
static const SnParameter body_contact_rows[] = {
    {"self", .type = SN_BOOLEAN, AT(SnBodyContactPart, self), .example = "true",
     .doc = "it touches itself; without it, as `contact` of the scene says"},
    {ROWS(sn_body_contact_parameters), AT(SnBodyContactPart, def)},
    {"groups", RAW, AT(SnBodyContactPart, groups), .example = "[cloth]",
     .doc = GROUPS_DOC "; copies are in one of their common name"},
    {0},
};
static const SnMapping body_contact_mapping = {
    "body-contact", "How this body touches, where that is not as `contact` of the scene says.",
    sizeof(SnBodyContactPart), .rows = body_contact_rows};

static const SnParameter solid_rows[] = {
    {"surface", RAW, AT(SnSolidPart, surface), .required = true, .example = "bunny.obj",
     .doc = "path of a surface, relative to the scene's folder; or a generated shape, whose boundary it is"},
    {ROWS(sn_solid_parameters), AT(SnSolidPart, def)},
    {"skin", .type = SN_BOOLEAN, AT(SnSolidPart, skin), .value = "true",
     .doc = "the surface is carried along, and drawn and exported in place of the solid's own"},
    {0},
};
const SnMapping sn_solid_mapping = {
    "surface",
    "A solid made out of a surface, which may have holes, cross itself or face inward; see [surfaces](surfaces.md). It "
    "is made of the placed surface: lengths are those of the scene.",
    sizeof(SnSolidPart), .rows = solid_rows};

static const SnParameter skin_rows[] = {
    {"file", TEXT, AT(SnSkinPart, file), .example = "bunny.obj",
     .doc =
         "path of a surface, relative to the scene's folder, in the mesh file's coordinates; without it, the surface "
         "that the solid is made of"},
    {"weights", .type = SN_ENUM, AT(SnSkinPart, weights), .value = "linear",
     .names = (const char* const[]){"linear", "smooth", NULL},
     .doc = "how it follows the nodes: as points of tetrahedra, with a crease where these meet, or `smooth` where they "
            "bend evenly; a smooth one cannot touch"},
    {0},
};
static const SnMapping skin_mapping = {
    "skin",
    "A surface that the body's tetrahedra carry along, drawn and exported in place of their own, with its own "
    "vertices, "
    "faces, texture coordinates, normals, colours and groups; see [surfaces](surfaces.md). `skin: bunny.obj` is short "
    "for `skin: {file: bunny.obj}`.",
    sizeof(SnSkinPart), .rows = skin_rows, .shorthand = "file"};

static const SnParameter body_rows[] = {
    {"name", TEXT, AT(SnBodyPart, name), .example = "bar",
     .doc = "for handles, messages and overrides; `body 0` and so on without it"},
    {"mesh", RAW, AT(SnBodyPart, mesh), .required = true, .example = "{box: {size: [4, 1, 1], cells: [40, 10, 10]}}",
     .doc = "a file, a generated shape, or a solid out of a surface"},
    {"skin", MAPPING(skin_mapping), AT(SnBodyPart, skin), .off = true, .doc = "a surface that it carries along"},
    {"shell", .type = SN_BOOLEAN, AT(SnBodyPart, shell), .value = "false",
     .doc = "a closed surface of triangles is meant as a thin shell around nothing"},
    {"place", MAPPING(place_mapping), AT(SnBodyPart, place), .doc = "where the rest shape is put"},
    {"copies", MAPPING(copies_mapping), AT(SnBodyPart, copies), .off = true, .doc = "more of the same, elsewhere"},
    {"velocity", MAPPING(velocity_mapping), AT(SnBodyPart, velocity), .doc = "velocities at the start"},
    {"start", MAPPING(start_mapping), AT(SnBodyPart, start), .doc = "positions at the start"},
    {"material", MAPPING(material_mapping), AT(SnBodyPart, material), .doc = "what it is made of"},
    {ROWS(sn_body_parameters), AT(SnBodyPart, def)},
    {"damping", LIST(damping_mapping), AT(SnBodyPart, damping), .doc = "how it loses energy"},
    {"limits", MAPPING(limits_mapping), AT(SnBodyPart, limits), .doc = "how far it can be stretched at most"},
    {"contact", MAPPING(body_contact_mapping), AT(SnBodyPart, contact), .doc = "how it touches"},
    {0},
};
static const SnMapping body_mapping = {"body", "One deformable body; `bodies` is a list of them.", sizeof(SnBodyPart),
                                       .rows = body_rows};

static const SnParameter rotate_rows[] = {
    {ROWS(sn_rotate_parameters), AT(SnMotionPart, def)},
    {0},
};
static const SnMapping rotate_mapping = {"rotate", "A rotation of constant rate.", sizeof(SnMotionPart),
                                         .rows = rotate_rows, .node = offsetof(SnMotionPart, rotate)};

static const SnParameter oscillate_rows[] = {
    {ROWS(sn_oscillate_parameters), AT(SnMotionPart, def)},
    {0},
};
static const SnMapping oscillate_mapping = {"oscillate", "To and fro as a sine of time.", sizeof(SnMotionPart),
                                            .rows = oscillate_rows, .node = offsetof(SnMotionPart, oscillate)};

static const SnParameter motion_rows[] = {
    {ROWS(sn_motion_parameters), AT(SnMotionPart, def)},
    {"rotate", MAPPING(rotate_mapping), .doc = "constant rotation"},
    {"keyframes", OTHER, .example = "[[0, [0, 0, 0]], [1, [0, 0.5, 0]]]", .unit = "s, m",
     .doc = "times and displacements from the start, linear in between"},
    {"oscillate", MAPPING(oscillate_mapping), .doc = "to and fro"},
    {"cache", TEXT, AT(SnMotionPart, cache), .example = "walk.pc2", .off = true,
     .doc =
         "a point cache with the places of all vertices of the mesh file, or, for a handle, of its nodes alone, frame "
         "by frame, in the coordinates of the mesh file; see [pipelines](pipelines.md)"},
    {"rate", NUMBER, AT(SnMotionPart, rate), .value = "30", .range = ">0", .unit = "1/s",
     .doc = "frames of the `cache` per second, where it has no times of its own"},
    {0},
};
static const SnMapping motion_mapping = {
    "motion", "How the nodes of a handle move; the parts add up. Without it they are held where they start.",
    sizeof(SnMotionPart), .rows = motion_rows};

static const SnParameter hinge_rows[] = {
    {ROWS(sn_hinge_parameters), AT(SnHandlePart, def)},
    {0},
};
static const SnMapping hinge_mapping = {"hinge",
                                        "The nodes of a handle keep their places relative to each other, as on a stiff "
                                        "plate, and turn freely together about "
                                        "an axis or a point. The handle's `motion` takes both along.",
                                        sizeof(SnHandlePart), .rows = hinge_rows,
                                        .node = offsetof(SnHandlePart, hinge)};

static const SnParameter handle_rows[] = {
    {"name", TEXT, AT(SnHandlePart, name), .example = "top",
     .doc = "for overrides and `measure`; `handle 0` and so on without it"},
    {"body", TEXT, AT(SnHandlePart, body), .required = true, .example = "bar",
     .doc = "name of the body, or its number from 0"},
    {"where", MAPPING(where_mapping), AT(SnHandlePart, where), .required = true, .example = "{x: [min, min+0.01]}",
     .doc = "which of its nodes"},
    {"motion", MAPPING(motion_mapping), AT(SnHandlePart, motion), .doc = "how they move"},
    {"axes", RAW, AT(SnHandlePart, axes), .example = "[x]",
     .doc =
         "in which directions they are held, each `x`, `y`, `z` or a vector, as in `[[1, 1, 0]]`; without it, in all. "
         "Across these they are free: a roller, a plane of symmetry. A node may be in several such handles"},
    {"hinge", MAPPING(hinge_mapping), .off = true,
     .doc = "they turn together, about an axis or a point: a pin, a ball joint"},
    {ROWS(sn_handle_parameters), AT(SnHandlePart, def)},
    {"to", NUMBER, AT(SnHandlePart, to), .count = 3, .unset = "[nan, nan, nan]", .example = "[0, 1, 0]", .unit = "m",
     .doc = "with `how: energy`: the point that the springs of all its nodes go to, before it is moved; without it, "
            "where each one starts"},
    {0},
};
static const SnMapping handle_mapping = {
    "handle", "Nodes that are held or moved; `handles` is a list of them. A node belongs to one handle at most.",
    sizeof(SnHandlePart), .rows = handle_rows};

// The script's own numbers, where the scene has no others.
static void start_script(void* out, const SnNode* node)
{
    const SnScript* script = sn_script_find(type_of(node) ? type_of(node) : "");
    if (script) ((SnScriptPart*)out)->def = *script;
}

static const SnParameter script_rows[] = {
    {"type", CHOICE_OF(sn_script_table), AT(SnScriptPart, type), .required = true, .example = "twist",
     .doc = "what is done, see [Scripts](#scripts)"},
    {"body", TEXT, AT(SnScriptPart, body), .required = true, .example = "bar",
     .doc = "name of the body, or its number from 0"},
    {"width", NUMBER, AT(SnScriptPart, def.width), .example = "0.02", .range = ">0 <0.5",
     .doc = "how much of the body's extent each end takes; without it, and the other keys, the script's own"},
    {"speed", NUMBER, AT(SnScriptPart, def.speed), .example = "0.5", .unit = "m/s",
     .doc = "of each end, outwards; negative: inwards"},
    {"rate", NUMBER, AT(SnScriptPart, def.rate), .example = "90", .unit = "degrees/s",
     .doc = "of the upper end about the axis; the lower end turns the other way"},
    {"turn", NUMBERS(2), AT(SnScriptPart, def.turn), .example = "[0.8, 0.4]", .range = ">=0", .unit = "m",
     .doc = "the ends change direction at the first step that finds them this far ahead or back"},
    {0},
};
static const SnMapping script_mapping = {
    "script",
    "What the papers do with a body: handles that take its ends along an axis and move them; `scripts` is a list of "
    "them. The motion is a function of time, so that a run can be resumed anywhere.",
    sizeof(SnScriptPart), .rows = script_rows, .start = start_script};

static const SnParameter output_rows[] = {
    {"every", INTEGER, AT(SnScenePart, every), .value = "1", .range = ">=1",
     .doc = "steps from one stored frame to the next"},
    {"write", OTHER, .value = "[]", .example = "[vtu]", .doc = "formats to export beside the run file"},
    {"compress", .type = SN_BOOLEAN, AT(SnScenePart, compress), .value = "false",
     .doc = "the run file's frames are compressed by zlib: mostly 5 to 10 % smaller, but four times as long to write"},
    {"contacts", .type = SN_BOOLEAN, AT(SnScenePart, contacts), .value = "true",
     .doc = "the run file has the contacts that push in each frame: places, forces, what sticks and what slides"},
    {"residuals", .type = SN_BOOLEAN, AT(SnScenePart, residuals), .value = "false",
     .doc = "the run file has what solves have left over at each node in each frame, for `sinew view` to colour by"},
    {"forces", .type = SN_BOOLEAN, AT(SnScenePart, forces), .value = "false",
     .doc =
         "the run file has force, torque and work of each handle, obstacle and load, and what contacts of bodies with "
         "obstacles and each other exert, as if `measure` asked for all of them"},
    {0},
};
static const SnMapping output_mapping = {"output", "What is written.", sizeof(SnScenePart), .rows = output_rows,
                                         .node = offsetof(SnScenePart, output)};

static void start_obstacle(void* out, const SnNode* node)
{
    SnObstacleDef* def = &((SnObstaclePart*)out)->def;
    *def = sn_default_obstacle_def();
    def->shape = sn_obstacle(type_of(node) ? type_of(node) : "");
}

static const SnParameter obstacle_rows[] = {
    {"type", CHOICE_OF(sn_obstacle_table), AT(SnObstaclePart, def.shape.type), .required = true, .example = "plane",
     .doc = "the shape"},
    {"name", TEXT, AT(SnObstaclePart, def.name), .example = "floor", .doc = "for messages and overrides"},
    {"place", MAPPING(place_mapping), AT(SnObstaclePart, place), .doc = "of `type: mesh`: where it is put"},
    {PARTS(sn_obstacle_table), AT(SnObstaclePart, def.shape), .off = true},
    {ROWS(sn_obstacle_parameters), AT(SnObstaclePart, def)},
    {"groups", RAW, AT(SnObstaclePart, groups), .example = "[ground]", .doc = GROUPS_DOC},
    {"shelf", .type = SN_BOOLEAN, AT(SnObstaclePart, def.shelf), .value = "false",
     .doc = "it is not there until it is taken from the shelf, [while it runs](live.md#bodies-that-come-and-go)"},
    {"motion", MAPPING(motion_mapping), AT(SnObstaclePart, motion),
     .doc = "how it moves, as a rigid body; `release` has no meaning here"},
    {0},
};
static const SnMapping obstacle_mapping = {"obstacle",
                                           "Something rigid that bodies touch, see [Obstacles](#obstacles); "
                                           "`obstacles` is a list of them. Each type takes its own numbers only.",
                                           sizeof(SnObstaclePart), .rows = obstacle_rows, .start = start_obstacle};

static const SnParameter contact_pair_rows[] = {
    {"between", RAW, AT(SnContactPairPart, between), .required = true, .example = "[shirt, floor]",
     .doc = "two names: of a body (or its number from 0), of an obstacle, or of a group, which is each that is in it; "
            "`all` is everything. Twice the same body is that body and itself; otherwise nobody is meant with itself"},
    {"touch", .type = SN_BOOLEAN, AT(SnContactPairPart, touch), .example = "false",
     .doc = "whether they touch; without it, as otherwise"},
    {ROWS(sn_contact_pair_parameters), AT(SnContactPairPart, def)},
    {0},
};
static const SnMapping contact_pair_mapping = {
    "pair",
    "What two are to each other; `pairs` is a list of these. Of several that mean the same two, the last one that says "
    "something counts.",
    sizeof(SnContactPairPart), .rows = contact_pair_rows};

// Where the scene has no `contact`, bodies do not touch each other.
static void start_contact(void* out, const SnNode* node)
{
    SnContactDef* contact = &((SnScenePart*)out)->world.contact;
    sn_parameters_default(sn_contact_parameters, contact);
    if (!node) contact->bodies = false;
}

static const SnParameter contact_rows[] = {
    {ROWS(sn_contact_parameters), AT(SnScenePart, world.contact)},
    {"pairs", LIST(contact_pair_mapping), AT(SnScenePart, contact_pairs),
     .doc = "who touches whom, and how they rub, where that is not as above"},
    {0},
};
static const SnMapping contact_mapping = {
    "contact",
    "How bodies touch. Contact with obstacles needs no `contact`; without it, bodies do not touch each other.",
    sizeof(SnScenePart),
    .rows = contact_rows,
    .node = offsetof(SnScenePart, contact),
    .start = start_contact};

// Where the scene has no `sleep`, nothing sleeps.
static void start_sleep(void* out, const SnNode* node)
{
    SnSleepDef* sleep = &((SnScenePart*)out)->world.sleep;
    sn_parameters_default(sn_sleep_parameters, sleep);
    if (!node) sleep->speed = 0;
}

static const SnParameter sleep_rows[] = {{ROWS(sn_sleep_parameters), AT(SnScenePart, world.sleep)}, {0}};
static const SnMapping sleep_mapping = {
    "sleep",
    "Bodies that have come to rest sleep: they are held where they are and cost next to nothing, until something comes "
    "near or they are changed ([live](live.md#bodies-that-sleep)). Without it none does.",
    sizeof(SnScenePart), .rows = sleep_rows, .start = start_sleep};

static void start_slide(void* out, const SnNode* node)
{
    (void)node;
    ((SnSlidePart*)out)->def = sn_default_slide_def();
}

static const SnParameter slide_rows[] = {
    {"body", TEXT, AT(SnSlidePart, body), .required = true, .example = "skin",
     .doc = "name of the body that slides, or its number from 0"},
    {"on", TEXT, AT(SnSlidePart, on), .required = true, .example = "muscle",
     .doc = "name of the obstacle, or name or number of the body, that it slides on; a body feels it, an obstacle does "
            "not"},
    {"where", MAPPING(where_mapping), AT(SnSlidePart, where), .doc = "which of its nodes; without it, all of them"},
    {ROWS(sn_slide_parameters), AT(SnSlidePart, def)},
    {0},
};
static const SnMapping slide_mapping = {"slide",
                                        "Nodes that stay at their distance from a surface and move freely along it; "
                                        "`slides` is a list of them. They do not "
                                        "touch, as by `contact`, what they slide on.",
                                        sizeof(SnSlidePart), .rows = slide_rows, .start = start_slide};

static const SnParameter load_rows[] = {
    {"name", TEXT, AT(SnLoadPart, name), .example = "press",
     .doc = "for overrides and `measure`; `load 0` and so on without it"},
    {"body", TEXT, AT(SnLoadPart, body), .required = true, .example = "flag",
     .doc = "name of the body, or its number from 0"},
    {"where", MAPPING(where_mapping), AT(SnLoadPart, where),
     .doc = "which of its nodes; without it, all of them. Loads on a surface act on triangles with all corners chosen"},
    {ROWS(sn_load_parameters), AT(SnLoadPart, def)},
    {PARTS(sn_load_table), AT(SnLoadPart, def), .off = true},
    {0},
};
static const SnMapping load_mapping = {
    "load",
    "Forces from outside on a body, of one kind each, which is the key by that name, see [Loads](#loads); `loads` is a "
    "list of them. In a step they act as they find the nodes at its beginning; what depends on velocities, as drag "
    "does, is solved for.",
    sizeof(SnLoadPart), .rows = load_rows};

static const SnParameter actuator_rows[] = {
    {"name", TEXT, AT(SnActuatorPart, name), .example = "biceps",
     .doc = "for overrides; `actuator 0` and so on without it"},
    {"body", TEXT, AT(SnActuatorPart, body), .required = true, .example = "arm",
     .doc = "name of the body, or its number from 0"},
    {"group", TEXT, AT(SnActuatorPart, group), .example = "muscle",
     .doc = "only the elements of this physical group of the mesh file"},
    {"where", MAPPING(where_mapping), AT(SnActuatorPart, where), .doc = "only elements all of whose nodes are there"},
    {ROWS(sn_actuator_parameters), AT(SnActuatorPart, def)},
    {PARTS(sn_actuator_table), AT(SnActuatorPart, def), .off = true},
    {0},
};
static const SnMapping actuator_mapping = {
    "actuator",
    "What changes by itself within a body, of one kind each, which is the key by that name, see "
    "[Actuators](#actuators); `actuators` is a list of them. Where several act on an element, lengths multiply and "
    "tensions add up.",
    sizeof(SnActuatorPart), .rows = actuator_rows};

static const SnParameter probe_end_rows[] = {
    {"body", TEXT, AT(SnProbeEndPart, body), .example = "bar",
     .doc = "name of the body, or its number from 0; of probes: another one than theirs"},
    {"where", MAPPING(where_mapping), AT(SnProbeEndPart, where), .doc = "which of its nodes; without it, all of them"},
    {0},
};
static const SnMapping probe_end_mapping = {"end",
                                            "Nodes of a body: what a probe measures to, or an attachment is between.",
                                            sizeof(SnProbeEndPart), .rows = probe_end_rows};

static const SnParameter probe_rows[] = {
    {"name", TEXT, AT(SnProbePart, name), .example = "tip",
     .doc = "by which plots and tables have it; `probe 0` and so on without it"},
    {ROWS(sn_probe_parameters), AT(SnProbePart, def)},
    {"body", TEXT, AT(SnProbePart, body), .example = "bar",
     .doc = "name of the body, or its number from 0; not of forces"},
    {"where", MAPPING(where_mapping), AT(SnProbePart, where),
     .doc =
         "which of its nodes; without it, all of them. Fields of elements are taken of those with all corners there, "
         "and, where there is none, of those with any"},
    {"to", MAPPING(probe_end_mapping), AT(SnProbePart, to), .off = true,
     .doc = "of `distance` and `angle`: the other end"},
    {"at", MAPPING(probe_end_mapping), AT(SnProbePart, at), .off = true, .doc = "of `angle`: its corner"},
    {"of", RAW, AT(SnProbePart, of), .example = "top",
     .doc = "of forces: the name of the handle, obstacle, load or attachment that exerts them, or two bodies, as in "
            "`[bar, ball]`: "
            "then what contacts with the second exert on the first"},
    {0},
};
static const SnMapping probe_mapping = {
    "probe",
    "What is measured at the end of each step and kept in the run file, see [Probes](#probes) and "
    "[measuring](measuring.md); `measure` is a list of them.",
    sizeof(SnProbePart), .rows = probe_rows};

static void start_attachment(void* out, const SnNode* node)
{
    (void)node;
    ((SnAttachPart*)out)->def = sn_default_attachment_def();
}

static const SnParameter attachment_rows[] = {
    {"name", TEXT, AT(SnAttachPart, name), .example = "hem",
     .doc = "for overrides and `measure`; `attachment 0` and so on without it"},
    {"from", MAPPING(probe_end_mapping), AT(SnAttachPart, from), .required = true,
     .example = "{body: shirt, where: {y: [min, min]}}", .doc = "which nodes of which body are tied"},
    {"to", MAPPING(probe_end_mapping), AT(SnAttachPart, to), .required = true, .example = "{body: skirt}",
     .doc =
         "the body that they are tied to, each at the nearest point of its surface; with `where`, or where it has no "
         "surface, at the nearest of these nodes"},
    {ROWS(sn_attachment_parameters), AT(SnAttachPart, def)},
    {0},
};
static const SnMapping attachment_mapping = {
    "attachment",
    "Nodes of a body that are tied to another one, or to others of the same; both feel it. `attach` is a list of them. "
    "Bodies that are tied to each other do not touch, unless `pairs` of `contact` says so.",
    sizeof(SnAttachPart), .rows = attachment_rows, .start = start_attachment};

static const SnParameter from_rows[] = {
    {"run", TEXT, AT(SnFromPart, run), .required = true, .example = "a.run",
     .doc = "path of a run file, relative to the scene's folder, of bodies with the same meshes"},
    {"frame", INTEGER, AT(SnFromPart, frame), .value = "-1", .doc = "which of its frames; negative: from the end"},
    {0},
};
static const SnMapping from_mapping = {
    "from",
    "The scene starts where another run was, with other parameters if it likes: places, velocities and time are that "
    "frame's. Times of motions and ramps go on from there; steps are counted from 0. `start` and `velocity` of bodies "
    "count for nothing.",
    sizeof(SnFromPart), .rows = from_rows};

static const SnParameter scene_rows[] = {
    {"name", TEXT, AT(SnScenePart, name), .example = "twisting bar", .doc = "a title; the file's name without it"},
    {"units", .type = SN_CHOICE, AT(SnScenePart, units), .names = (const char* const[]){"m", "cm", "mm", NULL},
     .value = "m",
     .doc =
         "the unit of lengths (`m` in this reference) and of velocities (`m/s`) in the scene, and of mesh files that "
         "have none of their own; all other numbers, and the run file, are SI"},
    {"up", .type = SN_CHOICE, AT(SnScenePart, up), .names = (const char* const[]){"y", "z", NULL}, .value = "y",
     .doc = "the axis that points upwards: for `gravity` and the normals of planes where they are not given, for glTF "
            "and USD files, which say what is up, and for exports; generated shapes stay as they are"},
    {"time", MAPPING(time_mapping), .doc = "steps and frames"},
    {ROWS(sn_world_parameters), AT(SnScenePart, world)},
    {"integrator", MAPPING(integrator_mapping), .doc = "how a step in time is made"},
    {"solver", MAPPING(solver_mapping), .doc = "how a step is solved"},
    {"from", MAPPING(from_mapping), AT(SnScenePart, from), .off = true,
     .doc = "the state of another run to start from"},
    {"bodies", LIST(body_mapping), AT(SnScenePart, bodies), .required = true,
     .example = "[{mesh: {box: {size: [1, 1, 1], cells: [5, 5, 5]}}}]", .doc = "what is simulated"},
    {"handles", LIST(handle_mapping), AT(SnScenePart, handles), .doc = "nodes that are held or moved"},
    {"scripts", LIST(script_mapping), AT(SnScenePart, scripts), .off = true,
     .doc = "ready-made motions of a body's ends"},
    {"obstacles", LIST(obstacle_mapping), AT(SnScenePart, obstacles), .off = true, .doc = "what bodies touch"},
    {"slides", LIST(slide_mapping), AT(SnScenePart, slides), .off = true, .doc = "what slides on what"},
    {"loads", LIST(load_mapping), AT(SnScenePart, loads), .off = true, .doc = "forces from outside"},
    {"actuators", LIST(actuator_mapping), AT(SnScenePart, actuators), .off = true,
     .doc = "growth, heat, muscles and cables"},
    {"attach", LIST(attachment_mapping), AT(SnScenePart, attach), .off = true, .doc = "what is tied to what"},
    {"measure", LIST(probe_mapping), AT(SnScenePart, measure), .off = true, .doc = "what is measured in each step"},
    {"contact", MAPPING(contact_mapping), .off = true, .doc = "how bodies touch"},
    {"sleep", MAPPING(sleep_mapping), .off = true, .doc = "bodies at rest that cost nothing"},
    {"output", MAPPING(output_mapping), .doc = "what is written"},
    {0},
};
const SnMapping sn_scene_mapping = {"scene", "The whole file.", sizeof(SnScenePart), .rows = scene_rows};

const char* const sn_mesh_file_doc = "path of a mesh file, relative to the scene's folder";

void sn_shape_mapping(const SnShape* shape, SnShapeMapping* out)
{
    *out = (SnShapeMapping){
        .mapping = {shape->name, shape->summary, sizeof(SnShapePart), .rows = out->rows},
        .rows = {{ROWS(shape->parameters), AT(SnShapePart, def)}, {0}},
    };
}
