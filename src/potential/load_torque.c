// Torque: forces w x r around the middle c of the nodes, r = x - c, with w such that all of them have the torque asked
// for and no force: the sum of r x (w x r) is I w, I the sum of |r|^2 1 - r r^T.
#include <stddef.h>
#include <string.h>

#include "linalg/vec3.h"
#include "potential/load.h"

static void middle_of(const SnLoad* load, const SnTasks* tasks, const double* x, double middle[3])
{
    memset(middle, 0, 3 * sizeof *middle);
    for (int i = 0; i < load->node_count; i++)
        for (int c = 0; c < 3; c++) middle[c] += x[3 * (int64_t)load->nodes[i] + c] / load->all_nodes;
    sn_share_sum(tasks, 3, middle);
}

static void inertia_of(const SnLoad* load, const SnTasks* tasks, const double* x, const double middle[3],
                       double inertia[9])
{
    memset(inertia, 0, 9 * sizeof *inertia);
    for (int i = 0; i < load->node_count; i++) {
        double r[3];
        sn_subtract3(x + 3 * (int64_t)load->nodes[i], middle, r);
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) inertia[3 * a + c] += (a == c ? sn_dot3(r, r) : 0) - r[a] * r[c];
    }
    sn_share_sum(tasks, 9, inertia);
}

static void add(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    double middle[3], inertia[9], inverse[9], w[3], factor = sn_load_factor(load, state->time);
    middle_of(load, state->tasks, state->x, middle);
    inertia_of(load, state->tasks, state->x, middle, inertia);
    double size = inertia[0] + inertia[4] + inertia[8];
    if (!(sn_invert3(inertia, inverse) > 1e-12 * size * size * size)) return; // nodes in a line have no hold
    for (int c = 0; c < 3; c++) w[c] = factor * sn_dot3(inverse + 3 * c, load->def.vector);
    for (int i = 0; i < load->node_count; i++) {
        double r[3], force[3];
        sn_subtract3(state->x + 3 * (int64_t)load->nodes[i], middle, r);
        sn_cross3(w, r, force);
        for (int c = 0; c < 3; c++) sum->force[3 * (int64_t)load->nodes[i] + c] += force[c];
    }
}

static const SnParameter parameters[] = {
    {"torque", SN_NUMBER, offsetof(SnLoadDef, vector), .count = 3, .example = "[0, 0, 0.5]", .unit = "N m",
     .doc =
         "about the middle of the nodes, in forces across the ways from there to each; three or more of them, not in a "
         "line"},
    {0},
};

const SnLoadType sn_load_torque = {
    .name = "torque",
    .summary = "forces around the middle of the nodes, which go round with them",
    .parameters = parameters,
    .follows = true,
    .add = add,
};
