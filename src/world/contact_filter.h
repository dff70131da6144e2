// Who touches whom, how far apart they are kept, and how they rub: what bodies, obstacles and pairs of the model say.
//
// Those that all pairs mean alike are of one class, so that a table of classes answers for any two.
#pragma once
#include "world/state.h"

typedef struct SnContactRule {
    int touch;       // 1: yes, 0: no; -1: nobody said
    double friction; // -1: nobody said
} SnContactRule;

typedef struct SnContactFilter {
    const SnModel* model;
    const SnState* state; // whose bodies may be on the shelf
    int class_count;
    int* class_of;        // obstacles, then bodies
    SnContactRule* rules; // class_count x class_count, symmetric
    SnContactRule* own;   // of each body with itself
} SnContactFilter;

SnStatus sn_contact_filter_create(const SnModel* model, const SnState* state, SnContactFilter* filter);
void sn_contact_filter_free(SnContactFilter* filter);

// As contact/contacts.h asks for them; user: a filter.
bool sn_contact_filter_touch(const void* user, int body, int target);
double sn_contact_filter_friction(const void* user, int body, int target);

// Can any two bodies touch, or a body itself?
bool sn_model_bodies_touch(const SnModel* model);
bool sn_model_surfaces_meet(const SnModel* model); // of bodies, or those of obstacles, in contacts of several nodes
// The mean length of the edges of what touches, surface and ropes or a skin, at rest, m: their sum and number, which
// are those of all parts where a body has some.
void sn_body_sum_edges(const SnBody* body, double sums[2]);
void sn_body_set_edge(SnBody* body, const double sums[2]);
// Half of what two such bodies are kept apart, and what any two are at least, m.
double sn_body_thickness(const SnModel* model, const SnBody* body);
double sn_body_least_thickness(const SnBody* body);
double sn_model_obstacle_thickness(const SnModel* model, int obstacle); // the largest of any body
