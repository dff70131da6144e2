// The second derivative of a density by F in the frame of its singular vectors, clamped at zero, for solids, sheets and
// strands alike: F is padded by zero columns, and the stretches that are not there are 1.
#pragma once
#include "material/material.h"
#include "potential/modes.h"

#define SN_BARRIER_STRETCH 0.1 // nearer to a barrier, stretches count as this

// The stretches as densities take them.
SN_INLINE void sn_density_stretches(int width, const SnMaterialType* material, const SnParameterPack* parameters,
                                    const SnLaneArray* s, SnLaneArray* out)
{
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) {
            double least = material->barrier ? sn_lane_max(parameters->floor[l], SN_BARRIER_STRETCH) : -INFINITY;
            out[i][l] = i < width ? sn_lane_max(s[i][l], least) : 1.0;
        }
}

// The tension psi_i/s_i against moving across the stretch i, of sheets and strands.
SN_INLINE void sn_tension_mode(const SnLaneArray* s, const SnLaneArray* g, int i, double* same, double* cross)
{
    for (int l = 0; l < SN_LANES; l++) {
        same[l] = sn_lane_max(g[i][l] / sn_lane_max(s[i][l], 1e-12), 0.0);
        cross[l] = 0.0;
    }
}

SN_INLINE void sn_density_modes(int width, const SnMaterialType* material, const SnParameterPack* parameters,
                                const SnLaneArray* at, SnModes* m)
{
    SnLaneArray s[3], g[3], *h = m->a;
    sn_density_stretches(width, material, parameters, at, s);
    sn_material_derivatives(material, (const double(*)[SN_LANES])s, parameters, g, h);
    for (int pair = 0; pair < 3; pair++) {
        int i = pair / 2, j = pair == 0 ? 1 : 2;
        if (j < width)
            sn_pair_modes(s[i], s[j], g[i], g[j], h[i], h[j], h[3 + pair], true, m->same[pair], m->cross[pair]);
        else
            sn_tension_mode((const SnLaneArray*)s, (const SnLaneArray*)g, i < width ? i : 0, m->same[pair],
                            m->cross[pair]);
    }
    for (int k = 0; k < 6; k++) { // rows of stretches that are not there
        bool missing = (k < 3 && k >= width) || (k == 3 && width < 2) || (k > 3 && width < 3);
        for (int l = 0; l < SN_LANES && missing; l++) h[k][l] = 0.0;
    }
    sn_modes_project(m);
}
