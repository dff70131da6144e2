// Sweep and prune over the boxes of surfaces.
#include "contact/near_surfaces.h"

#include <math.h>
#include <string.h>

SnStatus sn_surface_sweep_create(int surface_count, SnSurfaceSweep* sweep)
{
    if (!SN_NEW(sweep->order, surface_count, "near surfaces") ||
        !SN_NEW(sweep->start, (int64_t)surface_count + 1, "near surfaces"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < surface_count; i++) sweep->order[i] = i;
    return SN_OK;
}

void sn_surface_sweep_free(SnSurfaceSweep* sweep)
{
    sn_free(sweep->order), sn_free(sweep->start), sn_free(sweep->near), sn_free(sweep->sorted);
}

// The axis along which the surfaces together are longest.
static int longest_axis(const SnSwept* swept, int count)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * count; i++) {
        const SnBox* box = &swept[i / 3].bound;
        lo[i % 3] = fmin(lo[i % 3], box->lo[i % 3]), hi[i % 3] = fmax(hi[i % 3], box->hi[i % 3]);
    }
    int axis = hi[1] - lo[1] > hi[0] - lo[0] ? 1 : 0;
    return hi[2] - lo[2] > hi[axis] - lo[axis] ? 2 : axis;
}

// By insertion: they are almost in order from the last call.
static void sort_surfaces(int* order, int count, const SnSwept* swept, int axis)
{
    for (int i = 1; i < count; i++) {
        int surface = order[i], k = i;
        for (; k > 0 && swept[order[k - 1]].bound.lo[axis] > swept[surface].bound.lo[axis]; k--)
            order[k] = order[k - 1];
        order[k] = surface;
    }
}

static SnStatus add(SnSurfaceSweep* sweep, int a, int b)
{
    if (!SN_GROW(sweep->near, sweep->capacity, (int64_t)sweep->count + 1, "near surfaces")) return SN_ERROR_MEMORY;
    sweep->near[sweep->count++] = (SnNearSurfaces){a < b ? a : b, a < b ? b : a};
    return SN_OK;
}

// One pass of a stable sort by counting: by b, or by a.
static void sort_pass(SnSurfaceSweep* sweep, int surface_count, bool by_a, const SnNearSurfaces* in,
                      SnNearSurfaces* out)
{
    memset(sweep->start, 0, ((size_t)surface_count + 1) * sizeof *sweep->start);
    for (int i = 0; i < sweep->count; i++) sweep->start[(by_a ? in[i].a : in[i].b) + 1]++;
    for (int k = 0; k < surface_count; k++) sweep->start[k + 1] += sweep->start[k];
    for (int i = 0; i < sweep->count; i++) out[sweep->start[by_a ? in[i].a : in[i].b]++] = in[i];
}

SnStatus sn_surface_sweep_find(SnSurfaceSweep* sweep, const SnSurfaces* surfaces, const SnSwept* swept)
{
    int count = surfaces->count, axis = longest_axis(swept, count);
    sort_surfaces(sweep->order, count, swept, axis);
    sweep->count = 0;
    for (int i = 0; i < count; i++) {
        int a = sweep->order[i];
        const SnBox* box = &swept[a].bound;
        if (sn_surfaces_touch(surfaces, a, a)) SN_TRY(add(sweep, a, a));
        for (int k = i + 1; k < count && swept[sweep->order[k]].bound.lo[axis] <= box->hi[axis]; k++)
            if (sn_boxes_meet(box, &swept[sweep->order[k]].bound) && sn_surfaces_touch(surfaces, a, sweep->order[k]))
                SN_TRY(add(sweep, a, sweep->order[k]));
    }
    if (!SN_GROW(sweep->sorted, sweep->sorted_capacity, sweep->count, "near surfaces")) return SN_ERROR_MEMORY;
    sort_pass(sweep, count, false, sweep->near, sweep->sorted);
    sort_pass(sweep, count, true, sweep->sorted, sweep->near);
    return SN_OK;
}
