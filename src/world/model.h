// The model: what was defined. It stays as it is during a step.
#pragma once
#include <sinew/world.h>

#include "constraint/grab.h"
#include "constraint/slide.h"
#include "core/log.h"
#include "core/tasks.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/point_cache.h"
#include "potential/actuator.h"
#include "potential/load.h"
#include "solver/solver.h"

// Names of groups.
typedef struct SnGroups {
    int count;
    char** names;
} SnGroups;

typedef struct SnBody {
    char* name;
    int first_node, node_count;
    int whole_first;   // of a part of a world: its first node in the whole
    bool parted;       // it was made of a part of a mesh
    int first_element; // of all bodies' elements
    double* rest;      // 3 x node_count
    int tetrahedron_count, triangle_count, edge_count, surface_count;
    int *tetrahedra, *triangles, *edges, *surface;
    int touching_edge_count; // of a part of a world: all edges of the whole's ropes, which have `surface` likewise
    int* touching_edges;
    SnElement element;
    SnPoints points; // of elements other than linear ones
    SnMaterial material;
    const SnMaterialType* type;
    SnMaterialParameters parameters;
    SnMaterialParameters* element_parameters; // where the material varies, otherwise NULL
    double* node_density;                     // the same; kg/m3 around each node
    struct SnSpline* spline;                  // the curves of the material `spline`, or NULL
    double mass;
    SnLimits limits;
    int fiber_count;
    int* fibers;              // fiber_count: the tetrahedra that have some
    double* fiber_stiffness;  // fiber_count, Pa
    double* fiber_directions; // 3 x fiber_count
    int hinge_count;
    int* hinges;             // 4 x hinge_count: an edge, then the opposite corners of its two triangles
    double* hinge_stiffness; // hinge_count, N m
    int damping_count;
    struct SnBodyDamping* dampings;
    double edge;              // m: mean length of the edges of surface and ropes at rest
    SnBodyContactDef contact; // without groups
    SnGroups groups;
    SnSkin* skin; // NULL: none
    int skin_triangle_count;
    int* skin_triangles; // 3 x skin_triangle_count, of its vertices: what touches in place of the surface; NULL:
                         // nothing does
} SnBody;

// A dissipation of a body.
typedef struct SnBodyDamping {
    SnDissipation dissipation;
    int* elements; // element_count, of the body; NULL: all
    int element_count;
} SnBodyDamping;

typedef struct SnHandle {
    int body, node_count;
    int* nodes;            // of the world
    double* start;         // 3 x node_count
    SnPointCache* targets; // in place of the start; NULL: none
    SnMotion motion;
    SnKeyframe* keyframes; // what motion.keyframes points to
    SnHold how;
    double stiffness; // N/m; 0: by itself
    int axis_count;   // of directions that it holds in; 0: in all
    double axes[9];   // 3 x axis_count, orthonormal
    SnHinge* hinge;   // NULL: none; number, nodes and place are set where it is used
    int first_pin;    // of nodes held by energy, by their numbers among all such nodes
    // It is moved from outside (world/steer.h): from where to where, 3 x node_count, between which times.
    bool steered;
    double *from, *to;
    double begin, end;
    double since; // s: when it was added; its script counts from there
} SnHandle;

typedef struct SnWorldObstacle {
    char* name;
    SnMotion motion;
    SnKeyframe* keyframes; // what motion.keyframes points to
    SnGroups groups;
    bool steered; // it is moved from outside (world/steer.h),
    SnPose from, to;
    double begin, end; // between these times
    bool out;          // it is on the shelf (world/obstacle_shelf.c)
    double since;      // s: when it was added; its script counts from there
} SnWorldObstacle;

typedef struct SnContactPair {
    char* between[2];
    int touch;
    double friction;
} SnContactPair;

typedef struct SnAttachment {
    int from_body, to_body, node_count;
    int* nodes;              // of the world
    int* corners;            // SN_TIE_CORNERS for each: what it is tied to
    double *weights, *apart; // of these; 3 x node_count, m: how far apart they start
    double strength, close;
    double since; // s: when it was added
    int first;    // of its nodes among all that are tied
} SnAttachment;

typedef struct SnActuator {
    const SnActuatorType* type;
    SnActuatorDef def; // without elements
    int element_count;
    int* elements;  // by their numbers among all bodies'
    double* points; // what def.ramp points to
    double scale;   // by which it was changed since (sn_world_set_actuator); 1: as it was defined
    double since;   // s: when it was added; its ramp counts from there
} SnActuator;

double sn_actuator_factor(const SnActuator* actuator, double time); // by its ramp, and as it was changed

// Whose work is accounted for by itself.
typedef struct SnWork {
    enum {
        SN_WORK_OF_HANDLE,
        SN_WORK_OF_OBSTACLE,
        SN_WORK_OF_LOAD,
        SN_WORK_OF_ATTACHMENT, // on what it is from
        SN_WORK_OF_PAIR,       // of contacts with `other`, on the body `index`
    } of;
    int index, other;
} SnWork;

typedef struct SnModel {
    SnWorldDef def;
    SnTasks* tasks;
    const SnIntegratorType* integrator;
    const SnSolverType* solver_type;
    int node_count, element_count; // of all bodies
    int body_count, body_capacity;
    SnBody* bodies;
    int pin_count; // nodes held by energy, of all handles
    int handle_count, handle_capacity;
    SnHandle* handles;
    int obstacle_count, obstacle_capacity, obstacle_shape_capacity;
    SnWorldObstacle* obstacles;
    SnObstacle* obstacle_shapes; // obstacle_count, at time 0
    int slide_count, slide_capacity;
    SnSlide* slides;
    int load_count, load_capacity;
    SnLoad* loads;
    int actuator_count, actuator_capacity;
    SnActuator* actuators;
    int tied_count; // nodes of all attachments
    int attachment_count, attachment_capacity;
    SnAttachment* attachments;
    int probe_count, probe_capacity, value_count;
    struct SnProbe* probes;
    int work_count, work_capacity;
    SnWork* works; // that probes ask for
    int grab_count, grab_capacity;
    SnGrab* grabs;
    int contact_pair_count, contact_pair_capacity;
    SnContactPair* contact_pairs;
    int64_t shift_count; // numbers that dampings by powers below 1 keep
    int loss_count, loss_capacity;
    char** loss_names; // loss_count: the dissipations of all bodies, as the potential will have them
} SnModel;

// Forces are kept from step to step.
static inline bool sn_keeps_force(const SnModel* model)
{
    return model->integrator->needs_force || model->integrator->order == 0;
}

void sn_body_free(SnBody* body);
SnStatus sn_model_check_body(const SnModel* model, int body, const char* who); // "WHO body 3: the world has 2"
// The chosen nodes of a body (NULL: all), by their numbers in the world.
SnStatus sn_body_choose_nodes(const SnBody* body, const int* chosen, int count, const char* who, int** nodes,
                              int* node_count);
// Sets material, type, parameters, and where the material varies those of the elements and the mass
// (world/body_material.c).
SnStatus sn_body_set_material(SnBody* body, const SnBodyDef* def);
// Other numbers, of a body whose material is the same everywhere.
SnStatus sn_body_change_material(SnBody* body, const SnMaterial* material);
const SnMaterial* sn_body_def_material(const SnBodyDef* def, int element); // of the region that the element is in
// Checks and sets the limits of stretch (world/limits.c).
SnStatus sn_body_set_limits(SnBody* body, const SnBodyDef* def);
// Sets fibers and hinges (world/body_reinforcement.c); the regions have been checked.
SnStatus sn_body_set_reinforcement(SnBody* body, const SnBodyDef* def);

// Checks and sets what its elements are (world/body_element.c), after mesh and material.
SnStatus sn_body_set_element(SnBody* body, const SnBodyDef* def);

// Sets dampings (world/body_damping.c).
SnStatus sn_body_set_damping(SnBody* body, const SnBodyDef* def);
SnStatus sn_body_add_damping(SnBody* body, const SnDampingDef* def); // one more
void sn_body_drop_damping(SnBody* body);                             // the last one
void sn_body_free_damping(SnBody* body);
int64_t sn_body_shift_count(const SnBody* body); // numbers that its dampings by powers below 1 keep; -1: no memory

// Sets how it touches (world/contact_filter.c), after its surface; and the groups of anything.
SnStatus sn_body_set_contact(SnBody* body, const SnBodyDef* def);
#define SN_ALL "all" // the name of everything
SnStatus sn_groups_copy(const char* const* names, int count, SnGroups* groups);
void sn_groups_free(SnGroups* groups);

double sn_body_density(const SnBody* body, int node);               // kg/m3 around a node of the body
double sn_body_rest_size(const SnModel* model, const SnBody* body); // m: the diagonal of its box at rest

// What a body is made of, and the term that this makes.
typedef struct SnElements {
    const char* term;
    int count, nodes; // nodes of each
    const int* items; // nodes x count, of the body
} SnElements;
SnElements sn_body_elements(const SnBody* body);

// Checks and sets how it holds (world/pin.c).
SnStatus sn_handle_set_hold(SnHandle* handle, const SnHandleDef* def, const char* body);
// Checks and sets its directions (world/tie.c); adds them to a basis, false: they are not independent.
SnStatus sn_handle_set_axes(SnHandle* handle, const SnHandleDef* def, const char* body);
bool sn_handle_add_axes(const SnHandle* handle, int* count, double basis[9]);
SnStatus sn_handle_set_hinge(SnHandle* handle, const SnHandleDef* def, const char* body); // world/hinge.c
void sn_handle_free_hinge(SnHandle* handle);
// Constraints hold its nodes, which are free in some directions.
static inline bool sn_handle_ties(const SnHandle* handle)
{
    return handle->axis_count > 0 || handle->hinge;
}
void sn_handle_free(SnHandle* handle);
void sn_load_free(SnLoad* load);
bool sn_model_has_chambers(const SnModel* model); // of given volume
void sn_actuator_free(SnActuator* actuator);
void sn_attachment_free(SnAttachment* attachment);
// Where its k-th node is to be at a time, and its velocity; where the script has a corner, that at time + lean.
void sn_handle_place(const SnHandle* handle, int k, double time, double x[3]);
void sn_handle_velocity(const SnHandle* handle, int k, double time, double lean, double v[3]);

SnSlideSurface sn_slide_surface_of(const SnBody* on); // what is slid on (world/slide.c)

// Names for the losses to a body's dampings, in the order in which the potential will have them (world/loss.c); one
// more, `index` of all, to the body's last; and all but the first `count` dropped, or that one.
SnStatus sn_losses_add(SnModel* model, const SnBody* body);
SnStatus sn_losses_insert(SnModel* model, const SnBody* body, int index);
void sn_losses_remove(SnModel* model, int index);
void sn_losses_drop(SnModel* model, int count);
