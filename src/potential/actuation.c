// Rest shapes of packs as actuators make them: volumes by det Fg, weights by Fg^-1.
#include <math.h>
#include <string.h>

#include "potential/actuator.h"

// Tensions are the first parameter of the springs that fibers and ropes are, each lane with its own.
enum { TENSION = 3 };

static bool is_spring(const SnTermGroup* group)
{
    return group->term->coordinates == 1 && group->material == sn_material_find("spring");
}

static SnStatus part_parameters(SnTermGroup* group)
{
    double* all;
    if (!is_spring(group) || group->parameters_step > 0) return SN_OK;
    int64_t size = SN_PARAMETERS * SN_LANES;
    if (!SN_NEW(all, size * group->pack_count, "actuators")) return SN_ERROR_MEMORY;
    for (int k = 0; k < group->pack_count; k++) memcpy(all + size * k, group->parameters, (size_t)size * sizeof *all);
    sn_free(group->parameters);
    group->parameters = all, group->parameters_step = size;
    return SN_OK;
}

SnStatus sn_potential_reserve_actuation(SnPotential* potential)
{
    for (int i = 0; i < potential->group_count; i++) {
        SnTermGroup* group = &potential->groups[i];
        size_t size = (size_t)group->pack_count * (1 + (size_t)group->term->shape_size) * SN_LANES;
        if (!group->members) continue;
        group->rest = sn_copy_memory(group->data, size, sizeof *group->data, "actuators");
        if (!group->rest) return SN_ERROR_MEMORY;
        SN_TRY(part_parameters(group));
    }
    return SN_OK;
}

// Of the element in a place; of a point the mean of its members.
static SnActuation find(const SnTermGroup* group, int place, const SnActuation* elements)
{
    if (!group->first) return elements[group->members[place]];
    SnActuation mean = {.stretch = 1, .along = 1};
    for (int i = group->first[place]; i < group->first[place + 1]; i++)
        for (int c = 0; c < 3; c++) mean.growth[c] += group->shares[i] * elements[group->members[i]].growth[c];
    return mean;
}

// How long a fiber, thread or edge is at rest, of the length that it had.
static double length_of(const SnTermGroup* group, const SnActuation* e)
{
    const double *d = group->direction, *g = e->growth;
    if (group->term->nodes != 3) return e->along;
    return hypot(g[0] * d[0], g[1] * d[1]) / hypot(d[0], d[1]); // of a thread in a triangle
}

static void set_lane(SnTermGroup* group, int pack, int lane, const SnActuation* e)
{
    int width = group->term->coordinates, size = 1 + group->term->shape_size;
    int64_t at = (int64_t)pack * size * SN_LANES + lane;
    const double* rest = group->rest + at;
    double *data = group->data + at, length = width == 1 ? length_of(group, e) : 1;
    double volume = e->growth[0] * e->growth[1] * e->growth[2] * (is_spring(group) ? e->stretch : 1);
    data[0] = volume * rest[0];
    for (int k = 1; k < size; k++)
        data[k * SN_LANES] = rest[k * SN_LANES] / (width == 1 ? length : e->growth[(k - 1) % width]);
    if (is_spring(group)) group->parameters[pack * group->parameters_step + TENSION * SN_LANES + lane] = e->tension;
}

// Spare lanes are as the last one.
static void set_group(SnTermGroup* group, const SnActuation* elements)
{
    for (int place = 0; place < group->pack_count * SN_LANES; place++) {
        SnActuation e = find(group, place < group->count ? place : group->count - 1, elements);
        set_lane(group, place / SN_LANES, place % SN_LANES, &e);
    }
}

void sn_potential_actuate(SnPotential* potential, const SnActuation* elements)
{
    for (int i = 0; i < potential->group_count; i++)
        if (potential->groups[i].rest) set_group(&potential->groups[i], elements);
    potential->actuated++;
}

bool sn_potential_acts(const SnPotential* potential)
{
    for (int i = 0; i < potential->group_count; i++)
        if (potential->groups[i].rest) return true;
    return false;
}
