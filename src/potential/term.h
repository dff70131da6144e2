// Kinds of term: what an element's rest shape is, and its energy, gradient and Hessian over packs of lanes.
#pragma once
#include "core/status.h"
#include "material/material.h"
#include "potential/points.h"

enum { // most of any kind
    SN_TERM_NODES = SN_POINT_NODES,
    SN_TERM_PAIRS = SN_TERM_NODES * (SN_TERM_NODES + 1) / 2,
    SN_TERM_SHAPE = SN_POINT_SHAPE,
};

// One pack of elements as the kernels see it. Node numbers are those of its patch.
typedef struct SnTermPack {
    const int* nodes;           // [node][lane]
    const double* volume;       // [lane] rest volume V, m3
    SnParameterPack parameters; // of the material
    const double* shape;        // [entry][lane] what `prepare` made of the rest shape
    double* frame;              // [9][lane] a rotation near V of F = U S V^T, for the prox, which sets it; or NULL
    const double* guess;        // [9][lane] of the prox, about; or NULL. Given with frame
    bool upright;               // the prox is among stretches that are not negative
    int iterations;             // of the prox, at most; 0: until it has converged
} SnTermPack;

// A kind: a file with these functions and a row in term_table.h. Pair (a, b), a >= b, of nodes is number a(a+1)/2 + b.
typedef struct SnTermType {
    const char* name;
    int elements;       // SnElementKinds: the materials it takes; 0: it looks at no material
    bool reinforcement; // adds stiffness to elements that are there already: no mass, no share in the stopping rule
    int nodes;          // per element
    int coordinates;    // columns of z = D x: three of F, two of a sheet's, one of a strand
    int shape_size;     // doubles per element
    // From rest corners (3 x nodes), the section (thickness or diameter, m) and a direction of the rest shape: the
    // shape, the volume, and for each corner the area of the face opposite to it, m2. False: no volume. NULL: these are
    // given.
    bool (*prepare)(const double* corners, double section, const double* direction, double* shape, double* volume,
                    double* faces);
    void (*energy)(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* energy);
    // Adds to g; the elements' energies as well.
    void (*gradient)(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* g,
                     double* energy);
    // blocks[pair][3*r + c][lane], each the second derivative by (node a, r) and (node b, c); project: made positive
    // semidefinite per element.
    void (*hessian)(const SnMaterialType* material, const SnTermPack* pack, const double* x, bool project,
                    double* blocks);
    // z = argmin V psi(z) + weight/2 |z - y|^2, the local step of ADMM. y, z: [3 x coordinates][lane], column after
    // column of F; weight: [lane], J.
    void (*prox)(const SnMaterialType* material, const SnTermPack* pack, const double* y, const double* weight,
                 double* z);
} SnTermType;

SN_TABLE(SnTermType, term)

// The functions of a kind whose file calls them so.
#define SN_TERM_FUNCTIONS .prepare = prepare, .energy = energy, .gradient = gradient, .hessian = hessian, .prox = prox
