// Which triangles and edges a point of a surface belongs to: what tells whether two nearest points are nearest on the
// surfaces as well.
#pragma once
#include "contact/distance.h"
#include "contact/surfaces.h"

typedef struct SnNeighbours {
    int64_t* first;      // point_count + 1
    int* triangles;      // 2 per: the other corners of the triangles at a point
    int64_t* edge_first; // point_count + 1
    int* ends;           // the other ends of edges without triangles at a point
} SnNeighbours;

SnStatus sn_neighbours_create(const SnSurfaces* surfaces, SnNeighbours** neighbours);
void sn_neighbours_destroy(SnNeighbours* neighbours);

// Are the nearest points of a pair nearest on the surfaces around them, too? Those that are not come with others that
// are, and would push aside. close: what leads to a point of the other element does not count; in a fold all comes
// nearer towards the crease, and there is nothing to keep apart. flat: edges count that are nearest by however little;
// else only those that are not inside of flat faces, where nodes say nearly all. x: 3 per point.
typedef struct SnNearestBy {
    bool edges, close, flat;
} SnNearestBy;
bool sn_neighbours_nearest(const SnNeighbours* neighbours, const int point[4], SnNearestBy as,
                           const SnDistance* distance, const double* x);
