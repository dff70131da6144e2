// `sinew list`: what the tables of the other rooms hold.
#include <stdio.h>
#include <string.h>

#include "archive/exporter.h"
#include "cli/command.h"
#include "cli/shape_text.h"
#include "dissipation/dissipation.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "obstacle/obstacle.h"
#include "scene/script.h"
#include "solver/initial.h"

static void print_row(const char* name, const char* text)
{
    printf("  %-16s %s\n", name, text);
}

static void print_more(const char* word, const char* text)
{
    printf("  %-20s %s: %s\n", "", word, text);
}

static void print_extra(const SnMaterialExtra* extra)
{
    printf("  %-20s %s: %s, %g to %g, default %g%s%s\n", "", extra->name, extra->summary, extra->lo, extra->hi,
           extra->initial, *extra->unit ? " " : "", extra->unit);
}

static void print_material(const SnMaterialType* type)
{
    printf("  %-20s %s\n", type->name, type->formula);
    for (int k = 0; k < 2 && type->extra[k].name; k++) print_extra(&type->extra[k]);
    if (type->curves) print_more("a, b, c", "points [[s, slope], ...] of a', b', c', 2 to 63 each, in units of mu");
    const char* usual = type->barrier
                            ? "inversion: extend (default) lets them recover unless badly tangled, barrier forbids them"
                            : "they recover";
    if (type->elements != SN_ON_EDGES) print_more("inverted elements", type->inverted ? type->inverted : usual);
    printf("  %-20s for%s%s%s\n", "", type->elements & SN_ON_TETRAHEDRA ? " tetrahedra" : "",
           type->elements & SN_ON_TRIANGLES ? " triangles" : "", type->elements & SN_ON_EDGES ? " edges" : "");
}

static void list_materials(void)
{
    printf(
        "  All take young (Pa, positive, default 1e5) and poisson (-1 to 0.5, default 0.45), or mu and lambda (Pa),\n"
        "  and density (kg/m3, default 1000); s are the principal stretches, J = s1 s2 s3, I1 = sum s^2. On triangles\n"
        "  s3 = 1 and lambda is that of plane stress; thickness (m, default 0.001) is of triangles and edges.\n"
        "  Any can be given fiber: {stiffness: k, direction: d} on tetrahedra, which adds k/2 (|F d| - 1)^2 (k in "
        "Pa),\n"
        "  and bending (N m, default young thickness^3/(12 (1 - poisson^2)), 0: none) on triangles.\n\n");
    for (int i = 0; i < sn_material_count(); i++) print_material(sn_material_at(i));
    printf("\n  presets, as in `material: rubber` or `material: {preset: rubber, young: 2e6}`:\n");
    for (int i = 0; i < sn_preset_count(); i++) {
        const SnMaterialPreset* p = sn_preset_at(i);
        printf("  %-24s young %g Pa, poisson %g, density %g kg/m3", p->name, p->young, p->poisson, p->density);
        if (p->thickness > 0) printf(", thickness %g m", p->thickness);
        if (p->bending > 0) printf(", bending %g N m", p->bending);
        printf("\n  %-24s %s (%s)\n", "", p->summary, p->source);
    }
}

// The scene's keys of the numbers that a dissipation takes.
static void print_numbers(int numbers)
{
    static const struct {
        int bit;
        const char* keys;
    } rows[] = {{SN_TAKES_BETA, "beta (s)"},
                {SN_TAKES_VISCOSITY, "shear, bulk (Pa s)"},
                {SN_TAKES_BASE, "base (strain-rate, rayleigh or principal-stretch) and its numbers"},
                {SN_TAKES_EXPONENT, "exponent, smoothing (1/s)"},
                {SN_TAKES_REFERENCE, "reference (W/m3)"},
                {SN_TAKES_STRENGTH, "strength (Pa s^exponent)"},
                {SN_TAKES_DRAG, "drag (1/s)"},
                {SN_TAKES_CURVE, "curve [[stretch, factor], ...], per-stretch"},
                {SN_TAKES_MOMENTUM, "conserve-momentum"}};
    printf("  %-20s takes: ", "");
    const char* separator = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(numbers & rows[i].bit)) continue;
        printf("%s%s", separator, rows[i].keys);
        separator = "; ";
    }
    printf("\n");
}

static void list_dissipations(void)
{
    printf(
        "  W/m3, as in `damping: [{type: rayleigh, beta: 0.01}]`; for tetrahedra, triangles and edges alike. F is the\n"
        "  deformation gradient, s are the principal stretches, K is the material's stiffness, a dash is the "
        "rate.\n\n");
    for (int i = 0; i < sn_dissipation_count(); i++) {
        const SnDissipationType* type = sn_dissipation_at(i);
        printf("  %-20s %s\n", type->name, type->formula);
        print_numbers(type->numbers);
        print_more("keeps", type->keeps);
    }
}

static void list_solvers(void)
{
    for (int i = 0; i < sn_solver_count(); i++) print_row(sn_solver_at(i)->name, sn_solver_at(i)->summary);
}

static void list_initials(void)
{
    for (int i = 0; i < sn_initial_count(); i++) print_row(sn_initial_at(i)->name, sn_initial_at(i)->summary);
}

static void list_integrators(void)
{
    for (int i = 0; i < sn_integrator_count(); i++) print_row(sn_integrator_at(i)->name, sn_integrator_at(i)->summary);
}

static void list_obstacles(void)
{
    printf(
        "  As in `obstacles: [{type: plane, normal: [0, 1, 0], friction: 0.3}]`; all take friction, thickness (m) and\n"
        "  motion.\n\n");
    for (int i = 0; i < sn_obstacle_count(); i++) {
        const SnObstacleType* type = sn_obstacle_at(i);
        print_row(type->name, type->summary);
        for (int k = 0; k < SN_OBSTACLE_PARAMETERS && type->parameters[k].name; k++) {
            const SnObstacleParameter* p = &type->parameters[k];
            printf("  %-20s %s: %s%s%s\n", "", p->name, p->summary, *p->unit ? ", " : "", p->unit);
        }
    }
}

static void list_scripts(void)
{
    for (const SnScript* s = sn_scripts; s->name; s++) printf("  %-26s %s\n", s->name, s->summary);
}

static void list_formats(void)
{
    printf("  meshes:\n");
    for (const SnMeshFormat* const* f = sn_mesh_formats; *f; f++)
        printf("  %-10s %-12s %-10s %s\n", (*f)->name, (*f)->endings,
               (*f)->read && (*f)->write ? "read write"
               : (*f)->read              ? "read"
                                         : "write",
               (*f)->summary);
    printf("  export of runs:\n");
    for (const SnExporter* const* e = sn_exporters; *e; e++) printf("  %-10s %s\n", (*e)->name, (*e)->summary);
}

static void list_shapes(void)
{
    for (const SnShape* const* s = sn_shapes; *s; s++) {
        print_row((*s)->name, (*s)->summary);
        sn_print_shape_parameters(*s);
    }
}

static const struct {
    const char* name;
    void (*print)(void);
} lists[] = {
    {"materials", list_materials}, {"solvers", list_solvers},         {"initials", list_initials},
    {"obstacles", list_obstacles}, {"integrators", list_integrators}, {"formats", list_formats},
    {"shapes", list_shapes},       {"scripts", list_scripts},         {"dissipations", list_dissipations},
};
enum { LISTS = sizeof lists / sizeof *lists };

static int run(const SnArguments* arguments)
{
    const char* names[LISTS];
    bool all = arguments->word_count == 0, found = all;
    for (int i = 0; i < LISTS; i++) {
        names[i] = lists[i].name;
        bool wanted = all || strcmp(lists[i].name, arguments->words[0]) == 0;
        if (all) printf("%s%s:\n", i ? "\n" : "", lists[i].name);
        if (wanted) lists[i].print();
        found |= wanted;
    }
    if (found) return SN_EXIT_DONE;
    return sn_unknown_name("list of", arguments->words[0], names, LISTS, "sinew list --help");
}

const SnCommand sn_command_list = {
    .name = "list",
    .usage = "[materials | solvers | initials | integrators | dissipations | obstacles | formats | shapes | scripts]",
    .summary = "what there is to choose from",
    .help = "Initials are what the solver lbfgs starts from: `--solver lbfgs/laplacian`.",
    .max_words = 1,
    .run = run,
};
