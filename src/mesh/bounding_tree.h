// A bounding-volume tree over the elements of a mesh, refitted as its nodes move: nearest triangles, overlaps.
//
// A balanced binary tree of boxes in heap order (the children of box k are 2k+1 and 2k+2) over at most SN_TREE_LEAF
// elements per leaf. It is built once, by medians along the longest axis, and depends on the positions given then
// alone; refitting moves boxes only. Queries allocate nothing, and may run in many threads at once.
#pragma once
#include "core/tasks.h"

enum { SN_TREE_LEAF = 4 };

typedef struct SnBox {
    double lo[3], hi[3];
} SnBox;

typedef struct SnTree {
    int count;   // elements
    int corners; // nodes of each: 1 points, 2 edges, 3 triangles, 4 tetrahedra
    int depth;   // there are 2^depth leaves
    int* items;  // corners x count
    int* order;  // count: the element in each place, leaf after leaf
    SnBox* boxes;
} SnTree;

// items is copied; x: 3 per node.
SnStatus sn_tree_create(int count, int corners, const int* items, const double* x, SnTree** tree);
void sn_tree_destroy(SnTree* tree);
// Boxes around the elements at x, each side `margin` further out.
void sn_tree_refit(SnTree* tree, SnTasks* tasks, const double* x, double margin);

// Calls visit for the elements in leaves whose box meets this one, in tree order, until it returns false. (Elements of
// such a leaf are near, but need not meet the box themselves.)
typedef bool SnTreeVisit(void* user, int item);
void sn_tree_overlaps(const SnTree* tree, const SnBox* box, SnTreeVisit* visit, void* user);

// The square of the distance of p from the box around one element at x.
double sn_tree_square_to(const SnTree* tree, const double* x, int item, const double p[3]);

// The point of a triangle that is nearest to another point.
typedef struct SnNearest {
    int item;          // the triangle
    int feature;       // which corners it lies between, one bit each: 7 inside, 3, 5, 6 on an edge, 1, 2, 4 on a corner
    double weights[3]; // point = sum of weights x corners; they are not negative and add up to 1
    double point[3];
    double distance; // m, not negative
} SnNearest;

// Its item is 0. Triangles without area are as good as any: their edges are looked at.
void sn_nearest_on_triangle(const double a[3], const double b[3], const double c[3], const double p[3],
                            SnNearest* nearest);
// The nearest triangle of the tree, of equals that of the lowest number, that is less than `most` away and that
// accept(user, item) wants (NULL: any of them); false when there is none. The boxes must be around x: refit first.
typedef bool SnTreeAccept(void* user, int item);
bool sn_tree_nearest(const SnTree* tree, const double* x, const double p[3], double most, SnTreeAccept* accept,
                     void* user, SnNearest* nearest);

// Barycentric coordinates of p in a tetrahedron (4 x 3 corners); false where that has no volume.
bool sn_point_in_tetrahedron(const double corners[12], const double p[3], double weights[4]);
