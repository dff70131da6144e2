// What is kept: a linear constraint on a few nodes, C x = d or C x >= d, with Coulomb friction across it; and what a
// method remembers of it.
//
// Contacts (contact/contacts.h) and slides (constraint/slide.h) are made into these. What is not linear in the nodes,
// limits of stretch, and pins by energy are terms of the potential instead (SnKeep in potential/potential.h): an
// energy, or a projection in the local step of a solver that keeps them itself.
#pragma once
#include "contact/contacts.h"

typedef struct SnConstraint {
    SnStencil at;       // the gap: zero, or not negative
    bool unilateral;    // it only pushes along the normal, and is dropped where it would have to pull
    bool blocked, met;  // as SnContact has them
    bool curved;        // it is linear only near where it was found, and is found anew from there until it stays
    bool springy;       // it is a spring: a grab, or a slide (constraint/wedge.h)
    bool contradicts;   // that cannot be kept beside the node's other ones
    double spring;      // N/m, of a grab; 0: as its nodes put up
    double friction;    // Coulomb's coefficient
    double velocity[3]; // m/s, of the obstacle's point
    double drawn;       // m, along the normal: by which a slide brings its node to its distance in this step
    int64_t key;        // the same constraint in two steps has the same key
    int64_t place;      // of contacts, as SnContact has them
    int owner, target;
} SnConstraint;

typedef struct SnMultiplier {
    double force;        // N along the normal: Lagrange's multiplier, where the next step starts
    double tangent[3];   // N across it: the same, of friction,
    double rub[3];       // and what that was at the end of the minimisation
    double crept[3];     // m, by which a point that sticks has slipped in steps before, and which is taken back,
    double left[3];      // and how much that was at the end of the minimisation
    double normal_force; // N that friction goes by, as of the last iteration
    double stiffness;    // N/m, of the penalty that augments it
    double compliance;   // m/N: how far it gives way in a global step, or as a spring; 0: not at all
    double stop;         // N s along the normal: what was left of an approach, or of a rebound, at the end of a stage
} SnMultiplier;

typedef struct SnKept {
    SnConstraint constraint;
    SnMultiplier multiplier;
} SnKept;

typedef struct SnConstraintSet {
    int count, capacity;
    SnKept* items;
    int acting_capacity, lonely_capacity;
    double* acting;          // 4 x capacity: room for what they push with
    struct SnLonely* lonely; // while forces are taken over
} SnConstraintSet;

SnStatus sn_constraint_set_add(SnConstraintSet* set, const SnKept* item); // memory is kept from step to step
SnStatus sn_constraint_set_copy(const SnConstraintSet* from, SnConstraintSet* to);
void sn_constraint_set_free(SnConstraintSet* set);
void sn_constraint_set_sort(SnConstraintSet* set); // by key; of contacts with the same one, one is kept
// Constraints with the same key take over their forces from before, then those at the same place; both sets sorted.
// SN_KEEP_PUSHING: those that push and are gone stay as they were; SN_KEEP_ALL: all do.
typedef enum SnKeeping { SN_KEEP_NOTHING, SN_KEEP_PUSHING, SN_KEEP_ALL } SnKeeping;
SnStatus sn_constraint_set_warm_start(SnConstraintSet* set, const SnConstraintSet* before, SnKeeping keep);

// The force that goes on from one iteration to the next; a spring has none.
static inline double sn_kept_force(const SnKept* item)
{
    return item->constraint.springy ? 0 : item->multiplier.force;
}

// Keys of contacts are above those of everything else.
#define SN_CONTACT_KEYS ((int64_t)1 << 60)
static inline bool sn_constraint_is_contact(const SnConstraint* c)
{
    return c->key >= SN_CONTACT_KEYS;
}
