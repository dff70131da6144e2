// Grabs: a spring between a point of a surface and one in space, as of somebody's hand.
#pragma once
#include "constraint/constraint.h"

enum { SN_GRAB_NODES = 3 };

typedef struct SnGrab {
    bool holds; // false: it was let go, and is nothing
    int count;
    int node[SN_GRAB_NODES]; // of the world,
    double weight[SN_GRAB_NODES];
    double target[3];
    double stiffness; // N/m
} SnGrab;

// Adds its constraints, one per axis, as of the tie of this number (constraint/tie.h).
SnStatus sn_grab_collect(const SnGrab* grab, int number, int slide_count, SnConstraintSet* set);
