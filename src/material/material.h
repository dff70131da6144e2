// The table of materials and what everybody derives from a row.
#pragma once
#include <sinew/material.h>

#include "core/parameter.h"
#include "material/pack.h"

SN_TABLE(SnMaterialType, material)
// "arap, corotated": those for these elements, SN_ON_...
void sn_material_names(int elements, char* text, size_t size);
extern const SnParameter sn_elastic_parameters[]; // of SnMaterial: numbers that may differ from region to region
extern const SnParameter sn_stuff_parameters[];   // those of the whole body

// The type behind a material: its own or the table's; an error that suggests the nearest name.
SnStatus sn_material_resolve(const SnMaterial* material, const SnMaterialType** type);

// Checks the numbers and gives the parameters of its elements: of tetrahedra and edges, or of a sheet's triangles,
// where s3 = 1 and lambda is that of plane stress.
SnStatus sn_material_parameters(const SnMaterial* material, const SnMaterialType* type, SnMaterialParameters* out);
SnStatus sn_material_parameters_of(const SnMaterial* material, const SnMaterialType* type, bool sheet,
                                   SnMaterialParameters* out);

// The density and its derivatives at one place, of any type (material/many.c).
double sn_material_energy_at(const SnMaterialType* type, SnStretches s, SnMaterialParameters parameters);
SnStretches sn_material_gradient_at(const SnMaterialType* type, SnStretches s, SnMaterialParameters parameters);
SnStretchHessian sn_material_hessian_at(const SnMaterialType* type, SnStretches s, SnMaterialParameters parameters);

// Frobenius norm of the unprojected second derivative by F at rest (9x9; for an edge, the one stretch): the W of the
// stopping rule, Pa.
double sn_material_rest_stiffness(const SnMaterialType* type, SnMaterialParameters parameters);

// N m of a sheet: as given, or that of a solid plate.
double sn_material_bending(const SnMaterial* material);

// Named numbers with their source (material/preset_table.c).
typedef struct SnMaterialPreset {
    const char* name;
    const char* type; // NULL: neo-hookean, or spring for edges
    double young, poisson, density;
    double thickness; // m; 0: the default
    double bending;   // N m; 0: from young and thickness
    const SnSplineDef* spline;
    const char* summary; // what it is
    const char* source;
} SnMaterialPreset;

SN_TABLE(SnMaterialPreset, preset)
SnMaterial sn_preset_material(const SnMaterialPreset* preset); // its type may be NULL

// k of the quadratic that stands in for the density, Pa (material/stiffness.c).
double sn_material_effective_stiffness(const SnMaterialType* type, SnMaterialParameters parameters);
// The same fitted over stretches from lo to hi, on either side of 1.
double sn_material_stiffness_over(const SnMaterialType* type, SnMaterialParameters parameters, double lo, double hi);
