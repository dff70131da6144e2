// The constant matrix of projective methods: L = sum k_i V_i G_i^T G_i, scalar n x n, over free nodes.
#pragma once
#include "linalg/scalar_matrix.h"
#include "potential/potential.h"

// k of an element: the effective stiffness of its material; of a dissipation, what it amounts to over the stage's b.
double sn_term_stiffness(const SnPotential* potential, const SnTermGroup* group, const SnTermPack* pack, int lane);

// The same over many elements, which mostly share their parameters with the one before; k is an integral.
typedef struct SnStiffnessCache {
    const SnTermGroup* group;
    double mu, lambda, extra[2], stiffness;
} SnStiffnessCache;
double sn_cached_stiffness(SnStiffnessCache* cache, const SnPotential* potential, const SnTermGroup* group,
                           const SnTermPack* pack, int lane);

// The pattern and values of L, with a diagonal entry for each free node. weights: [pack][lane], group after group, in
// place of k V; or NULL.
SnStatus sn_laplacian_create(const SnPotential* potential, const int* free_index, int free_count, const double* weights,
                             SnScalarMatrix* out);

// Such weights: k V with the materials' stiffness fitted over these stretches.
int64_t sn_laplacian_weight_count(const SnPotential* potential);
void sn_laplacian_weights(const SnPotential* potential, const double interval[2], double* weights);

// Its diagonal at all nodes, node_count entries: what a node puts up against being moved alone, N/m.
void sn_laplacian_diagonal(const SnPotential* potential, double* diagonal);

// The values again, after the stage's b has changed: dissipations are stiffer in shorter steps.
void sn_laplacian_update(const SnPotential* potential, const int* free_index, const double* weights,
                         SnScalarMatrix* out);
