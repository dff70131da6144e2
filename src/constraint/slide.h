// Sliding: nodes that stay on a surface, at their distance from it, and move freely along it. On an obstacle the
// surface goes its own way; on a body it gives way, by a constraint on the node and the corners of the triangle it is
// on.
#pragma once
#include "constraint/constraint.h"
#include "mesh/normals.h"

// The surface of a body.
typedef struct SnSlideSurface {
    int first_node, node_count;
    const double* rest; // 3 x node_count
    int count;
    const int* triangles; // 3 x count, of the body's own nodes
} SnSlideSurface;

typedef struct SnSlide {
    int obstacle;           // what is slid on; -1: a body's surface
    SnSlideSurface surface; // of that body
    int target_body;        // its number
    int node_count;
    int* nodes;       // of the world
    double* distance; // node_count, m: from the surface, negative inside
    double* off;      // node_count, m: how much further than that they were when the step began
    SnTree* tree;     // of a body's surface, by its own nodes
    SnNormals* normals;
    double size; // m, of that body
} SnSlide;

// What slides are found with.
typedef struct SnSlideScene {
    SnTasks* tasks;
    int obstacle_count;
    const SnObstacle* obstacles;
    double span; // s, from the start of the step to the time that constraints are for
    bool begins; // nodes are where the step begins
} SnSlideScene;

// For obstacle or surface and nodes as set, with these at x; distance: NAN: as far as each node is.
SnStatus sn_slide_build(SnSlide* slide, const SnSlideScene* scene, const double* x, double distance);
void sn_slide_free(SnSlide* slide);
// The same surface with other numbers of nodes, and perhaps fewer nodes inside.
SnStatus sn_slide_set_surface(SnSlide* slide, const SnSlideSurface* surface);

// Adds the constraints of slide number `number` for nodes at x.
SnStatus sn_slide_collect(SnSlide* slide, int number, const SnSlideScene* scene, const double* x, SnConstraintSet* set);
// The node slides on what a contact has as its target.
bool sn_slide_holds(const SnSlide* slide, int obstacle_count, int node, int target);
