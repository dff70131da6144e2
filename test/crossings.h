// Counts what crosses what, from positions alone: an edge and a triangle of one moment by exact signs, nodes and
// triangles or edges and edges between two moments by roots of cubics. It shares no code with what it judges.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef enum Crossing {
    CROSSING_NOT,
    CROSSING_TOUCH, // a determinant is 0, or too near to it to say: the pair touches, which is allowed
    CROSSING_YES,
} Crossing;

// The sign of det[b-a, c-a, d-a], exact for all doubles whose products neither overflow nor underflow.
int crossing_side(const double a[3], const double b[3], const double c[3], const double d[3]);
// The edge from p to q and a triangle: crossing, where q is strictly on another side than p and what is between goes
// through the triangle's interior. Pairs in one plane count as apart.
Crossing crossing_edge_triangle(const double p[3], const double q[3], const double* const triangle[3]);
// Four nodes that go straight from before to after: node 0 through the triangle of the others,
Crossing crossing_swept_node(const double* const before[4], const double* const after[4]);
// and the edge of nodes 0 and 1 through that of 2 and 3. A motion within one plane counts as apart.
Crossing crossing_swept_edges(const double* const before[4], const double* const after[4]);
// How often one closed polygon winds through another, 0 where they are not linked: it changes only by crossings.
int crossing_linking(int count, const double* x, int other_count, const double* other);

// Surfaces over one set of nodes; obstacles come after the bodies.
typedef struct CrossingSurface {
    int node_count, edge_count, triangle_count;
    int* edges;     // 2 x edge_count: of triangles, each once, and of ropes
    int* triangles; // 3 x triangle_count
    int outer_count;
    int* outer; // outer_count: nodes of these edges; the others are inside bodies
    int* part;  // node_count: which body, or from `bodies` on which obstacle, it belongs to
    int bodies; // pairs of obstacles are not looked at
} CrossingSurface;

typedef struct CrossingCount {
    int64_t self, others; // pairs that cross: of one body, of two
    int64_t touching;     // pairs of which it cannot be said, or that touch
    int example[4];       // nodes of the first pair that crosses; -1: none
} CrossingCount;

// Adds the edges of triangles to those there are, and finds the outer nodes; false: out of memory, as in the others.
bool crossing_add_edges(CrossingSurface* surface);
void crossing_free(CrossingSurface* surface);
// Pairs without a common node. x, before, after: 3 x node_count.
bool crossing_count(const CrossingSurface* surface, const double* x, CrossingCount* count);
// Parts of which a node is inside the closed surface of another part: where nothing crosses, they are inside as a
// whole.
bool crossing_count_nested(const CrossingSurface* surface, const double* x, int64_t* pairs);
bool crossing_count_swept(const CrossingSurface* surface, const double* before, const double* after,
                          CrossingCount* count);
