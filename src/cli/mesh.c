// `sinew mesh`: make, info and convert, each a command of its own.
#include <stdio.h>

#include "cli/mesh_save.h"
#include "mesh/mesh.h"

extern const SnCommand sn_command_mesh_make;
extern const SnCommand sn_command_mesh_info;
static const SnCommand command_mesh_convert;

// Their own names start with "mesh ".
static const SnTable parts = {
    .noun = "command",
    .rows = (const void* const[]){&sn_command_mesh_make, &sn_command_mesh_info, &command_mesh_convert, NULL}};

static void print_parts(void)
{
    printf("\ncommands:\n");
    for (int i = 0; sn_table_at(&parts, i); i++) {
        const SnCommand* c = sn_table_at(&parts, i);
        printf("  sinew %s %s\n      %s\n", c->name, c->usage, c->summary);
    }
}

static int convert(const SnArguments* arguments)
{
    SnMesh* mesh;
    SnStatus status = sn_mesh_load(arguments->words[0], &mesh);
    if (status != SN_OK) return sn_exit_of_file(status);
    int code = sn_save_mesh(arguments, mesh, arguments->words[1]);
    sn_mesh_destroy(mesh);
    return code;
}

static const SnOption convert_options[] = {SN_MESH_SAVE_OPTIONS, {0}};

static const SnCommand command_mesh_convert = {
    .name = "mesh convert",
    .usage = "A B [--msh-version 2.2|4.0|4.1] [--binary]",
    .summary = "read one mesh file and write another; the endings say the formats",
    .options = convert_options,
    .min_words = 2,
    .max_words = 2,
    .run = convert,
};

const SnCommand sn_command_mesh = {
    .name = "mesh",
    .usage = "make | info | convert ...",
    .summary = "make, inspect and convert meshes",
    .parts = &parts,
    .listed_by = "sinew mesh --help",
    .print_more = print_parts,
};
