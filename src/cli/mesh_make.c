// `sinew mesh make SHAPE`: one command per row of the table of shapes, its options being the shape's parameters.
#include <stdio.h>
#include <string.h>

#include "cli/mesh_save.h"

extern const SnCommand sn_command_mesh_make;

static int make(const SnArguments* arguments)
{
    const SnShape* shape = arguments->command->part;
    SnShapeDef def = {0};
    const char* path = sn_option_value(arguments, "output");
    if (!path) return sn_usage_error(arguments, "-o FILE is missing; its ending says the format");
    if (!sn_options_read(arguments, &def)) return SN_EXIT_USAGE;
    SnMesh* mesh;
    SnStatus status = shape->make(&def, &mesh);
    if (status != SN_OK) return sn_exit_of_file(status);
    int code = sn_save_mesh(arguments, mesh, path);
    sn_mesh_destroy(mesh);
    return code;
}

static const SnOption options[] = {
    {"output", 'o', "FILE", false, "the mesh file; its ending says the format"},
    SN_MESH_SAVE_OPTIONS,
    {0},
};

// A command for one shape, made on the spot from its row.
static int run_shape(const SnShape* shape, int argc, char** argv)
{
    char name[96];
    snprintf(name, sizeof name, "mesh make %s", shape->name);
    SnCommand command = {.name = name,
                         .usage = "-o FILE [options]",
                         .summary = shape->summary,
                         .parameters = shape->parameters,
                         .options = options,
                         .part = shape,
                         .run = make};
    return sn_command_call(&command, argc, argv);
}

static void print_shapes(void)
{
    printf("\nshapes (`sinew mesh make SHAPE --help` shows their options):\n");
    for (int i = 0; sn_shape_at(i); i++) printf("  %-10s %s\n", sn_shape_at(i)->name, sn_shape_at(i)->summary);
}

static int dispatch(int argc, char** argv)
{
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        sn_command_print_help(&sn_command_mesh_make);
        return argc ? SN_EXIT_DONE : SN_EXIT_USAGE;
    }
    const SnShape* shape = sn_find_or_complain(&sn_shape_table, argv[0], "sinew list shapes");
    return shape ? run_shape(shape, argc - 1, argv + 1) : SN_EXIT_USAGE;
}

const SnCommand sn_command_mesh_make = {
    .name = "mesh make",
    .usage = "SHAPE -o FILE [options]",
    .summary = "make the mesh of a box, a sphere, ...; `sinew mesh make --help` lists the shapes",
    .dispatch = dispatch,
    .print_more = print_shapes,
};
