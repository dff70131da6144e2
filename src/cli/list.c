// `sinew list`: what the tables of the other rooms hold.
#include <sinew/field.h>
#include <stdio.h>
#include <string.h>

#include "archive/exporter.h"
#include "cli/command.h"
#include "dissipation/dissipation.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "mesh/point_cache.h"
#include "obstacle/obstacle.h"
#include "potential/actuator.h"
#include "potential/load.h"
#include "scene/script.h"
#include "solver/initial.h"
#include "world/definitions.h"
#include "world/probe.h"

enum { NAME = 16, INDENT = 20 };

static void print_row(const char* name, const char* text)
{
    printf("  %-*s %s\n", NAME, name, text);
}

static void print_more(const char* word, const char* text)
{
    printf("  %-*s %s: %s\n", INDENT, "", word, text);
}

// "history: whole number, >= 0 and <= 100, default 5", and what it is.
static void print_parameters(const SnParameter* rows)
{
    for (const SnParameter* row = rows; row && row->name; row++) {
        printf("  %-*s %s: %s", INDENT, "", row->name, sn_parameter_form(row, "").text);
        if (row->unit) printf(", %s", row->unit);
        if (row->value) printf(", default %s", row->value);
        printf("\n  %-*s   %s\n", INDENT, "", row->doc);
    }
}

// Parts that say all of themselves in one line, and their parameters.
static void print_table(const SnTable* table)
{
    for (int i = 0; sn_table_at(table, i); i++) {
        print_row(sn_table_name(table, i), sn_table_summary(table, i));
        print_parameters(sn_table_parameters(table, sn_table_at(table, i)));
    }
}

static void print_common(const char* words, const SnParameter* rows)
{
    printf("  %s\n", words);
    print_parameters(rows);
}

static void print_material(const SnMaterialType* type)
{
    printf("  %-*s %s\n", INDENT, type->name, type->formula);
    print_parameters(type->parameters);
    const char* usual = type->barrier
                            ? "inversion: extend (default) lets them recover unless badly tangled, barrier forbids them"
                            : "they recover";
    if (type->elements != SN_ON_EDGES) print_more("inverted elements", type->inverted ? type->inverted : usual);
    printf("  %-*s for%s%s%s\n", INDENT, "", type->elements & SN_ON_TETRAHEDRA ? " tetrahedra" : "",
           type->elements & SN_ON_TRIANGLES ? " triangles" : "", type->elements & SN_ON_EDGES ? " edges" : "");
}

static void list_materials(void)
{
    print_common("All take", sn_elastic_parameters);
    print_parameters(sn_stuff_parameters);
    printf(
        "  or mu and lambda (Pa) for young and poisson; s are the principal stretches, J = s1 s2 s3, I1 = sum s^2. On\n"
        "  triangles s3 = 1 and lambda is that of plane stress. Any can be given fiber: {stiffness: k, direction: d} "
        "on\n"
        "  tetrahedra, which adds k/2 (|F d| - 1)^2 (k in Pa).\n\n");
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

static void list_dissipations(void)
{
    printf(
        "  W/m3, as in `damping: [{type: rayleigh, beta: 0.01}]`; for tetrahedra, triangles and edges alike. F is the\n"
        "  deformation gradient, s are the principal stretches, K is the material's stiffness, a dash is the rate.\n");
    print_common("All take", sn_damping_parameters);
    printf("\n");
    for (int i = 0; i < sn_dissipation_count(); i++) {
        const SnDissipationType* type = sn_dissipation_at(i);
        printf("  %-*s %s\n", INDENT, type->name, type->formula);
        print_parameters(type->parameters);
        print_more("keeps", type->keeps);
    }
}

static void list_obstacles(void)
{
    printf("  As in `obstacles: [{type: plane, normal: [0, 1, 0], friction: 0.3}]`.\n");
    print_common("All take motion, and", sn_obstacle_parameters);
    print_table(&sn_obstacle_table);
}

static void list_scripts(void)
{
    sn_print_parts(&sn_script_table, 26);
}

static void list_formats(void)
{
    printf("  meshes:\n");
    for (int i = 0; sn_mesh_format_at(i); i++) {
        const SnMeshFormat* f = sn_mesh_format_at(i);
        const char* ways = f->read && f->write ? "read write" : f->read ? "read" : "write";
        printf("  %-10s %-12s %-10s %s\n", f->name, f->endings, ways, f->summary);
    }
    printf("  motion of vertices, as in `motion: {cache: walk.pc2}`:\n");
    for (int i = 0; sn_point_cache_format_at(i); i++) {
        const SnPointCacheFormat* f = sn_point_cache_format_at(i);
        printf("  %-10s %-12s %-10s %s\n", f->name, f->endings, "read", f->summary);
    }
    printf("  export of runs:\n");
    sn_print_parts(&sn_exporter_table, 10);
}

static void list_fields(void)
{
    printf("  Of elements; of nodes, the means of those around. Exports have them (vtu), pictures (render --colour) "
           "and C\n"
           "  programs (sn_world_field).\n");
    for (int i = 0; i < sn_field_count(); i++) {
        SnFieldInfo info;
        if (sn_field_at(i, &info) != SN_OK) return;
        printf("  %-*s %s%s%s%s\n", INDENT, info.name, info.unit, info.unit[0] ? "; " : "", info.summary,
               info.of_nodes ? " (nodes alone)" : "");
    }
}

typedef struct List {
    const char *name, *summary; // the second is NULL
    const SnTable* table;       // of parts that say all of themselves in one line
    const SnParameter* take;    // what all of these take; or NULL
    void (*print)(void);        // of other tables
} List;
static const List lists[] = {
    {"materials", .print = list_materials},
    {"solvers", .table = &sn_solver_table, .take = sn_solver_parameters + 1}, // but for the type itself
    {"initials", .table = &sn_initial_table},
    {"obstacles", .print = list_obstacles},
    {"loads", .table = &sn_load_table, .take = sn_load_parameters},
    {"actuators", .table = &sn_actuator_table, .take = sn_actuator_parameters},
    {"integrators", .table = &sn_integrator_table, .take = sn_integrator_parameters + 1},
    {"probes", .table = &sn_probe_type_table, .take = sn_probe_parameters},
    {"fields", .print = list_fields},
    {"formats", .print = list_formats},
    {"shapes", .table = &sn_shape_table},
    {"scripts", .print = list_scripts},
    {"dissipations", .print = list_dissipations},
    {0},
};
static const SnTable list_table = {.noun = "list of", .rows = lists, .stride = sizeof *lists};

static void print_list(const List* list)
{
    if (list->take) print_common("All take", list->take);
    if (list->table) print_table(list->table);
    if (list->print) list->print();
}

static int run(const SnArguments* arguments)
{
    if (arguments->word_count) {
        const List* list = sn_find_or_complain(&list_table, arguments->words[0], "sinew list --help");
        if (list) print_list(list);
        return list ? SN_EXIT_DONE : SN_EXIT_USAGE;
    }
    for (const List* list = lists; list->name; list++) {
        printf("%s%s:\n", list > lists ? "\n" : "", list->name);
        print_list(list);
    }
    return SN_EXIT_DONE;
}

const SnCommand sn_command_list = {
    .name = "list",
    .usage = "[materials | solvers | initials | integrators | dissipations | obstacles | loads | actuators | probes | "
             "fields | "
             "formats | "
             "shapes | "
             "scripts]",
    .summary = "what there is to choose from",
    .help = "Initials are what the solver lbfgs starts from: `--solver lbfgs/laplacian`.",
    .parts = &list_table,
    .max_words = 1,
    .run = run,
};
