// Materials: an energy density as a function of the three principal stretches.
#ifndef SINEW_MATERIAL_H
#define SINEW_MATERIAL_H

#include <sinew/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// s1 >= s2 >= |s3|; s3 < 0 when the element is inverted.
typedef struct SnStretches {
    double s1, s2, s3;
} SnStretches;

// Second derivatives of the density by the stretches (symmetric).
typedef struct SnStretchHessian {
    double h11, h22, h33, h12, h13, h23;
} SnStretchHessian;

// What a density function knows of its element.
typedef struct SnMaterialParameters {
    double mu, lambda; // Lame's parameters, Pa
    double floor;      // stretch below which logarithms are continued; 0: barrier, energy is +infinity for J <= 0
    double extra[2];   // the type's own parameters, as SnMaterialType.extra names them
    const void* user;  // SnMaterial.user
} SnMaterialParameters;

// Which elements a material can be given to.
typedef enum SnElementKinds { SN_ON_EDGES = 1, SN_ON_TRIANGLES = 2, SN_ON_TETRAHEDRA = 4 } SnElementKinds;

// A parameter of one material alone.
typedef struct SnMaterialExtra {
    const char* name;    // its key in a scene
    const char* unit;    // "Pa", or ""
    double initial;      // its value when none is given
    double lo, hi;       // what it may be, both included
    const char* summary; // one line
} SnMaterialExtra;

// A material is these functions; everything else (stress, projected Hessian, prox, stiffness) follows from them.
typedef struct SnMaterialType {
    const char* name;
    const char* formula;                                            // for people, as printed by `sinew list materials`
    double (*energy)(SnStretches s, SnMaterialParameters m);        // J/m3
    SnStretches (*gradient)(SnStretches s, SnMaterialParameters m); // Pa
    SnStretchHessian (*hessian)(SnStretches s, SnMaterialParameters m); // Pa
    SnMaterialExtra extra[2]; // the type's own parameters; a NULL name ends them
    // Makes of mu and lambda, which come in as Hooke's near rest, what the functions above want; false: there is no
    // such material for them. NULL: they are taken as they are.
    bool (*adjust)(SnMaterialParameters* m);
    bool barrier; // infinite at J = 0 unless continued below SnMaterialParameters.floor
    int elements; // SnElementKinds, or-ed
    // The same over packs of lanes; NULL in a user's type, filled by built-in ones (see src/material/pack.h).
    const struct SnMaterialPacks* packs;
} SnMaterialType;

// What happens when an element of a barrier material is turned inside out.
typedef enum SnInversion {
    SN_INVERSION_EXTEND,  // logarithms are continued quadratically below a stretch, so inverted elements recover
    SN_INVERSION_BARRIER, // the energy is infinite; steps are kept feasible
} SnInversion;

typedef struct SnMaterial {
    const char* type;             // a name of `sinew list materials`; ignored when custom is set
    const SnMaterialType* custom; // a user's own type
    const void* user;             // handed to the custom type's functions
    double young;                 // Pa
    double poisson;               // -1 < poisson < 0.5
    double density;               // kg/m3
    double weight;                // scales the weights of ADMM's terms
    SnInversion inversion;
    double thickness; // m; of a sheet, or the diameter of a rope
    double extra[2];  // the type's own parameters; NAN: their initial values
} SnMaterial;

SN_API SnMaterial sn_material(const char* type, double young, double poisson, double density);

#ifdef __cplusplus
}
#endif
#endif
