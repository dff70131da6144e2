// `sinew mesh`: make, info, tet, repair, fill, remesh, raise and convert, each a command of its own.
#include <stdio.h>

#include "cli/mesh_save.h"
#include "mesh/faces.h"

extern const SnCommand sn_command_mesh_make;
extern const SnCommand sn_command_mesh_info;
extern const SnCommand sn_command_mesh_tet;
extern const SnCommand sn_command_mesh_repair;
extern const SnCommand sn_command_mesh_fill;
extern const SnCommand sn_command_mesh_remesh;
extern const SnCommand sn_command_mesh_raise;
static const SnCommand command_mesh_convert;

// Their own names start with "mesh ".
static const SnTable parts = {.noun = "command",
                              .rows = (const void* const[]){&sn_command_mesh_make, &sn_command_mesh_info,
                                                            &sn_command_mesh_tet, &sn_command_mesh_repair,
                                                            &sn_command_mesh_fill, &sn_command_mesh_remesh,
                                                            &sn_command_mesh_raise, &command_mesh_convert, NULL}};

static void print_parts(void)
{
    printf("\ncommands:\n");
    for (int i = 0; sn_table_at(&parts, i); i++) {
        const SnCommand* c = sn_table_at(&parts, i);
        printf("  sinew %s %s\n      %s\n", c->name, c->usage, c->summary);
    }
}

// Reads what was written, and tells what is in the mesh and not in there.
static void say_lost(const SnMesh* mesh, const char* path)
{
    SnMesh* written;
    char text[500] = "";
    if (sn_mesh_load(path, &written) != SN_OK) return; // a format that can only be written
    sn_add_lost(text, sizeof text, (mesh->tetrahedron_count - written->tetrahedron_count) / (mesh->quadratic ? 8 : 1),
                "tetrahedra (their surface is there)");
    if (mesh->tetrahedron_count == 0)
        sn_add_lost(text, sizeof text, mesh->triangle_count - written->triangle_count, "triangles");
    sn_add_lost(text, sizeof text, mesh->edge_count - written->edge_count, "edges");
    if (mesh->tetrahedron_count == written->tetrahedron_count)
        sn_add_lost(text, sizeof text, mesh->node_count - written->node_count, "nodes");
    sn_add_lost(text, sizeof text, mesh->group_count - written->group_count, "groups of elements");
    sn_add_lost(text, sizeof text, mesh->field_count - written->field_count, "fields");
    sn_add_lost_faces(mesh, written, text, sizeof text);
    if (*text) printf("lost: %s\n", text);
    sn_mesh_destroy(written);
}

static int convert(const SnArguments* arguments)
{
    SnMesh* mesh;
    SnStatus status = sn_mesh_load(arguments->words[0], &mesh);
    if (status != SN_OK) return sn_exit_of_file(status);
    int code = sn_save_mesh(arguments, mesh, arguments->words[1]);
    if (code == SN_EXIT_DONE) say_lost(mesh, arguments->words[1]);
    sn_mesh_destroy(mesh);
    return code;
}

static const SnOption convert_options[] = {SN_MESH_SAVE_OPTIONS, {0}};

static const SnCommand command_mesh_convert = {
    .name = "mesh convert",
    .usage = "A B [--msh-version 2.2|4.0|4.1] [--binary]",
    .summary = "read one mesh file and write another, and say what was lost; the endings say the formats",
    .options = convert_options,
    .min_words = 2,
    .max_words = 2,
    .run = convert,
};

const SnCommand sn_command_mesh = {
    .name = "mesh",
    .usage = "make | info | tet | repair | fill | remesh | raise | convert ...",
    .summary = "make, inspect, repair and convert meshes; solids out of surfaces",
    .parts = &parts,
    .listed_by = "sinew mesh --help",
    .print_more = print_parts,
};
