// `sinew list`: what the tables of the other rooms hold.
#include <stdio.h>
#include <string.h>

#include "archive/exporter.h"
#include "cli/command.h"
#include "cli/shape_text.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "solver/solver.h"

static void print_row(const char* name, const char* text)
{
    printf("  %-16s %s\n", name, text);
}

static void list_materials(void)
{
    for (int i = 0; i < sn_material_count(); i++) {
        const SnMaterialType* type = sn_material_at(i);
        print_row(type->name, type->formula);
        printf("  %-16s for%s%s%s\n", "", type->elements & SN_ON_TETRAHEDRA ? " tetrahedra" : "",
               type->elements & SN_ON_TRIANGLES ? " triangles" : "", type->elements & SN_ON_EDGES ? " edges" : "");
    }
}

static void list_solvers(void)
{
    for (int i = 0; i < sn_solver_count(); i++) print_row(sn_solver_at(i)->name, sn_solver_at(i)->summary);
}

static void list_integrators(void)
{
    for (int i = 0; i < sn_integrator_count(); i++) print_row(sn_integrator_at(i)->name, sn_integrator_at(i)->summary);
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
    {"materials", list_materials}, {"solvers", list_solvers}, {"integrators", list_integrators},
    {"formats", list_formats},     {"shapes", list_shapes},
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
    .usage = "[materials | solvers | integrators | formats | shapes]",
    .summary = "what there is to choose from",
    .max_words = 1,
    .run = run,
};
