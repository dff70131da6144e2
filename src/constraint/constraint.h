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
    double friction;    // Coulomb's coefficient
    double velocity[3]; // m/s, of the obstacle's point
    int64_t key;        // the same constraint in two steps has the same key
} SnConstraint;

typedef struct SnMultiplier {
    double force;        // N along the normal: Lagrange's multiplier, where the next step starts
    double normal_force; // N that friction goes by, as of the last iteration
    double stiffness;    // N/m, of the penalty that augments it
    double compliance;   // m/N: how far it gives way in a global step; 0: not at all
    double stop;         // N s along the normal: what was left of an approach, or of a rebound, at the end of a stage
    double turned;       // how far its normal has turned to and fro since the stage began; negative: not known
} SnMultiplier;

typedef struct SnKept {
    SnConstraint constraint;
    SnMultiplier multiplier;
} SnKept;

typedef struct SnConstraintSet {
    int count, capacity;
    SnKept* items;
} SnConstraintSet;

SnStatus sn_constraint_set_add(SnConstraintSet* set, const SnKept* item); // memory is kept from step to step
void sn_constraint_set_free(SnConstraintSet* set);
void sn_constraint_set_sort(SnConstraintSet* set); // by key
// Constraints with the same key take over their forces from before; both sets sorted.
void sn_constraint_set_warm_start(SnConstraintSet* set, const SnConstraintSet* before);
// Constraints that push nodes at x and whose normals keep turning stay as they were before, and so do those that are
// gone: at sharp edges they would turn, or come and go, for ever. Both sets sorted.
SnStatus sn_constraint_set_hold(SnConstraintSet* set, const SnConstraintSet* before, const double* x);

// Keys of contacts: above those of everything else; then node and target.
#define SN_CONTACT_KEYS ((int64_t)1 << 60)
static inline int64_t sn_contact_key(const SnContact* contact)
{
    return SN_CONTACT_KEYS | (int64_t)contact->at.node[0] << 20 | contact->target;
}
static inline bool sn_constraint_is_contact(const SnConstraint* c)
{
    return c->key >= SN_CONTACT_KEYS;
}
// What a contact's node touches, as SnContact.target.
static inline int sn_constraint_target(const SnConstraint* c)
{
    return (int)(c->key & 0xfffff);
}
