// The mappings of a scene as structs; scene_table.c says which key fills which member. What a world is made of is
// filled in as it stands: its definitions are members here.
#pragma once
#include <sinew/probe.h>

#include "mesh/mesh.h"
#include "scene/schema.h"
#include "scene/script.h"

typedef struct SnPlacePart {
    const SnNode* node;
    double turn[4];
    double fit; // 0: not given
    double scale, rotate[4], move[3];
    double spin[4]; // of a copy, about the middle of the body; angle 0: none
} SnPlacePart;

typedef struct SnCopiesPart {
    const SnNode* node; // NULL: not given
    int count[3];
    double step[3], rotate[4];
} SnCopiesPart;

typedef struct SnVelocityPart {
    const SnNode* node;
    double linear[3], angular[3], gradient[9];
} SnVelocityPart;

typedef struct SnStartPart {
    const SnNode* node;
    const char* shape;
    int seed;
    double stretch[3], twist, gradient[9];
} SnStartPart;

typedef struct SnFiberPart {
    const SnNode* node;
    double stiffness;
    const SnNode* direction; // a list or {field: NAME}
} SnFiberPart;

// What a material and its regions may both say; which of it is given, the node tells.
typedef struct SnMaterialNumbers {
    SnMaterial def;
    double mu, lambda;
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
    double area_density;
    SnItems regions; // SnRegionPart
} SnMaterialPart;

typedef struct SnWherePart {
    const SnNode* node;
    const SnNode *nodes, *range[3], *box, *sphere, *group;
} SnWherePart;

typedef struct SnDampingPart {
    const SnNode* node;
    SnDampingDef def;
    const char* group;
    SnWherePart where;
} SnDampingPart;

typedef struct SnLimitsPart {
    const SnNode* node; // NULL: not given
    SnLimits def;
} SnLimitsPart;

typedef struct SnBodyContactPart {
    const SnNode* node; // NULL: not given
    bool self;
    const SnNode* groups;
    SnBodyContactDef def;
} SnBodyContactPart;

typedef struct SnSkinPart {
    const SnNode* node; // NULL: not given
    const char* file;   // NULL: the surface that the solid is made of
    SnSkinWeights weights;
} SnSkinPart;

typedef struct SnBodyPart {
    const SnNode* node;
    const char* name; // NULL: "body N"
    const SnNode* mesh;
    SnSkinPart skin;
    bool shell;
    SnPlacePart place;
    SnVelocityPart velocity;
    SnStartPart start;
    SnBodyDef def; // what sn_body_parameters has
    SnMaterialPart material;
    SnItems damping; // SnDampingPart
    SnLimitsPart limits;
    SnBodyContactPart contact;
    SnCopiesPart copies;
} SnBodyPart;

typedef struct SnMotionPart {
    const SnNode *node, *rotate, *oscillate;
    SnMotion def; // but for keyframes; angles in degrees
    const char* cache;
    double rate;
} SnMotionPart;

typedef struct SnHandlePart {
    const SnNode* node;
    const char *name, *body;
    SnWherePart where;
    SnMotionPart motion;
    const SnNode *axes, *hinge;
    double to[3];
    SnHandleDef def;
} SnHandlePart;

typedef struct SnObstaclePart {
    const SnNode* node;
    SnPlacePart place;
    SnMotionPart motion;
    SnObstacleDef def; // angles in degrees
    const SnNode* groups;
} SnObstaclePart;

typedef struct SnSlidePart {
    const SnNode* node;
    const char *body, *on;
    SnWherePart where;
    SnSlideDef def;
} SnSlidePart;

typedef struct SnLoadPart {
    const SnNode* node;
    const char *name, *body;
    SnWherePart where;
    SnLoadDef def;
} SnLoadPart;

typedef struct SnActuatorPart {
    const SnNode* node;
    const char *name, *body, *group;
    SnWherePart where;
    SnActuatorDef def;
} SnActuatorPart;

// Nodes of a body that a probe is of, besides its own.
typedef struct SnProbeEndPart {
    const SnNode* node;
    const char* body;
    SnWherePart where;
} SnProbeEndPart;

typedef struct SnProbePart {
    const SnNode* node;
    const char *name, *body;
    SnWherePart where;
    SnProbeEndPart to, at;
    const SnNode* of;
    SnProbeDef def;
} SnProbePart;

typedef struct SnAttachPart {
    const SnNode* node;
    const char* name;
    SnProbeEndPart from, to;
    SnAttachmentDef def;
} SnAttachPart;

typedef struct SnContactPairPart {
    const SnNode *node, *between;
    bool touch;
    SnContactPairDef def;
} SnContactPairPart;

typedef struct SnScriptPart {
    const SnNode* node;
    const char *type, *body;
    SnScript def;
} SnScriptPart;

typedef struct SnFromPart {
    const SnNode* node; // NULL: not given
    const char* run;
    int frame;
} SnFromPart;

typedef struct SnScenePart {
    const SnNode* node;
    const SnNode *time, *integrator, *solver, *contact, *output;
    const char* name; // NULL: the file's name
    const char *units, *up;
    SnWorldDef world;
    int frames, every;
    bool compress, contacts, residuals, forces;
    SnFromPart from;
    SnItems bodies;        // SnBodyPart
    SnItems handles;       // SnHandlePart
    SnItems scripts;       // SnScriptPart
    SnItems obstacles;     // SnObstaclePart
    SnItems slides;        // SnSlidePart
    SnItems loads;         // SnLoadPart
    SnItems actuators;     // SnActuatorPart
    SnItems attach;        // SnAttachPart
    SnItems measure;       // SnProbePart
    SnItems contact_pairs; // SnContactPairPart
} SnScenePart;

extern const SnMapping sn_scene_mapping; // the root; the others hang below it

// The keys of a `mesh:` are `file`, the generators, or those of a solid out of a surface.
typedef struct SnSolidPart {
    const SnNode *node, *surface;
    SnSolidDef def;
    bool skin;
} SnSolidPart;
extern const SnMapping sn_solid_mapping;

typedef struct SnShapePart {
    const SnNode* node;
    SnShapeDef def;
} SnShapePart;
typedef struct SnShapeMapping {
    SnMapping mapping;
    SnParameter rows[2];
} SnShapeMapping;
void sn_shape_mapping(const SnShape* shape, SnShapeMapping* out);
extern const char* const sn_mesh_file_doc;
