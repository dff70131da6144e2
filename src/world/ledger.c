// The energy ledger: where each joule went, and the momenta.
#include <math.h>

#include "world/world.h"

void sn_ledger_state(SnWorld* world, double elastic)
{
    double kinetic = 0, gravity = 0;
    for (int i = 0; i < world->node_count; i++) {
        const double *x = world->x + 3 * (int64_t)i, *v = world->v + 3 * (int64_t)i;
        const double* f = world->gravity + 3 * (int64_t)i;
        kinetic += 0.5 * world->mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        gravity -= f[0] * x[0] + f[1] * x[1] + f[2] * x[2];
    }
    world->energy.kinetic = kinetic;
    world->energy.gravity = gravity;
    world->energy.elastic = elastic;
    world->measured = true;
}

// Work of the handles is their force times the way their nodes went; what then is missing is the integrator's.
void sn_ledger_step(SnWorld* world, double elastic, const double* moved)
{
    const SnEnergy before = world->energy;
    double work = 0;
    for (int64_t k = 0; k < 3 * (int64_t)world->node_count; k++) work += world->reaction[k] * moved[k];
    sn_ledger_state(world, elastic);
    double change = world->energy.kinetic + world->energy.elastic + world->energy.gravity -
                    (before.kinetic + before.elastic + before.gravity);
    world->energy.pins = before.pins + work;
    world->energy.numerical = before.numerical + work - change;
}

void sn_ledger_momentum(const SnWorld* world, double linear[3], double angular[3])
{
    for (int c = 0; c < 3; c++) linear[c] = angular[c] = 0;
    for (int i = 0; i < world->node_count; i++) {
        const double *x = world->x + 3 * (int64_t)i, *v = world->v + 3 * (int64_t)i;
        double m = world->mass[i];
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            linear[c] += m * v[c];
            angular[c] += m * (x[d] * v[e] - x[e] * v[d]);
        }
    }
}
