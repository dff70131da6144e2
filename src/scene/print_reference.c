// The scene reference as Markdown, from the tables that the reader uses.
#include "dissipation/dissipation.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "obstacle/obstacle.h"
#include "scene/parts.h"
#include "scene/scene.h"
#include "scene/script.h"
#include "solver/initial.h"

#include <string.h>

static const char intro[] =
    "# Scene reference\n"
    "\n"
    "<!-- Generated from the tables in src/scene/scene_table.c; a test compares it with them. -->\n"
    "\n"
    "A scene is a YAML file (JSON is YAML, so JSON works):\n"
    "\n"
    "```yaml\n"
    "name: twisting bar\n"
    "time: {step: 1/30, frames: 120}\n"
    "gravity: [0, -9.81, 0]\n"
    "integrator: backward-euler\n"
    "solver: {type: newton, tolerance: 1e-5}\n"
    "bodies:\n"
    "  - name: bar\n"
    "    mesh: {box: {size: [4, 1, 1], cells: [20, 5, 5]}}\n"
    "    material: {type: neo-hookean, young: 1e5, poisson: 0.45, density: 1000}\n"
    "handles:\n"
    "  - {body: bar, where: {x: [min, min+0.01]}}\n"
    "  - {body: bar, where: {x: [max-0.01, max]}, motion: {rotate: {axis: [1, 0, 0], rate: 90}, until: 2}}\n"
    "```\n"
    "\n"
    "- Numbers may be simple arithmetic: `+ - * / ^`, parentheses, `pi`, `sqrt(2)`, and `sin`, `cos`, `tan` of "
    "degrees.\n"
    "- Angles are in degrees unless the unit says otherwise; everything else is SI.\n"
    "- Unknown keys, wrong types and values out of range are errors; `sinew check SCENE` lists them all with line and\n"
    "  column, and `sinew check --defaults` prints every key with its default.\n"
    "- Anchors (`&steel`), aliases (`*steel`) and merges (`<<: *steel`) work.\n"
    "- `--set path=value` changes any value without touching the file: `--set bodies.bar.material.young=1e6`. List "
    "items\n"
    "  are named by number, from 0, or by their `name`; the value is YAML.\n";

// Text of a table cell: the bar would end it.
static void print_cell(FILE* stream, const char* text)
{
    for (; *text; text++) {
        if (*text == '|') fputc('\\', stream);
        fputc(*text, stream);
    }
}

static void print_numbers(FILE* stream, const SnField* field)
{
    const char* kind = field->whole ? "whole number" : "number";
    if (field->count > 1)
        fprintf(stream, "list of %d %ss", field->count, kind);
    else
        fprintf(stream, "%s", kind);
    if (field->range) fprintf(stream, ", %s", sn_range_words(field->range).text);
}

static void print_names(FILE* stream, const SnField* field)
{
    for (int i = 0; sn_field_name(field, i); i++) fprintf(stream, "%s`%s`", i ? ", " : "", sn_field_name(field, i));
}

// What is written after the key.
static void print_form(FILE* stream, const SnField* field)
{
    switch (field->type) {
    case SN_FIELD_TEXT: fprintf(stream, "text"); break;
    case SN_FIELD_NUMBERS: print_numbers(stream, field); break;
    case SN_FIELD_MATRIX: fprintf(stream, "3 lists of 3 numbers"); break;
    case SN_FIELD_CHOICE: print_names(stream, field); break;
    case SN_FIELD_MAPPING: fprintf(stream, "[%s](#%s)", field->mapping->name, field->mapping->name); break;
    case SN_FIELD_LIST: fprintf(stream, "list of [%s](#%s)", field->mapping->name, field->mapping->name); break;
    case SN_FIELD_RAW: fprintf(stream, "as `%s`", field->example); break;
    }
}

static void print_row(FILE* stream, const SnField* field)
{
    fprintf(stream, "| `%s` | ", field->key);
    if (strcmp(field->key, "mesh") == 0)
        fprintf(stream, "[mesh](#mesh)");
    else
        print_form(stream, field);
    if (field->required)
        fprintf(stream, " | required | ");
    else if (field->value)
        fprintf(stream, " | `%s` | ", field->value);
    else
        fprintf(stream, " | | ");
    fprintf(stream, "%s | ", field->unit ? field->unit : "");
    print_cell(stream, field->doc);
    fprintf(stream, " |\n");
}

static void print_rows(FILE* stream, const SnField* fields)
{
    fprintf(stream, "| key | value | default | unit | meaning |\n|---|---|---|---|---|\n");
    for (const SnField* field = fields; field->key; field++) print_row(stream, field);
}

static void print_mesh(FILE* stream)
{
    fprintf(stream, "\n## mesh\n\nOne of:\n\n`file`: %s. Formats:", sn_mesh_file_doc);
    for (int i = 0; sn_mesh_formats[i]; i++)
        if (sn_mesh_formats[i]->read) fprintf(stream, "%s %s", i ? "," : "", sn_mesh_formats[i]->endings);
    fprintf(stream, ".\n");
    for (int i = 0; sn_shapes[i]; i++) {
        SnShapeMapping shape;
        sn_shape_mapping(i, &shape);
        fprintf(stream, "\n### %s\n\n%s\n\n", shape.mapping.name, shape.mapping.doc);
        print_rows(stream, shape.fields);
    }
}

// Mappings that have their section already: some belong to several.
typedef struct Printed {
    const SnMapping* items[64];
    int count;
} Printed;

static bool is_printed(Printed* printed, const SnMapping* mapping)
{
    for (int i = 0; i < printed->count; i++)
        if (printed->items[i] == mapping) return true;
    if (printed->count < (int)(sizeof printed->items / sizeof *printed->items))
        printed->items[printed->count++] = mapping;
    return false;
}

// A section, then those of the mappings inside it.
static void print_section(FILE* stream, const SnMapping* mapping, Printed* printed)
{
    if (is_printed(printed, mapping)) return;
    fprintf(stream, "\n## %s\n\n%s\n\n", mapping->name, mapping->doc);
    print_rows(stream, mapping->fields);
    for (const SnField* field = mapping->fields; field->key; field++) {
        if (strcmp(field->key, "mesh") == 0 && strcmp(mapping->name, "body") == 0) print_mesh(stream);
        if (field->mapping) print_section(stream, field->mapping, printed);
    }
}

static void print_elements(FILE* stream, int elements)
{
    static const struct {
        int kind;
        const char* name;
    } kinds[] = {{SN_ON_TETRAHEDRA, "tetrahedra"}, {SN_ON_TRIANGLES, "triangles"}, {SN_ON_EDGES, "edges"}};
    const char* separator = "";
    for (int k = 0; k < 3; k++) {
        if (!(elements & kinds[k].kind)) continue;
        fprintf(stream, "%s%s", separator, kinds[k].name);
        separator = ", ";
    }
}

static void print_materials(FILE* stream)
{
    fprintf(stream, "\n## Materials\n\nMore on each in [materials](materials.md).\n\n"
                    "| name | elements | own parameters | energy density |\n|---|---|---|---|\n");
    for (int i = 0; i < sn_material_count(); i++) {
        const SnMaterialType* type = sn_material_at(i);
        fprintf(stream, "| `%s` | ", type->name);
        print_elements(stream, type->elements);
        fprintf(stream, " | ");
        for (int k = 0; k < 2 && type->extra[k].name; k++)
            fprintf(stream, "%s`%s`", k ? ", " : "", type->extra[k].name);
        fprintf(stream, "%s | `", type->curves ? ", `a`, `b`, `c`" : "");
        print_cell(stream, type->formula);
        fprintf(stream, "` |\n");
    }
}

static void print_dissipations(FILE* stream)
{
    fprintf(stream,
            "\n## Dissipations\n\nMore on each in [dissipation](dissipation.md). F is the deformation gradient, s "
            "are the principal stretches,\nK is the material's stiffness, a dash is the rate of change.\n\n"
            "| name | W/m3 | keeps |\n|---|---|---|\n");
    for (int i = 0; i < sn_dissipation_count(); i++) {
        const SnDissipationType* type = sn_dissipation_at(i);
        fprintf(stream, "| `%s` | `", type->name);
        print_cell(stream, type->formula);
        fprintf(stream, "` | %s |\n", type->keeps);
    }
}

static void print_presets(FILE* stream)
{
    fprintf(stream, "\n## Presets\n\n| name | young, Pa | poisson | density, kg/m3 | what | source |\n"
                    "|---|---|---|---|---|---|\n");
    for (int i = 0; i < sn_preset_count(); i++) {
        const SnMaterialPreset* p = sn_preset_at(i);
        fprintf(stream, "| `%s` | %g | %g | %g | ", p->name, p->young, p->poisson, p->density);
        print_cell(stream, p->summary);
        fprintf(stream, " | ");
        print_cell(stream, p->source);
        fprintf(stream, " |\n");
    }
}

static void print_summary(FILE* stream, const char* name, const char* summary)
{
    fprintf(stream, "| `%s` | ", name);
    print_cell(stream, summary);
    fprintf(stream, " |\n");
}

static void print_obstacles(FILE* stream)
{
    fprintf(stream,
            "\n## Obstacles\n\nMore in [contact](contact.md).\n\n| name | what it is | takes |\n|---|---|---|\n");
    for (int i = 0; i < sn_obstacle_count(); i++) {
        const SnObstacleType* type = sn_obstacle_at(i);
        fprintf(stream, "| `%s` | ", type->name);
        print_cell(stream, type->summary);
        fprintf(stream, " | ");
        for (int k = 0; k < SN_OBSTACLE_PARAMETERS && type->parameters[k].name; k++)
            fprintf(stream, "%s`%s`", k ? ", " : "", type->parameters[k].name);
        fprintf(stream, "%s |\n", type->takes ? type->takes : "");
    }
}

static void print_types(FILE* stream)
{
    print_obstacles(stream);
    fprintf(stream, "\n## Solvers\n\n| name | what it does |\n|---|---|\n");
    for (int i = 0; i < sn_solver_count(); i++) print_summary(stream, sn_solver_at(i)->name, sn_solver_at(i)->summary);
    fprintf(stream,
            "\n## Initials\n\nWhat `type: lbfgs` starts from (`initial:`).\n\n| name | what it is |\n|---|---|\n");
    for (int i = 0; i < sn_initial_count(); i++)
        print_summary(stream, sn_initial_at(i)->name, sn_initial_at(i)->summary);
    fprintf(stream, "\n## Scripts\n\nThe lower end of an axis moves one way, the upper end the other.\n\n"
                    "| name | what it does |\n|---|---|\n");
    for (int i = 0; sn_scripts[i].name; i++) print_summary(stream, sn_scripts[i].name, sn_scripts[i].summary);
    fprintf(stream, "\n## Integrators\n\n| name | what it does |\n|---|---|\n");
    for (int i = 0; i < sn_integrator_count(); i++)
        print_summary(stream, sn_integrator_at(i)->name, sn_integrator_at(i)->summary);
}

SnStatus sn_scene_print_reference(FILE* stream)
{
    fputs(intro, stream);
    print_section(stream, &sn_scene_mapping, &(Printed){0});
    print_materials(stream);
    print_presets(stream);
    print_dissipations(stream);
    print_types(stream);
    return ferror(stream) ? sn_fail(SN_ERROR_FILE, "the reference could not be written") : SN_OK;
}
