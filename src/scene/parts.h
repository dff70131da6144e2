// The mappings of a scene as structs; scene_table.c says which key fills which member.
#pragma once
#include "scene/schema.h"

typedef struct SnTimePart {
    const SnNode* node;
    double step, frames;
} SnTimePart;

typedef struct SnIntegratorPart {
    const SnNode* node;
    const char* type;
    double gamma;             // 0: not given
    double dissipation_order; // 0: not given
} SnIntegratorPart;

typedef struct SnSolverPart {
    const SnNode* node;
    const char* type;
    double iterations, tolerance;
    const char* line_search;
    double armijo;
    const char* initial;
    double history;
    const char *linear, *preconditioner, *blend;
    const SnNode* subdomains;
    double relaxation, anderson, residual;
    const char *warm_start, *adapt, *merge_dissipation, *constraints;
} SnSolverPart;

typedef struct SnPlacePart {
    const SnNode* node;
    double turn[4];
    double fit; // 0: not given
    double scale, rotate[4], move[3];
} SnPlacePart;

typedef struct SnVelocityPart {
    const SnNode* node;
    double linear[3], angular[3], gradient[9];
} SnVelocityPart;

typedef struct SnStartPart {
    const SnNode* node;
    const char* shape;
    double seed, stretch[3], twist, gradient[9];
} SnStartPart;

typedef struct SnFiberPart {
    const SnNode* node;
    double stiffness;
    const SnNode* direction; // a list or {field: NAME}
} SnFiberPart;

// What a material and its regions may both say; which of it is given, the node tells.
typedef struct SnMaterialNumbers {
    double young, poisson, mu, lambda, density;
    double ratio, stiffening, barrier; // parameters of single materials
    double bending;
    SnFiberPart fiber;
} SnMaterialNumbers;

typedef struct SnRegionPart {
    const SnNode* node;
    const char* group;
    SnMaterialNumbers numbers;
} SnRegionPart;

typedef struct SnMaterialPart {
    const SnNode* node;
    const char* type;   // of a material or a preset; NULL: by the mesh
    const char* preset; // NULL: none
    SnMaterialNumbers numbers;
    double area_density, weight, thickness;
    const char* inversion;
    const SnNode *a, *b, *c; // points of the spline's curves
    SnItems regions;         // SnRegionPart
    const SnNode* young_field;
} SnMaterialPart;

typedef struct SnWherePart {
    const SnNode* node;
    const SnNode *nodes, *range[3], *box, *sphere, *group;
} SnWherePart;

typedef struct SnDampingPart {
    const SnNode* node;
    const char *type, *base;
    double beta, shear, bulk, exponent, reference, strength, drag, smoothing;
    const SnNode* curve;
    const char *per_stretch, *conserve_momentum;
    const char* group;
    SnWherePart where;
} SnDampingPart;

typedef struct SnLimitsPart {
    const SnNode* node; // NULL: not given
    double stretch[2];
    const char* mode;
    double stiffness; // 0: not given
} SnLimitsPart;

typedef struct SnBodyPart {
    const SnNode* node;
    const char* name; // NULL: "body N"
    const SnNode* mesh;
    SnPlacePart place;
    SnVelocityPart velocity;
    SnStartPart start;
    SnMaterialPart material;
    SnItems damping; // SnDampingPart
    SnLimitsPart limits;
} SnBodyPart;

typedef struct SnRotatePart {
    const SnNode* node;
    double axis[3], rate, centre[3];
} SnRotatePart;

typedef struct SnOscillatePart {
    const SnNode* node;
    double amplitude[3], frequency;
} SnOscillatePart;

typedef struct SnMotionPart {
    const SnNode* node;
    double velocity[3], turn[2];
    SnRotatePart rotate;
    const SnNode* keyframes;
    SnOscillatePart oscillate;
    double until, release;
} SnMotionPart;

typedef struct SnHandlePart {
    const SnNode* node;
    const char* body;
    SnWherePart where;
    SnMotionPart motion;
    const char* how;
    double stiffness;
} SnHandlePart;

typedef struct SnObstaclePart {
    const SnNode* node;
    const char *type, *name;
    // Parameters of the types, by their keys; which of them are given, the node tells.
    double point[3], normal[3], centre[3], from[3], to[3], radius, size[3], rotate[4], axis[3], tube, corner[3];
    const SnNode* heights;
    const char* file;
    const SnNode* mesh;
    SnPlacePart place;
    const SnNode* frames;
    double rate;
    double friction, thickness;
    SnMotionPart motion;
} SnObstaclePart;

typedef struct SnContactPart {
    const SnNode* node;
    const char *method, *bodies, *self, *restitution;
    double thickness, friction, slip, push;
} SnContactPart;

typedef struct SnSlidePart {
    const SnNode* node;
    const char *body, *on;
    SnWherePart where;
    double distance;
} SnSlidePart;

typedef struct SnScriptPart {
    const SnNode* node;
    const char *type, *body;
    double width, speed, rate, turn[2]; // only where given
} SnScriptPart;

typedef struct SnOutputPart {
    const SnNode* node;
    double every;
    const SnNode* write;
    const char* compress;
} SnOutputPart;

typedef struct SnScenePart {
    const SnNode* node;
    const char* name; // NULL: the file's name
    SnTimePart time;
    double gravity[3];
    SnIntegratorPart integrator;
    SnSolverPart solver;
    SnItems bodies;    // SnBodyPart
    SnItems handles;   // SnHandlePart
    SnItems scripts;   // SnScriptPart
    SnItems obstacles; // SnObstaclePart
    SnItems slides;    // SnSlidePart
    SnContactPart contact;
    SnOutputPart output;
} SnScenePart;

extern const SnMapping sn_obstacle_mapping;
extern const SnMapping sn_scene_mapping; // the root; the others hang below it

// The keys of a `mesh:` are `file` and the generators. The fields of one generator are made from its row.
enum { SN_SHAPE_FIELDS = 8 };
struct SnShape;
typedef struct SnShapePart {
    const SnNode* node;
    double values[4][3];
    const char* pattern;
} SnShapePart;
typedef struct SnShapeMapping {
    SnMapping mapping;
    SnField fields[SN_SHAPE_FIELDS];
    char text[SN_SHAPE_FIELDS][96]; // of the defaults
} SnShapeMapping;
void sn_shape_mapping(int shape, SnShapeMapping* out); // of sn_shapes[shape]
extern const char* const sn_mesh_file_doc;
