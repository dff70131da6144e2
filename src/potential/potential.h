// The potential energy U(x): sums of terms over elements, in patches.
//
// Elements are sorted along a space-filling curve and cut into patches of at most SN_PATCH_PACKS packs. A patch gathers
// its nodes into a small local array, works on that, and leaves its share of the gradient in its own slots; each node
// then adds its slots in patch order. The number of patches depends on the problem alone, so the bits do not depend on
// the number of threads, and a patch's working set stays in the cache.
#pragma once
#include "core/tasks.h"
#include "linalg/block_matrix.h"
#include "potential/term.h"
#include "potential/viscous.h"

enum { SN_PARAMETERS = 5, SN_PATCH_PACKS = 32, SN_STAGE_ARRAYS = 5 };

// How terms that stand for constraints (limits of stretch, pins) are kept.
typedef enum SnKeep {
    SN_KEEP_NONE,       // they are no constraints
    SN_KEEP_PENALTY,    // by their energy, quadratic in the distance to what they allow
    SN_KEEP_PROJECTION, // by the local step of the solver: they have no energy
} SnKeep;

// Elements of one kind and one material.
typedef struct SnTermsDef {
    const SnTermType* term;
    const SnMaterialType* material;
    const SnDissipation* dissipation; // of sn_potential_add_dissipation; NULL: the material's energy
    int count;
    const int* elements;                    // term->nodes x count, nodes of the potential
    const SnMaterialParameters* parameters; // one, or count of them when per_element
    bool per_element;
    double section;           // thickness or diameter, m; of nodes, kg
    const double* sections;   // count, in its place; or NULL
    double direction[3];      // of fibers, in the rest shape
    const double* directions; // 3 x count, in its place; or NULL
    bool apart;               // what they weigh is added by sn_potential_add_content
    bool reinforcement;       // adds to elements that are there already, as kinds of term may say of themselves
    const int* members; // count: the number of the element that each belongs to (potential/borne.h); or NULL: to none
    // Of points: what they are, of which count and elements are those; members are of their members, by their numbers.
    const SnPoints* points;
    SnKeep keep;
    double weight;    // scales ADMM's w; 0: 1
    const char* name; // of the body, for messages
} SnTermsDef;

typedef struct SnTermGroup {
    const SnTermType* term;
    const SnMaterialType* material;
    const void* user;                 // of the material
    const SnDissipation* dissipation; // NULL: its terms are energies
    double* stage;                    // of a dissipation: [pack][SN_STAGE_SIZE][lane]
    SnKeep keep;
    double weight; // scales ADMM's w
    int count, pack_count;
    int* order;     // count: element in place k
    int* members;   // count: the number of the element in place k; NULL: they have none
    int* first;     // of points: count + 1, into members: those of the point in place k; NULL: one each
    double* shares; // of points: of its energy, what each member has
    bool reinforcement;
    int* nodes;   // [pack][node][lane], numbers within the patch
    double* data; // [pack][1 + shape_size][lane]: volume, shape
    double* rest; // the same as they were made, where actuators change them (potential/actuator.h); or NULL
    double direction[3];
    // [pack][SN_PARAMETERS][lane]: mu, lambda, floor, extra[2]; where all elements have the same, only once.
    double* parameters;
    int64_t parameters_step;  // from pack to pack: 0 or SN_PARAMETERS * SN_LANES
    const double* multiplier; // of constraints kept by projection: the solver's u, in packs, and their weights; or NULL
    const double* multiplier_weight;
    int* blocks; // [pack][pair][lane]: 2 x (block within the patch) + transposed; set by sn_hessian_bind
} SnTermGroup;

typedef struct SnPatch {
    int group;
    int first_pack, pack_count, element_count;
    int first_slot, slot_count; // its nodes
    int64_t first_block;        // its Hessian blocks, one more than block_count: the last takes what is pinned
    int block_count;
    bool still; // its nodes are not going to move (sn_potential_set_still),
    bool known; // and what comes out of it is known
} SnPatch;

// A dissipation of the potential; its terms may be in several groups.
typedef struct SnPotentialDissipation {
    SnDissipation* dissipation;
    char name[96]; // "body: type"
} SnPotentialDissipation;

typedef struct SnPotential {
    int node_count;
    double* rest; // 3 x node_count
    SnTasks* tasks;
    int group_count, group_capacity;
    SnTermGroup* groups;
    int patch_count, patch_capacity;
    SnPatch* patches;
    int slot_count, slot_capacity;
    int* slot_node;       // slot_count: the node of each slot, increasing within a patch
    int* node_start;      // node_count + 1, into node_slots
    int* node_slots;      // slots of each node, in patch order
    double* slot_x;       // 3 x slot_count
    double* slot_g;       // 3 x slot_count
    double* patch_energy; // patch_count
    double* node_face;    // node_count: summed area of the faces opposite to each node, m2
    double* node_volume;  // node_count: its share of its elements' rest volume, m3
    double volume;        // m3
    double stiffness;     // sum of V |d2psi/dF2| at rest, J
    int dissipation_count, dissipation_capacity;
    SnPotentialDissipation* dissipations;
    double b;         // s, of the stage; 0: dissipations are off
    int64_t actuated; // how often rest shapes have been changed; constant matrices are then other ones
    // Of patches that are still, where there are any: places, gradient and energy as they were last evaluated.
    double *still_x, *still_g; // 3 x slot_count
    double* still_energy;      // patch_count
    double* stage_slots; // SN_STAGE_ARRAYS x 3 x slot_count, where there are dissipations: what a stage starts from
} SnPotential;

typedef struct SnPotentialValue {
    double elastic;     // U(x), J; +infinity where infeasible
    double dissipation; // W(x), J: what dissipations add to the stage's objective
} SnPotentialValue;

// rest: 3 x node_count, copied.
SnStatus sn_potential_create(int node_count, const double* rest, SnTasks* tasks, SnPotential** potential);
void sn_potential_destroy(SnPotential* potential);

// All terms are added before the first evaluation; sn_potential_finish closes the set.
SnStatus sn_potential_add(SnPotential* potential, const SnTermsDef* def);
SnStatus sn_potential_finish(SnPotential* potential);
// What elements weigh, and their share in the stopping rule, without a term.
SnStatus sn_potential_add_content(SnPotential* potential, const SnTermsDef* def);
// A dissipation, copied; name is the body's, for reports. *owned goes into the SnTermsDef of its terms.
SnStatus sn_potential_add_dissipation(SnPotential* potential, const SnDissipation* dissipation, const char* name,
                                      const SnDissipation** owned);

// Nodes that are not going to move, node_count: patches of elastic terms that have no others are evaluated once, and
// again only where a node is elsewhere after all.
SnStatus sn_potential_set_still(SnPotential* potential, const bool* still);

// Dissipations act on the change from the past over b (s) until the next call; b = 0: they are off, as they are before
// the first call, and the past is not looked at.
void sn_potential_begin_stage(SnPotential* potential, const SnPast* past, double b);

// Powers below 1: whether there are any; shifts of their rates taken over from the forces at x, with which value and
// gradient are other ones (potential/viscous.h).
bool sn_potential_sticks(const SnPotential* potential);
void sn_potential_settle(SnPotential* potential, const double* x, SnSettle how);
// The shifts of all of them, SN_SHIFT for each element in the order in which they were added.
enum { SN_SHIFT = 9 };
void sn_potential_get_shifts(const SnPotential* potential, double* shifts);
void sn_potential_set_shifts(SnPotential* potential, const double* shifts);

SnPotentialValue sn_potential_energy(SnPotential* potential, const double* x);
// The same, and g = d(U + W)/dx, 3 x node_count.
SnPotentialValue sn_potential_gradient(SnPotential* potential, const double* x, double* g);
// The gradient of dissipation number k alone, which is minus its force; returns what it adds to the objective.
double sn_potential_dissipation_gradient(SnPotential* potential, int k, const double* x, double* g);

// <W> |l| of the stopping rule (Li et al. 2019, eq. 15), N: mean stiffness at rest times the norm of the nodes' faces.
double sn_potential_characteristic_force(const SnPotential* potential);

// Actuators change its rest shapes (potential/actuator.h).
bool sn_potential_acts(const SnPotential* potential);

// Copies a patch's nodes to its own array and returns that.
const double* sn_potential_gather(SnPotential* potential, const SnPatch* patch, const double* x);

// g = sum of each node's slots (3 x slot_count), in patch order.
void sn_potential_add_slots(const SnPotential* potential, const double* slots, double* g);

// The pack number `pack` of a group, as kernels take it; and of a group of dissipation.
SnTermPack sn_potential_pack(const SnTermGroup* group, int pack);
SnViscousPack sn_potential_viscous_pack(const SnPotential* potential, const SnTermGroup* group, int pack);

// The Hessian over free nodes (potential/hessian.c).
typedef struct SnHessian {
    SnPotential* potential;
    const int* free_index; // node_count: row of each free node, -1 where pinned
    SnBlockMatrix matrix;
    int64_t* block_start; // blocks + 1, into block_slots
    int64_t* block_slots; // which patch blocks make up each block, in patch order
    double* patch_blocks; // 9 per patch block
    double* diagonal;     // added to the diagonal: one per free row
    bool elastic;         // dissipations are left out
} SnHessian;

// Builds the pattern for this set of free nodes. free_index must outlive the result.
SnStatus sn_hessian_create(SnPotential* potential, const int* free_index, int free_count, SnHessian** hessian);
void sn_hessian_destroy(SnHessian* hessian);

// Fills hessian->matrix with d2U/dx2 at x plus diag(hessian->diagonal) on each axis; project: per element.
void sn_hessian_assemble(SnHessian* hessian, const double* x, bool project);
