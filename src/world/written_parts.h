// Parts of definitions as the numbers of events: meshes, faces, names, curves, motions. What is taken is checked as far
// as needed to be read; what it means is checked where it is added.
#pragma once
#include <stddef.h>

#include "world/model.h"
#include "world/written.h"

// Members of a definition that are numbers, with how many there are.
typedef struct SnPlain {
    size_t offset;
    int count;
} SnPlain;
#define SN_PLAIN(type, member, count) \
    {                                 \
        offsetof(type, member), count \
    }
void sn_put_plain(SnWritten* n, int rows, const SnPlain* list, const void* from);
void sn_take_plain(SnReading* r, int rows, const SnPlain* list, void* to);

// The numbers of a motion; its keyframes are elsewhere.
void sn_put_motion(SnWritten* n, const SnMotion* motion);
void sn_take_motion(SnReading* r, SnMotion* motion);

enum { SN_WRITTEN_NAME = 64 }; // letters of a type, and one

// How many nodes or elements are chosen, or -1 for all, and these, which the caller frees.
void sn_put_chosen(SnWritten* n, const int* items, int count);
SnStatus sn_take_chosen(SnReading* r, int** items, int* count);

void sn_put_curve(SnWritten* n, const SnCurve* curve);
void sn_take_curve(SnReading* r, SnCurve* curve); // its points are the event's

SnStatus sn_take_words(SnReading* r, char** text); // a text as long as it is, which the caller frees
void sn_put_groups(SnWritten* n, int count, const char* const* names);
SnStatus sn_take_groups(SnReading* r, SnGroups* groups); // freed by the caller, also when it fails

// A damping but for its curve; the names of its types are in `types`, and its elements are freed by the caller.
void sn_put_damping(SnWritten* n, const SnDampingDef* damping);
SnStatus sn_take_damping(SnReading* r, char types[2][SN_WRITTEN_NAME], SnDampingDef* damping, int** elements);

// Nodes and elements, whose counts (of nodes, tetrahedra, triangles, edges) are elsewhere.
void sn_put_elements(SnWritten* n, const SnMesh* mesh);
SnStatus sn_take_elements(SnReading* r, const int counts[4], SnMesh** mesh);
// A mesh is of second order; and its faces.
SnStatus sn_take_order(SnReading* r, SnMesh* mesh);
void sn_put_faces(SnWritten* n, const SnFaces* faces, int vertex_count);
SnStatus sn_take_faces(SnReading* r, SnMesh* mesh);
// All of a mesh but its groups and fields.
void sn_put_mesh(SnWritten* n, const SnMesh* mesh);
SnStatus sn_take_mesh(SnReading* r, SnMesh** mesh);
