// The table of obstacles, and one of them in its place.
#pragma once
#include <sinew/obstacle.h>

#include "core/memory.h"
#include "core/parameter.h"

SN_TABLE(SnObstacleType, obstacle)

// A steady motion: by an angle about an axis, and along it.
typedef struct SnScrew {
    double axis[3], angle; // radians, from 0 to pi
    double pivot[3];       // m: a point of the axis
    double shift[3];       // m: along it; all of the motion where it does not turn
} SnScrew;

typedef struct SnObstacle {
    const SnObstacleType* type;
    SnObstacleShape shape;
    SnPose frame, before; // at the end and at the beginning of the step
    SnScrew screw;        // from one to the other
    bool morphs;          // it changes its shape, and is known by its distance: in between, that is between both
    SnObstacleShape old;  // of one that does: as it was at the beginning
    double friction;      // Coulomb's coefficient
    double thickness;     // m: bodies are kept this far from the surface; negative: by as much as their own
    double since;         // s: when it came; its frames count from there
} SnObstacle;

// The type behind a shape: its own or the table's; an error that suggests the nearest name.
SnStatus sn_obstacle_resolve(const SnObstacleShape* shape, const SnObstacleType** type);
// Checks the shape and keeps what it needs of it; it stays where it is until it is placed.
SnStatus sn_obstacle_create(SnObstacle* obstacle, const SnObstacleShape* shape);
void sn_obstacle_destroy(SnObstacle* obstacle); // also half-built and zeroed ones
// To the frames at the times `before` and `now`, s.
void sn_obstacle_place(SnObstacle* obstacle, const SnPose* frame_before, const SnPose* frame, double before,
                       double now);

// The signed distance of p now, m, and its gradient.
double sn_obstacle_distance(const SnObstacle* obstacle, const double p[3], double gradient[3]);
// How far the obstacle's point that is at p now went since `before`, m.
void sn_obstacle_carry(const SnObstacle* obstacle, const double p[3], double moved[3]);
// The same when it has passed a part of its way, from 0 to 1; and no point at p goes faster, m per whole way.
double sn_obstacle_distance_at(const SnObstacle* obstacle, double passed, const double p[3], double gradient[3]);
double sn_obstacle_speed(const SnObstacle* obstacle, const double p[3]);
// By how much its change of shape alone changes the distance of p, where it is then, over the whole way, m.
double sn_obstacle_growth(const SnObstacle* obstacle, double passed, const double p[3]);
// A point p then, and a direction, as its shape has them; and of the shape, where they are at the end.
void sn_obstacle_to_shape(const SnObstacle* obstacle, double passed, const double p[3], double direction[3],
                          double local[3]);
void sn_obstacle_from_shape(const SnObstacle* obstacle, const double local[3], double direction[3], double p[3]);
// Its surface before it is moved, of one that changes as it is now, or NULL when the type cannot tell.
SnStatus sn_obstacle_surface(const SnObstacle* obstacle, double extent, SnMesh** mesh);

// Of one of triangles that may change: between two times its vertices, vertex_count of them, go where they are told to,
// and there they stay. 0: it does not change.
int sn_obstacle_vertex_count(const SnObstacle* obstacle);
SnStatus sn_obstacle_tell(SnObstacle* obstacle, const double* vertices, double begin, double end);

// How many edges of a mesh leave its inside undecided: of one triangle, or of several that disagree; else 0.
int sn_obstacle_open_edges(const SnObstacle* obstacle);

extern const SnObstacleType sn_obstacle_mesh;

// For types (obstacle/surface.c). The surface that a curve in the half-plane (radius, height) sweeps around an axis
// through `centre`; profile: 2 x count; closed: its last point is joined to its first.
SnStatus sn_surface_of_revolution(const double centre[3], const double axis[3], int count, const double* profile,
                                  bool closed, SnMesh** mesh);
SnStatus sn_surface_of_triangles(int node_count, const double* nodes, int triangle_count, const int* triangles,
                                 SnMesh** mesh);
extern const SnParameter sn_axis_parameters[]; // of what is round about an axis: from, to, radius
enum { SN_AROUND = 48 };                       // corners of a circle
