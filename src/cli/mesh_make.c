// `sinew mesh make SHAPE`: one command per row of the table of shapes, its options being the shape's parameters.
#include "cli/mesh_save.h"

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

static const SnCommand each = {.usage = "-o FILE [options]", .options = options, .run = make};

extern const SnCommand sn_command_mesh_make;
const SnCommand sn_command_mesh_make = {
    .name = "mesh make",
    .usage = "SHAPE -o FILE [options]",
    .summary = "make the mesh of a box, a sphere, ...; `sinew mesh make --help` lists the shapes",
    .parts = &sn_shape_table,
    .parts_title = "shapes (`sinew mesh make SHAPE --help` shows their options)",
    .parts_width = 10,
    .each = &each,
    .listed_by = "sinew list shapes",
};
