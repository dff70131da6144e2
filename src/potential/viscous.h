// Dissipation over elements: what a dissipation adds to the objective of a stage, W(z) = b V f(r), z = D x.
//
// r = 1/2 q.C q, where q = (I(z) - I^p)/b is the rate of something I that the dissipation looks at (F, Green's strain,
// the polar stretch S, the principal stretches) and C is a positive semidefinite matrix that stays the same during the
// stage. All but F do not change when z is turned, so W does not either, and what is damped by them keeps its angular
// momentum exactly, however long the step is. Derivatives, with J = dI/dz, t = J^T C q:
//     W_z = V f' t,    W_zz = V/b (f' J^T C J + f'' t t^T) + V f' (C q).I_zz.
//
// The rate is the integrator's own: where it has x^p = sum w_i x_i + t v^n, I^p = sum w_i I(z_i) + t I'(z^n)[z'^n], so
// that q is I' at the end of the stage as exactly as v is x' there, and nothing where nothing but turning happens. The
// midpoint rule has a straight line from z^n to z, (I(z) - I(z - b z'))/b = I' - b/2 I''[z', z']; of second order that
// error is taken out with v^n. Where C depends on the deformation (Rayleigh's K,
// factors of a spline) it is taken at z^p, which is exact to first order in b, or, of second order, at the place z^p +
// b z'^n that the nodes are heading for.
//
// The rate of strain may also be that at the end of the stage, q = (F^T F' + F'^T F)/2 with F' = (z - z^p)/b (Brown et
// al. 2018, eq. 28). With h = z - z^p/2 it is twice a difference of strains, q = 2 (h^T h/2 - z^p^T z^p/8)/b. Its force
// is that of the rate, and b dR/dz besides, which is of first order and no invariant's.
//
// Powers below 1 have no derivative where nothing moves. f is then their envelope (dissipation/power.h) at q + l, with
// a shift l of the rate that is found while the objective is minimised: l <- what the envelope gives way by, f'/f'(0)
// (q + l), the augmented Lagrangian's update with f'(0) C l for a multiplier. When l is settled, either q = 0 or the
// force is that of the power itself, and W no more than b V times it. l goes on into the next stage and step.
#pragma once
#include "dissipation/dissipation.h"
#include "potential/term.h"

// What a stage knows of an element, [entry][lane].
enum {
    SN_STAGE_U = 0,            // 9: the frame in which C is known, U for rows and V for columns of F
    SN_STAGE_V = 9,            // 9
    SN_STAGE_A = 18,           // 6: C of the diagonal entries, 11 22 33 12 13 23
    SN_STAGE_SAME = 24,        // 3: of the pairs of entries 12, 13, 23, as in SnModes; for strains, that of 2 E_ij
    SN_STAGE_CROSS = 27,       // 3
    SN_STAGE_PAST = 30,        // 9: I^p - b l in that frame
    SN_STAGE_FLOOR = 39,       // r below which powers are smooth
    SN_STAGE_AT = 40,          // 3: stretches where C was taken
    SN_STAGE_SHIFT = 43,       // 9: l, of powers below 1; in the frame of the rest shape, of F of the world's for rows
    SN_STAGE_OFFSET = 52,      // 9: z^p/2, where the rate of strain is that at the end of the stage
    SN_STAGE_REST = 61,        // f'(0) 1/2 l.C l, which W has too much of
    SN_STAGE_FIRST_FLOOR = 62, // r below which powers were smooth at first, and l is kept for,
    SN_STAGE_STIFFER = 63,     // and by how many times f'(0) is larger now
    SN_STAGE_LAST = 64,        // 9: l as it was found the last time
    SN_STAGE_SIZE = 73,
};

// How shifts of rates are taken over: from then on envelopes bend at a rate that is so many times smaller than at
// first, and shifts go on by so much of their way since the last time.
typedef struct SnSettle {
    double stiffness, momentum;
} SnSettle;

// What a stage starts from, of all nodes or of those of a patch: x^p = sum weight x + lead v.
typedef struct SnPast {
    const double* xp;   // x^p; held nodes are where their velocity is taken from
    int count;          // of places
    double weight[3];   // whose sum is 1
    const double* x[3]; // the first is x^n
    double lead;        // s
    const double* v;    // v^n
    bool ahead;         // of second order: C is taken where v^n leads to
    bool straight;      // what leads from x^n to x is a straight line, of which the rate is to be taken at the end
} SnPast;

typedef struct SnViscousPack {
    SnTermPack term;
    const SnTermType* type;
    const SnMaterialType* material;
    const SnDissipation* dissipation;
    double* stage; // [SN_STAGE_SIZE][lane]
    double b;      // s
} SnViscousPack;

// Dissipations of the same elements, and with `elastic` their energy too.
enum { SN_MERGED = 8 };
typedef struct SnViscousTerms {
    int count;
    SnViscousPack packs[SN_MERGED];
    bool elastic;
    bool upright;        // what would be inside out is turned
    int iterations;      // of the prox, at most; 0: until it has converged
    const double* guess; // [3 x coordinates][lane]: what the prox is about; NULL: y
} SnViscousTerms;

typedef struct SnViscousKernels {
    // Fills the stage; past: of the patch's nodes.
    void (*begin)(const SnViscousPack* pack, const SnPast* past);
    // Of powers below 1: the shift of the rate, as the force at x has it.
    void (*settle)(const SnViscousPack* pack, const double* x, SnSettle how);
    void (*energy)(const SnViscousPack* pack, const double* x, double* energy);
    void (*gradient)(const SnViscousPack* pack, const double* x, double* g, double* energy);
    void (*hessian)(const SnViscousPack* pack, const double* x, bool project, double* blocks);
    // W/V at z (nine entries, [entry][lane], padded by zeros), and its derivative by z.
    void (*density)(const SnViscousPack* pack, const double (*z)[SN_LANES], double* w, double (*stress)[SN_LANES]);
    // z = argmin of the sum of the terms + weight/2 |z - y|^2, the local step of ADMM, by Newton's method in the
    // entries of z. y, z: [3 x coordinates][lane]; weight: [lane], J.
    void (*prox)(const SnViscousTerms* terms, const double* y, const double* weight, double* z);
} SnViscousKernels;

const SnViscousKernels* sn_viscous_kernels(void);

// A node by itself, z = x, of "volume" m: what drag acts on.
extern const SnTermType sn_node_term;

// Pa s: the stiffness times b that stands in for C, for constant matrices.
double sn_viscous_stiffness(const SnDissipation* dissipation, double material_stiffness);
