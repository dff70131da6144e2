// Loads: what forces from outside make of each node in a stage of a step.
//
// A load is a force f and a drag k (w - v) on each node, w being the velocity of what drags. Both are found from where
// nodes are and how they move when the stage begins, and then kept; the drag's v is that of the stage's end, so that it
// is stable for any step. As forces that turn with a surface have no energy, this is what all solvers can minimise.
// Forces that follow are found anew at the minimum, and that with them, until both agree.
//
// A kind of load is a file with these functions and a row in load_table.c.
#pragma once
#include <sinew/load.h>

#include "core/parameter.h"
#include "core/share.h"
#include "core/table.h"

// The surface that a load acts on, and the load itself.
typedef struct SnLoad {
    const struct SnLoadType* type;
    SnLoadDef def;                  // without nodes
    int node_count, triangle_count; // of this process (core/share.h)
    int all_nodes;                  // of all processes
    int* nodes;                     // node_count, of the world
    double* weights;                // node_count: the part that each has of a force at a point; NULL: equal ones
    int* triangles;                 // 3 x triangle_count, nodes of the world
    bool two_sided;                 // a sheet: its triangles are met from both sides
    double* points;                 // what def.ramp points to
    double scale;                   // by which it was changed since (sn_world_set_load); 1: as it was defined
    double since;                   // s: when it was added; its times count from there
} SnLoad;

// What is added up over all loads: f + k w and k of each node.
typedef struct SnLoadSum {
    double* force; // 3 x node_count, N: at v = 0
    double* drag;  // node_count, N s/m
} SnLoadSum;

// When and where a load is asked for.
typedef struct SnLoadState {
    double time;         // s
    const double *x, *v; // 3 x node_count each
    const double* rest;  // 3 x node_count
    const double* mass;  // node_count, kg
    double pressure;     // Pa, in a chamber, as it is being sought or was found; NAN: of a gas, that of x
    SnTasks* tasks;      // that what depends on all nodes is summed over
} SnLoadState;

typedef struct SnLoadType {
    const char* name;
    const char* summary;           // one line, as printed by `sinew list loads`
    const SnParameter* parameters; // members of SnLoadDef, the first one of the type's name
    bool on_surface;               // it needs triangles
    bool at_point;                 // it may act at a point instead of on nodes
    bool follows;                  // its force depends on x, and is that of the stage's end; it has no drag
    bool closed;                   // its triangles must be a closed surface
    void (*add)(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum);
    double (*pressure)(const SnLoad* load, const SnLoadState* state); // Pa, of a gas, with nodes at x; NULL: it is none
    double (*filled)(const SnLoad* load, const SnLoadState* state);   // m3, of a chamber whose volume is given
    // Adds the drag that is to be expected at most, with nodes at x; NULL: it has none.
    void (*bound)(const SnLoad* load, const double* x, double* drag);
} SnLoadType;

SN_TABLE(SnLoadType, load)

extern const SnParameter sn_load_parameters[]; // those that all loads have

double sn_load_factor(const SnLoad* load, double time);                    // by its ramp, and as it was changed
void sn_load_area(const int triangle[3], const double* x, double area[3]); // twice the area along the normal
// m3 that the triangles enclose; negative: they are wound inwards, as the walls of a cavity in a solid are.
double sn_load_enclosed(const SnLoad* load, const SnTasks* tasks, const double* x);
// Adds Pa times the area of each triangle along its normal, a third of it to each corner.
void sn_load_add_pressure(const SnLoad* load, double pressure, const double* x, SnLoadSum* sum);
