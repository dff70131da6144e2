// The scene reference as Markdown, from the tables that the reader uses.
#include "dissipation/dissipation.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "obstacle/obstacle.h"
#include "potential/actuator.h"
#include "potential/load.h"
#include "scene/parts.h"
#include "scene/scene.h"
#include "scene/script.h"
#include "solver/initial.h"
#include "world/probe.h"

#include <string.h>

static const char intro[] =
    "# Scene reference\n"
    "\n"
    "<!-- Generated from the rows of parameters that parts and scene have; a test compares it with them. -->\n"
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

// What is written after the key.
static void print_form(FILE* stream, const SnParameter* row)
{
    const SnMapping* inside = row->inside;
    if (strcmp(row->name, "mesh") == 0)
        fprintf(stream, "[mesh](#mesh)");
    else if (row->type == SN_MAPPING || row->type == SN_LIST)
        fprintf(stream, "%s[%s](#%s)", row->type == SN_LIST ? "list of " : "", inside->name, inside->name);
    else
        fputs(sn_parameter_form(row, "`").text, stream);
}

static void print_row(FILE* stream, const SnMapping* mapping, const SnKey* key)
{
    const SnParameter* row = key->row;
    SnKeyWords words = sn_key_words(mapping, key);
    fprintf(stream, "| `%s` | ", row->name);
    print_form(stream, &words.row);
    if (row->required)
        fprintf(stream, " | required | ");
    else if (words.row.value)
        fprintf(stream, " | `%s` | ", words.row.value);
    else
        fprintf(stream, " | | ");
    fprintf(stream, "%s | ", row->unit ? row->unit : "");
    print_cell(stream, words.doc);
    fprintf(stream, " |\n");
}

static void print_rows(FILE* stream, const SnMapping* mapping)
{
    SnKeys keys;
    sn_mapping_keys(mapping, NULL, &keys);
    fprintf(stream, "| key | value | default | unit | meaning |\n|---|---|---|---|---|\n");
    for (int i = 0; i < keys.count; i++) print_row(stream, mapping, &keys.items[i]);
}

static void print_mesh(FILE* stream)
{
    fprintf(stream, "\n## mesh\n\nOne of:\n\n`file`: %s. Formats:", sn_mesh_file_doc);
    for (int i = 0; sn_mesh_format_at(i); i++)
        if (sn_mesh_format_at(i)->read) fprintf(stream, "%s %s", i ? "," : "", sn_mesh_format_at(i)->endings);
    fprintf(stream, ".\n\n### surface\n\n%s\n\n", sn_solid_mapping.doc);
    print_rows(stream, &sn_solid_mapping);
    for (int i = 0; sn_shape_at(i); i++) {
        SnShapeMapping shape;
        sn_shape_mapping(sn_shape_at(i), &shape);
        fprintf(stream, "\n### %s\n\n%s\n\n", shape.mapping.name, shape.mapping.doc);
        print_rows(stream, &shape.mapping);
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
    print_rows(stream, mapping);
    for (const SnParameter* row = mapping->rows; row->name; row++) {
        if (strcmp(row->name, "mesh") == 0) print_mesh(stream);
        if (row->type == SN_MAPPING || row->type == SN_LIST) print_section(stream, row->inside, printed);
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

static void print_parameters(FILE* stream, const SnParameter* rows)
{
    for (const SnParameter* row = rows; row && row->name; row++)
        fprintf(stream, "%s`%s`", row > rows ? ", " : "", row->name);
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
        print_parameters(stream, type->parameters);
        fprintf(stream, " | `");
        print_cell(stream, type->formula);
        fprintf(stream, "` |\n");
    }
}

static void print_dissipations(FILE* stream)
{
    fprintf(stream,
            "\n## Dissipations\n\nMore on each in [dissipation](dissipation.md). F is the deformation gradient, s "
            "are the principal stretches,\nK is the material's stiffness, a dash is the rate of change.\n\n"
            "| name | takes | W/m3 | keeps |\n|---|---|---|---|\n");
    for (int i = 0; i < sn_dissipation_count(); i++) {
        const SnDissipationType* type = sn_dissipation_at(i);
        fprintf(stream, "| `%s` | ", type->name);
        print_parameters(stream, type->parameters);
        fprintf(stream, " | `");
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

static void print_table(FILE* stream, const SnTable* table, const char* head, const char* what)
{
    fprintf(stream, "\n## %s\n\n| name | %s |%s\n|---|---|%s\n", head, what, table->parameters ? " takes |" : "",
            table->parameters ? "---|" : "");
    for (int i = 0; sn_table_at(table, i); i++) {
        fprintf(stream, "| `%s` | ", sn_table_name(table, i));
        print_cell(stream, sn_table_summary(table, i));
        fprintf(stream, " |");
        if (table->parameters) fprintf(stream, " ");
        print_parameters(stream, sn_table_parameters(table, sn_table_at(table, i)));
        fprintf(stream, "%s\n", table->parameters ? " |" : "");
    }
}

SnStatus sn_scene_print_reference(FILE* stream)
{
    fputs(intro, stream);
    print_section(stream, &sn_scene_mapping, &(Printed){0});
    print_materials(stream);
    print_presets(stream);
    print_dissipations(stream);
    print_table(stream, &sn_obstacle_table, "Obstacles\n\nMore in [contact](contact.md).", "what it is");
    print_table(stream, &sn_load_table, "Loads\n\nMore in [loads](loads.md).", "what it is");
    print_table(stream, &sn_actuator_table, "Actuators\n\nMore in [actuation](actuation.md).", "what it is");
    print_table(stream, &sn_probe_type_table,
                "Probes\n\nMore in [measuring](measuring.md); fields, as in [fields](fields.md), can be measured, too.",
                "what it is");
    print_table(stream, &sn_solver_table, "Solvers", "what it does");
    print_table(stream, &sn_initial_table, "Initials\n\nWhat `type: lbfgs` starts from (`initial:`).", "what it is");
    print_table(stream, &sn_script_table, "Scripts\n\nThe lower end of an axis moves one way, the upper end the other.",
                "what it does");
    print_table(stream, &sn_integrator_table, "Integrators", "what it does");
    return ferror(stream) ? sn_fail(SN_ERROR_FILE, "the reference could not be written") : SN_OK;
}
