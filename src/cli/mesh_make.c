// `sinew mesh make SHAPE`: one command per row of sn_shapes, its options being the shape's parameters.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/mesh_save.h"
#include "cli/shape_text.h"
#include "core/suggest.h"

extern const SnCommand sn_command_mesh_make;

enum { MOST_SHAPES = 32, TEXT = 96 };

void sn_shape_default_text(const SnShapeParameter* parameter, char* text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < parameter->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%g", i ? "," : "", parameter->values[i]);
    if (parameter->unit && *parameter->unit && used < size) snprintf(text + used, size - used, " %s", parameter->unit);
}

void sn_print_shape_parameters(const SnShape* shape)
{
    char text[TEXT];
    for (int i = 0; i < SN_SHAPE_PARAMETERS && shape->parameters[i].name; i++) {
        sn_shape_default_text(&shape->parameters[i], text, sizeof text);
        printf("  %-16s   %-13s %s (%s)\n", "", shape->parameters[i].name, shape->parameters[i].summary, text);
    }
    for (int i = 0; shape->patterns && shape->patterns[i]; i++)
        printf("%s%s", i ? ", " : "                     pattern       ", shape->patterns[i]);
    if (shape->patterns) printf(" (%s)\n", shape->patterns[0]);
}

// The row that sn_command_call's run function works for; found again by the command's name.
static const SnShape* find_shape(const char* name, bool complain)
{
    const char* names[MOST_SHAPES];
    int count = 0;
    for (; sn_shapes[count] && count < MOST_SHAPES; count++) {
        if (strcmp(sn_shapes[count]->name, name) == 0) return sn_shapes[count];
        names[count] = sn_shapes[count]->name;
    }
    if (complain) sn_unknown_name("shape", name, names, count, "sinew list shapes");
    return NULL;
}

static bool read_parameter(const SnArguments* arguments, const SnShapeParameter* parameter, double values[3])
{
    memcpy(values, parameter->values, sizeof parameter->values);
    if (!sn_option_numbers(arguments, parameter->name, parameter->count, values)) return false;
    for (int i = 0; i < parameter->count; i++) {
        if (!parameter->integer || values[i] == floor(values[i])) continue;
        sn_usage_error(arguments, "--%s %s: must be whole numbers", parameter->name,
                       sn_option_value(arguments, parameter->name));
        return false;
    }
    return true;
}

static bool read_pattern(const SnArguments* arguments, const SnShape* shape, int* pattern)
{
    const char* name = shape->patterns ? sn_option_value(arguments, "pattern") : NULL;
    *pattern = 0;
    if (!name) return true;
    int count = 0;
    for (; shape->patterns[count]; count++) {
        if (strcmp(shape->patterns[count], name) != 0) continue;
        *pattern = count;
        return true;
    }
    const char* nearest = sn_nearest_name(name, shape->patterns, count);
    sn_usage_error(arguments, "--pattern %s: there is no such pattern; did you mean \"%s\"?", name,
                   nearest ? nearest : shape->patterns[0]);
    return false;
}

static int make(const SnArguments* arguments)
{
    const SnShape* shape = find_shape(arguments->command->name + strlen("mesh make "), false);
    double values[SN_SHAPE_PARAMETERS][3] = {{0}};
    int pattern;
    const char* path = sn_option_value(arguments, "output");
    if (!path) return sn_usage_error(arguments, "-o FILE is missing; its ending says the format");
    for (int i = 0; i < SN_SHAPE_PARAMETERS && shape->parameters[i].name; i++)
        if (!read_parameter(arguments, &shape->parameters[i], values[i])) return SN_EXIT_USAGE;
    if (!read_pattern(arguments, shape, &pattern)) return SN_EXIT_USAGE;
    SnMesh* mesh;
    SnStatus status = shape->make(values, pattern, &mesh);
    if (status != SN_OK) return sn_exit_of_file(status);
    int code = sn_save_mesh(arguments, mesh, path);
    sn_mesh_destroy(mesh);
    return code;
}

// A command for one shape, made on the spot from its row.
static int run_shape(const SnShape* shape, int argc, char** argv)
{
    char name[TEXT], usage[TEXT], summaries[SN_SHAPE_PARAMETERS + 1][2 * TEXT], value[TEXT], patterns[TEXT] = "";
    static const char* const placeholders[] = {"", "N", "N,N", "N,N,N"};
    static const SnOption save_options[SN_MESH_SAVE_OPTION_COUNT] = {SN_MESH_SAVE_OPTIONS};
    SnOption options[SN_SHAPE_PARAMETERS + SN_MESH_SAVE_OPTION_COUNT + 3] = {{0}};
    int count = 0;
    for (int i = 0; i < SN_SHAPE_PARAMETERS && shape->parameters[i].name; i++) {
        const SnShapeParameter* p = &shape->parameters[i];
        sn_shape_default_text(p, value, sizeof value);
        snprintf(summaries[i], sizeof summaries[i], "%s (%s)", p->summary, value);
        options[count++] = (SnOption){p->name, 0, placeholders[p->count], false, summaries[i]};
    }
    for (int i = 0; shape->patterns && shape->patterns[i]; i++)
        snprintf(patterns + strlen(patterns), sizeof patterns - strlen(patterns), "%s%s", i ? " or " : "",
                 shape->patterns[i]);
    if (shape->patterns) options[count++] = (SnOption){"pattern", 0, "NAME", false, patterns};
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
    for (const SnShape* const* s = sn_shapes; *s; s++) printf("  %-10s %s\n", (*s)->name, (*s)->summary);
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
