// Which surfaces are near each other: boxes around whole surfaces, sorted along an axis and swept (Cohen et al. 1995).
#pragma once
#include "contact/swept.h"

typedef struct SnNearSurfaces {
    int a, b; // a <= b
} SnNearSurfaces;

typedef struct SnSurfaceSweep {
    int* order; // all surfaces, by the lower side of their box
    int* start; // count + 1: scratch of the sort
    int count, capacity, sorted_capacity;
    SnNearSurfaces *near, *sorted; // increasing; and scratch
} SnSurfaceSweep;

SnStatus sn_surface_sweep_create(int surface_count, SnSurfaceSweep* sweep);
void sn_surface_sweep_free(SnSurfaceSweep* sweep);
// Finds those that may touch and whose boxes meet; and those that touch themselves.
SnStatus sn_surface_sweep_find(SnSurfaceSweep* sweep, const SnSurfaces* surfaces, const SnSwept* swept);
