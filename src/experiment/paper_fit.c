// A study of materials alone: the force over one stretch, the line that stands in for it in the Laplacian, and how
// well.
#include <math.h>

#include "experiment/paper.h"
#include "material/material.h"

enum { POINTS = 101 };
static const double LO = 0.5, HI = 1.5; // stretches

// A material's curve, in units of mu.
typedef struct Fit {
    double s[POINTS], force[POINTS], line[POINTS];
    double slope, misfit; // of the line; root of the mean square, relative to that of the force
} Fit;

static SnStatus fit_material(const char* name, Fit* fit)
{
    SnMaterial material = sn_material(name, 1, 0.1, 1); // lambda is a quarter of mu, as in the paper's scenes
    const SnMaterialType* type;
    SnMaterialParameters parameters;
    SN_TRY(sn_material_resolve(&material, &type));
    SN_TRY(sn_material_parameters(&material, type, &parameters));
    double mu = material.young / (2 * (1 + material.poisson)), off = 0, all = 0;
    fit->slope = sn_material_stiffness_over(type, parameters, LO, HI) / mu;
    for (int i = 0; i < POINTS; i++) {
        double s = LO + (HI - LO) * i / (POINTS - 1);
        fit->s[i] = s, fit->line[i] = fit->slope * (s - 1);
        fit->force[i] = sn_material_gradient_at(type, (SnStretches){s, 1, 1}, parameters).s1 / mu;
        off += pow(fit->force[i] - fit->line[i], 2), all += pow(fit->force[i], 2);
    }
    fit->misfit = sqrt(off / all);
    return SN_OK;
}

SnStatus sn_study_fit(const SnFigure* figure, SnSheet* sheet)
{
    const SnStudy* study = &figure->study;
    const char* names[SN_MOST_CURVES];
    double slopes[SN_MOST_CURVES], misfits[SN_MOST_CURVES];
    int count = 0;
    sn_sheet_plot(sheet, figure->shows, "stretch", "force over the shear modulus");
    for (; count < SN_MOST_CURVES / 2 && study->variants[count].name; count++) {
        Fit fit;
        names[count] = study->variants[count].name;
        SN_TRY(fit_material(names[count], &fit));
        slopes[count] = fit.slope, misfits[count] = fit.misfit;
        const char* line = sn_arena_print(&sheet->arena, "%s, its line", names[count]);
        if (!line) return SN_ERROR_MEMORY;
        SN_TRY(sn_sheet_add_curve(sheet, names[count], POINTS, fit.s, fit.force));
        SN_TRY(sn_sheet_add_curve(sheet, line, POINTS, fit.s, fit.line));
    }
    SN_TRY(sn_sheet_judge(sheet, &study->quantities[0], count, names, slopes));
    return sn_sheet_judge(sheet, &study->quantities[1], count, names, misfits);
}
