// `sinew mesh make SHAPE`: one command per row of the table of shapes, its options being the shape's parameters.
#include <stdio.h>
#include <string.h>

#include "cli/mesh_save.h"

extern const SnCommand sn_command_mesh_make;

enum { MOST_SHAPES = 32, MOST_PARAMETERS = 8, TEXT = 96 };

// The row that sn_command_call's run function works for; found again by the command's name.
static const SnShape* find_shape(const char* name, bool complain)
{
    const char* names[MOST_SHAPES];
    int count = 0;
    for (; sn_shape_at(count) && count < MOST_SHAPES; count++) names[count] = sn_shape_at(count)->name;
    const SnShape* shape = sn_shape_find(name);
    if (!shape && complain) sn_unknown_name("shape", name, names, count, "sinew list shapes");
    return shape;
}

static bool read_choice(const SnArguments* arguments, const SnParameter* row, SnShapeDef* def)
{
    const char* text = sn_option_value(arguments, row->name);
    if (!text || sn_parameter_choose(row, text, def)) return true;
    sn_usage_error(arguments, "--%s %s: must be one of %s", row->name, text, sn_parameter_form(row, "").text);
    return false;
}

static bool read_parameter(const SnArguments* arguments, const SnParameter* row, SnShapeDef* def)
{
    double values[3];
    if (row->type == SN_ENUM) return read_choice(arguments, row, def);
    if (!sn_option_value(arguments, row->name)) return true;
    if (!sn_option_numbers(arguments, row->name, sn_parameter_count(row), values)) return false;
    for (int i = 0; i < sn_parameter_count(row); i++) {
        if (row->type != SN_INTEGER || sn_is_whole(values[i])) continue;
        sn_usage_error(arguments, "--%s %s: must be whole numbers", row->name, sn_option_value(arguments, row->name));
        return false;
    }
    sn_parameter_store(row, values, def);
    return true;
}

static int make(const SnArguments* arguments)
{
    const SnShape* shape = find_shape(arguments->command->name + strlen("mesh make "), false);
    SnShapeDef def = {0};
    const char* path = sn_option_value(arguments, "output");
    if (!path) return sn_usage_error(arguments, "-o FILE is missing; its ending says the format");
    sn_parameters_default(shape->parameters, &def);
    for (const SnParameter* row = shape->parameters; row->name; row++)
        if (!read_parameter(arguments, row, &def)) return SN_EXIT_USAGE;
    SnMesh* mesh;
    SnStatus status = shape->make(&def, &mesh);
    if (status != SN_OK) return sn_exit_of_file(status);
    int code = sn_save_mesh(arguments, mesh, path);
    sn_mesh_destroy(mesh);
    return code;
}

// A command for one shape, made on the spot from its row.
static int run_shape(const SnShape* shape, int argc, char** argv)
{
    char name[TEXT], usage[TEXT], summaries[MOST_PARAMETERS][2 * TEXT];
    static const char* const placeholders[] = {"", "N", "N,N", "N,N,N"};
    static const SnOption save_options[SN_MESH_SAVE_OPTION_COUNT] = {SN_MESH_SAVE_OPTIONS};
    SnOption options[MOST_PARAMETERS + SN_MESH_SAVE_OPTION_COUNT + 2] = {{0}};
    int count = 0;
    for (const SnParameter* row = shape->parameters; row->name && count < MOST_PARAMETERS; row++) {
        SnParameterForm names = {""};
        if (row->type == SN_ENUM) names = sn_parameter_form(row, "");
        snprintf(summaries[count], sizeof summaries[count], "%s%s%.60s (%s%s%s)", row->doc, names.text[0] ? ": " : "",
                 names.text, row->value, row->unit ? " " : "", row->unit ? row->unit : "");
        const char* placeholder = row->type == SN_ENUM ? "NAME" : placeholders[sn_parameter_count(row)];
        options[count] = (SnOption){row->name, 0, placeholder, false, summaries[count]};
        count++;
    }
    options[count++] = (SnOption){"output", 'o', "FILE", false, "the mesh file; its ending says the format"};
    memcpy(options + count, save_options, sizeof save_options);
    snprintf(name, sizeof name, "mesh make %s", shape->name);
    snprintf(usage, sizeof usage, "-o FILE [options]");
    SnCommand command = {.name = name, .usage = usage, .summary = shape->summary, .options = options, .run = make};
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
    const SnShape* shape = find_shape(argv[0], true);
    return shape ? run_shape(shape, argc - 1, argv + 1) : SN_EXIT_USAGE;
}

const SnCommand sn_command_mesh_make = {
    .name = "mesh make",
    .usage = "SHAPE -o FILE [options]",
    .summary = "make the mesh of a box, a sphere, ...; `sinew mesh make --help` lists the shapes",
    .dispatch = dispatch,
    .print_more = print_shapes,
};
