// What crosses at the start, and is separated step by step.
//
// Where edges of one surface go through triangles of another, they cut it into parts. Of these the ones on the wrong
// side are to go back: inside, where the other surface has an inside; else the smaller ones (Baraff, Witkin, Kass
// 2003). Nodes inside another body are pushed to the nearest place of its surface and through it; elsewhere the ends of
// edges that cross are pulled back. Edges that cross without cutting anything off go where the line along which
// surfaces cross gets shorter (Volino, Magnenat-Thalmann 2006). Until then pairs of such nodes do not count: they
// neither touch nor stop anything. It is all a function of where things are when a stage begins.
#pragma once
#include "contact/contacts.h"

// An edge that goes through a triangle.
typedef struct SnCrossing {
    int surface, other; // whose edge, whose triangle
    int index;          // of the edge among its surface's
    int edge[2], triangle[3];
} SnCrossing;

// A point that is on its way through a surface.
typedef struct SnTangled {
    int point, surface;
} SnTangled;

typedef struct SnTangles {
    bool none; // nothing crosses any more, and nothing will
    int count, capacity;
    SnTangled* items; // by point, then by surface
    bool* marked;     // point_count: the point is among them
    int crossing_count, crossing_capacity;
    SnCrossing* crossings; // by triangles' surface, then by edges'
    int* root;             // point_count: of its part; scratch
    int* vote;             // point_count: of a part by its root, more than 0: it is on the wrong side; scratch
    int* size;             // point_count: of a part by its root; scratch
    double* way;           // 3 x point_count: of a part by its root; scratch
} SnTangles;

void sn_tangles_free(SnTangles* tangles);
// With all points at their safe place, where a stage begins: the contacts that push apart in this stage are found.
SnStatus sn_tangles_find(SnContacts* contacts);
bool sn_tangles_has(const SnTangles* tangles, int point, int surface);
// All crossings at the safe place, in a fixed order.
typedef SnStatus SnCrossingVisit(void* user, const SnCrossing* crossing);
SnStatus sn_crossings_visit(SnContacts* contacts, SnCrossingVisit* visit, void* user);
