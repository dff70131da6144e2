// Obstacles: rigid things that bodies touch and that nothing moves but their script, given by their signed distance.
#ifndef SINEW_OBSTACLE_H
#define SINEW_OBSTACLE_H

#include <sinew/mesh.h>
#include <sinew/parameter.h>

#ifdef __cplusplus
extern "C" {
#endif

// What an obstacle is, at time 0. Each type reads the members that its row of `sinew list obstacles` names.
typedef struct SnObstacleShape {
    const char* type;                    // a name of `sinew list obstacles`; ignored when custom is set
    const struct SnObstacleType* custom; // a user's own type
    const void* user;                    // for the custom type's functions
    double point[3];             // m: a point of a plane, a centre, one end of an axis, a terrain's lowest corner
    double normal[3];            // any length: of a plane; the axis of a torus
    double to[3];                // m: the other end of an axis
    double radius, tube;         // m; tube: the smaller radius of a torus
    double size[3];              // m: of a box; of a terrain along x, up for a height of 1, along z
    double rotate[4];            // of a box about its centre: axis and angle in radians (a scene has degrees)
    int columns, rows;           // of a terrain's heights
    const double* heights;       // rows x columns, columns along x; copied
    const char* height_map;      // in place of these: a grey PNG or PGM file; black is 0, white 1, the top row first
    const SnMesh* mesh;          // of an obstacle of triangles, or the boundary of its tetrahedra; copied
    const SnMesh* const* frames; // frame_count meshes of as many nodes: it changes from one to the next; copied
    int frame_count;
    double frame_rate; // 1/s; after the last frame it stays as it is,
    bool repeat;       // or begins again
    void* data;        // what the type made of these when the obstacle was added; leave it NULL
} SnObstacleShape;

// Where something rigid is: its point X at time 0 is at x = rotation X + shift.
typedef struct SnPose {
    double rotation[9]; // row after row
    double shift[3];    // m
} SnPose;

// An obstacle that is a surface of triangles: its vertices as they are and as they were, where nothing moves it.
typedef struct SnObstacleVertices {
    int count, triangle_count;
    const double *now, *before; // 3 x count
    const int* triangles;       // 3 x triangle_count
} SnObstacleVertices;

// An obstacle is its signed distance, which changes by no more than a point moves; the others may be NULL.
typedef struct SnObstacleType {
    const char* name;
    const char* summary;           // one line, as printed by `sinew list obstacles`
    const SnParameter* parameters; // its own: members of SnObstacleShape; NULL: none
    // m from the surface, negative inside, with the gradient: of unit length, outward. Called by many threads at once.
    double (*distance)(const SnObstacleShape* shape, const double p[3], double gradient[3]);
    // Checks the numbers and may make shape->data of them.
    SnStatus (*prepare)(SnObstacleShape* shape);
    void (*release)(SnObstacleShape* shape);
    // Of one that changes its shape: as it was and as it is, s; then how far the surface near p went in between. One
    // that has no `vertices` is prepared twice, and the second is changed to what the first was before.
    void (*change)(SnObstacleShape* shape, double before, double now);
    void (*carry)(const SnObstacleShape* shape, const double p[3], double moved[3]);
    // Of one that is made of triangles: contacts are kept with these, instead of by distance.
    void (*vertices)(const SnObstacleShape* shape, SnObstacleVertices* vertices);
    // Triangles of the surface, for pictures; of an endless one `extent` m to each side.
    SnStatus (*surface)(const SnObstacleShape* shape, double extent, SnMesh** mesh);
    bool convex; // so is its inside, and with it the distance: ways along it are found with few evaluations
} SnObstacleType;

SN_API SnObstacleShape sn_obstacle(const char* type); // with the type's defaults
// A number by its name, as a scene has it (but angles in radians): sn_obstacle_set(&shape, "radius", "0.5").
SN_API SnStatus sn_obstacle_set(SnObstacleShape* shape, const char* name, const char* value);

#ifdef __cplusplus
}
#endif
#endif
