// From parts to what a world is made of: the scene's inside.
#pragma once
#include "mesh/mesh.h"
#include "scene/parts.h"
#include "scene/scene.h"

typedef struct SnSceneBody {
    const SnBodyPart* part;
    const char* name;
    const char* context; // "body 'bar'", for messages
    SnMesh* mesh;        // placed rest shape; NULL when it could not be made
    SnMesh* skin;        // placed; NULL: none
    bool placed;         // already, before the mesh was made
    SnMeshMeasure measure;
    double frame[12]; // 4 x 3: where place puts the origin and the unit points of the mesh file
    double* start;    // 3 x node_count, or NULL: the rest shape
    double* velocity; // 3 x node_count, or NULL: none
    int* handle_of;   // per node: the handle that holds it, -1: none; only while handles are read
    SnMaterial material;
    SnMaterial* regions; // region_count, in the arena
    int region_count;
    int* region_of_element;   // NULL: no regions
    double* young_scale;      // per element, NULL: 1
    double* fiber_directions; // 3 per element; NULL: as the materials say
    SnDampingDef* dampings;   // damping_count, in the arena, as are their elements
    int damping_count;
    SnLimits limits;
    SnBodyContactDef contact; // groups in the arena
} SnSceneBody;

typedef struct SnSceneHandle {
    const char* name;    // "top", or "handle 0"
    const char* context; // "handle 0"
    SnPlace place;       // where its nodes are chosen
    SnHandleDef def;
    int* nodes;
    SnKeyframe* keyframes;
    double *targets, *target_times;
} SnSceneHandle;

typedef struct SnSceneObstacle {
    const char* name; // "floor", or "obstacle 0"
    SnObstacleDef def;
    const char* context; // "obstacle 'floor'"
    double* heights;
    SnMesh* mesh;
    double frame[12]; // as of a body
    SnMesh** frames;  // def.shape.frame_count
    SnKeyframe* keyframes;
} SnSceneObstacle;

typedef struct SnSceneSlide {
    SnSlideDef def;
    int* nodes;
} SnSceneSlide;

typedef struct SnSceneLoad {
    const char* name; // "wind", or "load 0"
    SnLoadDef def;
    int* nodes;
} SnSceneLoad;

typedef struct SnSceneActuator {
    const char* name;  // "muscle", or "actuator 0"
    SnActuatorDef def; // its elements are in the arena
} SnSceneActuator;

typedef struct SnSceneAttachment {
    const char* name; // "hem", or "attachment 0"
    SnAttachmentDef def;
    int* nodes[2]; // of from and to
} SnSceneAttachment;

typedef struct SnSceneProbe {
    SnProbeDef def; // its texts are in the arena
    int* nodes[3];  // of where, to and at
} SnSceneProbe;

struct SnScene {
    SnConvention convention;
    SnArena arena; // texts, tree, parts, messages
    SnProblems problems;
    SnSource source;
    char* text;
    char* folder; // where meshes are looked for, "" or ending in a slash
    SnScenePart part;
    SnSceneBody* bodies;
    int body_count;
    SnSceneHandle* handles;
    int handle_count;
    SnSceneObstacle* obstacles;
    int obstacle_count;
    SnSceneSlide* slides;
    int slide_count;
    SnSceneLoad* loads;
    int load_count;
    SnSceneActuator* actuators;
    int actuator_count;
    SnSceneAttachment* attachments;
    int attachment_count;
    SnSceneProbe* probes;
    int probe_count;
    SnContactPairDef* contact_pairs;
    int contact_pair_count;
    SnSceneOutput output;
    SnSceneFrom from;           // run NULL: none
    const SnMeshDealer* dealer; // NULL: meshes are read as a whole
    bool undealt;               // it has turned out that they have to be
};

// Whether parts of its bodies suffice (scene/deal.c); of a part, what is true of all.
bool sn_scene_can_deal(const SnScene* scene);
void sn_mesh_check_of_all(const SnMesh* mesh, SnMeshCheck* check);
void sn_mesh_measure_of_all(const SnMesh* mesh, SnMeshMeasure* measure);

// Each fills scene->bodies[index] or scene->handles[index]. Mistakes are recorded as problems; SN_ERROR_MEMORY is the
// only failure.
SnStatus sn_build_body(SnScene* scene, int index);
SnStatus sn_build_copies(SnScene* scene); // first of all: the parts of bodies become as many as there are bodies
SnStatus sn_build_handle(SnScene* scene, int index);
SnStatus sn_build_obstacle(SnScene* scene, int index);
void sn_free_obstacle(SnSceneObstacle* obstacle);
SnStatus sn_build_slide(SnScene* scene, int index); // after bodies and obstacles
void sn_free_slide(SnSceneSlide* slide);
SnStatus sn_build_load(SnScene* scene, int index);     // after bodies
SnStatus sn_build_actuator(SnScene* scene, int index); // after bodies
// The one row of a table whose key a part has; NULL: a problem was recorded.
const void* sn_find_kind(SnScene* scene, const SnTable* table, const SnNode* node, const char* context);
// Elements that a part is for, into the arena (scene/build_elements.c); NULL as they were: all.
typedef struct SnElementChoice {
    const SnNode* node; // of the part
    const char* group;
    const SnWherePart* where;
    const char* context; // "damping 0 of body 'bar'"
} SnElementChoice;
SnStatus sn_choose_elements(SnScene* scene, const SnSceneBody* body, SnElementChoice choice, const int** elements,
                            int* count);
SnStatus sn_build_attachment(SnScene* scene, int index); // after bodies
// Probes, after all else; then, where they are asked for, those of all forces, as many at most.
SnStatus sn_build_probe(SnScene* scene, int index);
int sn_force_probe_count(const SnScene* scene);
SnStatus sn_build_force_probes(SnScene* scene);
void sn_free_probe(SnSceneProbe* probe);
// The nodes of an end, of the body `usual` where it names none (-1: it must); *nodes is allocated, or NULL: all.
SnStatus sn_build_end(SnScene* scene, const SnProbeEndPart* part, int usual, const char* key, const char* context,
                      SnPlaceDef* def, int** nodes);
SnStatus sn_build_contact_pair(SnScene* scene, int index); // after bodies and obstacles
SnStatus sn_build_obstacle_groups(SnScene* scene, SnSceneObstacle* obstacle, const SnNode* groups);
// A motion, turning about `centre` unless it says where; *keyframes is allocated, or NULL.
SnStatus sn_build_motion(SnScene* scene, const char* context, const SnMotionPart* part, const double centre[3],
                         SnMotion* motion, SnKeyframe** keyframes);
// Adds the handles of a script, SN_SCRIPT_HANDLES at most, to scene->handles, which has room for them.
enum { SN_SCRIPT_HANDLES = 3 };
SnStatus sn_build_script(SnScene* scene, int index);
// A body by its name, or by its number from 0; -1: a problem was recorded.
int sn_find_body(SnScene* scene, const SnNode* node, const char* context);
// The nodes of scene->handles[index] are its own from now on; a problem is recorded when others have some of them.
SnStatus sn_claim_nodes(SnScene* scene, SnSceneBody* body, int index);

// Steps of a body. Its mesh stays NULL when a problem with it was recorded.
SnStatus sn_build_mesh(SnScene* scene, SnSceneBody* body);
// The same for what is not simulated: any triangles will do. *mesh stays NULL when a problem was recorded.
SnStatus sn_build_surface(SnScene* scene, const char* context, const SnNode* node, const SnPlacePart* place,
                          double frame[12], SnMesh** mesh); // frame: as of a body; or NULL
// Points of the mesh's file, or of a cache for it, put where the mesh is; frame: as of a body.
void sn_place_points(const double frame[12], int64_t count, double* points);
// Points of a mesh file, or of a cache, in metres and with the scene's axes.
void sn_take_convention(const SnScene* scene, const char* path, int64_t count, double* points);
// Caches: of a handle, after its nodes; of an obstacle, after its mesh.
SnStatus sn_build_handle_cache(SnScene* scene, SnSceneHandle* handle, const SnMotionPart* motion,
                               const SnSceneBody* body);
SnStatus sn_build_obstacle_cache(SnScene* scene, SnSceneObstacle* obstacle, const SnMotionPart* motion);
SnStatus sn_build_material(SnScene* scene, SnSceneBody* body);
SnStatus sn_build_regions(SnScene* scene, SnSceneBody* body); // after the material
SnStatus sn_build_fibers(SnScene* scene, SnSceneBody* body);  // after the regions
void sn_build_limits(SnScene* scene, SnSceneBody* body);      // after the mesh
SnStatus sn_build_damping(SnScene* scene, SnSceneBody* body); // after the mesh
SnStatus sn_build_body_contact(SnScene* scene, SnSceneBody* body);
SnStatus sn_build_start(SnScene* scene, SnSceneBody* body);
SnStatus sn_build_velocity(SnScene* scene, SnSceneBody* body);

// A region's numbers over a material's: those keys that `node` has. Problems are recorded.
void sn_read_material_numbers(SnScene* scene, const SnNode* node, const char* context, const SnMaterialNumbers* numbers,
                              const SnMaterialType* type, SnMaterial* material);

// The same for fibers and bending.
void sn_read_reinforcement(SnScene* scene, const SnSceneBody* body, const SnNode* node, const char* context,
                           const SnMaterialNumbers* numbers, SnMaterial* material);

// A group, by its name, of the elements that the body is made of; NULL: a problem was recorded.
const SnMeshGroup* sn_find_group(SnScene* scene, const SnSceneBody* body, const SnNode* name, const char* context);

// A field of the mesh, by its name, of so many numbers per element or node; NULL: a problem was recorded.
const SnMeshField* sn_find_field(SnScene* scene, const SnSceneBody* body, const SnNode* name, int components,
                                 const char* context);

// Turns a direction as the body's mesh is turned when it is placed.
void sn_place_direction(const SnPlacePart* place, double direction[3]);

// The nodes that `where` selects on the body's rest shape: *nodes is allocated. *count 0 and a recorded problem when
// there are none.
SnStatus sn_select_nodes(SnScene* scene, const SnSceneBody* body, const SnWherePart* where, const char* context,
                         int** nodes, int* count);
