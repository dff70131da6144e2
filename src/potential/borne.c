#include "potential/borne.h"

#include <string.h>

#include "linalg/vec3.h"
#include "potential/map.h"

// The corners of a pack's elements, each lane with its own nodes.
typedef struct Corners {
    int nodes[SN_TERM_NODES * SN_LANES];
    double x[3 * SN_TERM_NODES * SN_LANES], v[3 * SN_TERM_NODES * SN_LANES], g[3 * SN_TERM_NODES * SN_LANES];
    double energies[SN_LANES];
    double f[9][SN_LANES], rate[9][SN_LANES]; // column after column
} Corners;

static void gather(const SnPotential* p, const SnPatch* patch, const SnTermType* term, const int* nodes,
                   const double* x, const double* v, Corners* c)
{
    for (int k = 0; k < term->nodes * SN_LANES; k++) {
        const int64_t from = 3 * (int64_t)p->slot_node[patch->first_slot + nodes[k]];
        c->nodes[k] = k;
        memcpy(c->x + 3 * k, x + from, 3 * sizeof *x);
        memcpy(c->v + 3 * k, v + from, 3 * sizeof *v);
    }
    memset(c->g, 0, sizeof c->g);
}

// Sheets and strands: the directions that they have not are at right angles to what they have, and not stretched.
static void complete(int width, double column[3][3])
{
    double along[3] = {column[0][0], column[0][1], column[0][2]};
    sn_normalize3(along);
    if (width == 1) sn_across3(along, column[1]);
    sn_cross3(column[0], column[1], column[2]);
    sn_normalize3(column[2]);
}

static void set_gradient(const Corners* c, int lane, int width, SnBorne* e)
{
    double column[3][3];
    for (int k = 0; k < width; k++)
        for (int r = 0; r < 3; r++) column[k][r] = c->f[3 * k + r][lane];
    if (width < 3) complete(width, column);
    for (int k = 0; k < 3; k++)
        for (int r = 0; r < 3; r++) {
            e->gradient[3 * r + k] = column[k][r];
            e->rate[3 * r + k] = k < width ? c->rate[3 * k + r][lane] : 0;
        }
}

// From the first corner, as the forces of an element add up to nothing.
static void find_virial(const Corners* c, int lane, int nodes, double virial[9])
{
    memset(virial, 0, 9 * sizeof *virial);
    const double* origin = c->x + 3 * (size_t)lane;
    for (int a = 1; a < nodes; a++) {
        const double* g = c->g + 3 * ((size_t)a * SN_LANES + lane);
        const double* x = c->x + 3 * ((size_t)a * SN_LANES + lane);
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) virial[3 * r + k] += g[r] * (x[k] - origin[k]);
    }
}

static void add_to(SnBorne* e, double share, const double virial[9], double energy)
{
    for (int k = 0; k < 9; k++) e->virial[k] += share * virial[k];
    e->energy += share * energy;
}

// A point's part of an element: how it is deformed is the mean of those so far, by their volumes.
static void add_part(SnBorne* e, double volume, const SnBorne* point)
{
    e->volume += volume;
    for (int k = 0; k < 9; k++) {
        e->gradient[k] += volume / e->volume * (point->gradient[k] - e->gradient[k]);
        e->rate[k] += volume / e->volume * (point->rate[k] - e->rate[k]);
    }
}

// What the element in a place bears: it is one of the body's, or of several.
static void bear_lane(const SnTermGroup* group, const Corners* c, double volume, int place, SnBorne* borne)
{
    int lane = place % SN_LANES;
    double virial[9];
    find_virial(c, lane, group->term->nodes, virial);
    if (!group->first) {
        SnBorne* e = &borne[group->members[place]];
        add_to(e, 1, virial, c->energies[lane]);
        if (group->reinforcement) return;
        e->volume = volume;
        set_gradient(c, lane, group->term->coordinates, e);
        return;
    }
    SnBorne point;
    set_gradient(c, lane, group->term->coordinates, &point);
    for (int i = group->first[place]; i < group->first[place + 1]; i++) {
        add_to(&borne[group->members[i]], group->shares[i], virial, c->energies[lane]);
        if (!group->reinforcement) add_part(&borne[group->members[i]], group->shares[i] * volume, &point);
    }
}

static void bear_pack(const SnPotential* p, const SnPatch* patch, int k, const double* x, const double* v,
                      SnBorne* borne)
{
    const SnTermGroup* group = &p->groups[patch->group];
    const SnTermType* term = group->term;
    SnTermPack pack = sn_potential_pack(group, patch->first_pack + k);
    Corners c;
    gather(p, patch, term, pack.nodes, x, v, &c);
    pack.nodes = c.nodes;
    term->gradient(group->material, &pack, c.x, c.g, c.energies);
    sn_map_apply(term->nodes, term->coordinates, &pack, c.x, c.f);
    sn_map_apply(term->nodes, term->coordinates, &pack, c.v, c.rate);
    for (int l = 0; l < SN_LANES && k * SN_LANES + l < patch->element_count; l++)
        bear_lane(group, &c, pack.volume[l], (patch->first_pack + k) * SN_LANES + l, borne);
}

void sn_potential_bear(const SnPotential* p, const double* x, const double* v, SnBorne* borne)
{
    for (int i = 0; i < p->patch_count; i++) {
        const SnTermGroup* group = &p->groups[p->patches[i].group];
        if (!group->members || group->dissipation || group->keep == SN_KEEP_PROJECTION) continue;
        for (int k = 0; k < p->patches[i].pack_count; k++) bear_pack(p, &p->patches[i], k, x, v, borne);
    }
}
