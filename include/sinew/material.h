// Materials: an energy density as a function of the three principal stretches.
#ifndef SINEW_MATERIAL_H
#define SINEW_MATERIAL_H

#include <sinew/parameter.h>

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
    double floor;      // stretch below which logarithms are continued; 0: barrier, energy is +infinity for J <= 0.
                       // Of stvk: J below which it is unfolded
    double extra[2];   // the type's own parameters: SnMaterial.extra
    const void* user;  // SnMaterial.user
} SnMaterialParameters;

// What a density over many elements is asked for, and where it is to be put: arrays of `count` numbers.
typedef struct SnMaterialMany {
    int count;
    const double* stretches[3];        // s1, s2, s3
    const double *mu, *lambda, *floor; // as SnMaterialParameters has them
    const double* extra[2];
    const void* user;
    double* energy;      // NULL: is not asked for; as are the others
    double* gradient[3]; // by s1, s2, s3
    double* hessian[6];  // 11 22 33 12 13 23
} SnMaterialMany;

// Which elements a material can be given to.
typedef enum SnElementKinds { SN_ON_EDGES = 1, SN_ON_TRIANGLES = 2, SN_ON_TETRAHEDRA = 4 } SnElementKinds;

// A material is these functions; everything else (stress, projected Hessian, prox, stiffness) follows from them.
typedef struct SnMaterialType {
    const char* name;
    const char* formula;                                            // for people, as printed by `sinew list materials`
    double (*energy)(SnStretches s, SnMaterialParameters m);        // J/m3
    SnStretches (*gradient)(SnStretches s, SnMaterialParameters m); // Pa
    SnStretchHessian (*hessian)(SnStretches s, SnMaterialParameters m); // Pa
    const SnParameter* parameters; // its own: members of SnMaterial, of which extra[2] is free; NULL: none
    // Makes of mu and lambda, which come in as Hooke's near rest, what the functions above want; false: there is no
    // such material for them. NULL: they are taken as they are.
    bool (*adjust)(SnMaterialParameters* m);
    const char* limits;   // what adjust asks for, for messages; or NULL
    const char* inverted; // what becomes of elements that are inside out, for people; NULL: they recover
    bool barrier;         // infinite at J = 0 unless continued below SnMaterialParameters.floor
    bool curves;          // takes SnMaterial.spline
    // The energy is that of mu, and lambda times another: what keeps the volume is apart, as element linear-bbar needs.
    bool splits;
    int elements; // SnElementKinds, or-ed
    // The same over packs of lanes; NULL in a user's type, filled by built-in ones (see src/material/pack.h).
    const struct SnMaterialPacks* packs;
    // In a user's type, in place of energy, gradient and hessian: all that is asked for, of many elements at once, for
    // languages that are slow to call. NULL: it has the three.
    void (*many)(const SnMaterialMany* many);
} SnMaterialType;

// What happens when an element of a barrier material is turned inside out.
typedef enum SnInversion {
    SN_INVERSION_EXTEND,  // logarithms are continued below a stretch, so inverted elements recover
    SN_INVERSION_BARRIER, // the energy is infinite; steps are kept feasible
} SnInversion;

// The curves of the material `spline`, psi = mu (sum a(s_i) + sum b(s_i s_j) + c(J)): points of a', b' and c'. At rest
// a'(1) + 2 b'(1) + c'(1) must be 0.
typedef struct SnSplineDef {
    SnCurve a, b, c;
} SnSplineDef;

typedef struct SnMaterial {
    const char* type;             // a name of `sinew list materials`; ignored when custom is set
    const SnMaterialType* custom; // a user's own type
    const void* user;             // handed to the custom type's functions
    double young;                 // Pa
    double poisson;               // -1 < poisson < 0.5
    double density;               // kg/m3
    double weight;                // scales the weights of ADMM's terms
    SnInversion inversion;
    double thickness;          // m; of a sheet, or the diameter of a rope
    double extra[2];           // the type's own parameters; NAN: their defaults
    SnSplineDef spline;        // the curves of the material `spline`, read when the body is added
    double fiber;              // Pa, stiffness of fibers in tetrahedra: fiber/2 (|F d| - 1)^2 is added; 0: none
    double fiber_direction[3]; // d in the rest shape, any length but zero
    double bending; // N m, of a sheet, as a plate has it; NAN: young thickness^3/(12 (1 - poisson^2)); 0: none
} SnMaterial;

SN_API SnMaterial sn_material(const char* type, double young, double poisson, double density);

// A parameter by its name, as a scene has it: sn_material_set(&material, "ratio", "0.3"). The type comes first.
SN_API SnStatus sn_material_set(SnMaterial* material, const char* name, const char* value);

// A preset of `sinew list materials`: "rubber", "cotton", ... Its numbers may be changed afterwards.
SN_API SnStatus sn_material_preset(const char* name, SnMaterial* material);

// Young's modulus and Poisson's ratio of a solid with these Lame parameters.
SN_API void sn_young_poisson(double mu, double lambda, double* young, double* poisson);

#ifdef __cplusplus
}
#endif
#endif
