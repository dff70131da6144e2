// Every key with its default, as a scene: what `sinew check --defaults` shows.
#include "scene/parts.h"
#include "scene/scene.h"

#include <string.h>

#include "mesh/mesh.h"

enum { COMMENT_COLUMN = 56 };

// A line "key: value", padded so that comments line up; `off` puts it behind a #.
static void print_line(FILE* stream, int indent, const char* dash, bool off, const char* key, const char* value,
                       const char* unit, const char* doc)
{
    int used = fprintf(stream, "%*s%s%s%s:%s%s", indent, "", off ? "# " : "", dash, key, *value ? " " : "", value);
    int pad = used < COMMENT_COLUMN ? COMMENT_COLUMN - used : 1;
    fprintf(stream, "%*s# %s%s%s\n", pad, "", unit ? unit : "", unit ? "; " : "", doc);
}

static void print_choices(FILE* stream, const SnField* field)
{
    fprintf(stream, "%*s#   ", COMMENT_COLUMN, "");
    for (int i = 0; sn_field_name(field, i); i++) fprintf(stream, "%s%s", i ? ", " : "", sn_field_name(field, i));
    fprintf(stream, "\n");
}

static bool is_mapping(const SnField* field)
{
    return field->type == SN_FIELD_MAPPING || field->type == SN_FIELD_LIST;
}

static bool has_required(const SnMapping* mapping)
{
    for (const SnField* field = mapping->fields; field->key; field++)
        if (field->required) return true;
    return false;
}

static void print_mapping(FILE* stream, const SnMapping* mapping, int indent, bool item, bool off);

// The kinds of mesh, as alternatives to the one that is shown.
static void print_meshes(FILE* stream, int indent)
{
    print_line(stream, indent, "", true, "file", "bar.msh", NULL, sn_mesh_file_doc);
    for (int i = 0; sn_shapes[i]; i++) {
        SnShapeMapping shape;
        sn_shape_mapping(i, &shape);
        print_line(stream, indent, "", true, shape.mapping.name, "", NULL, shape.mapping.doc);
        print_mapping(stream, &shape.mapping, indent + 2, false, true);
    }
}

static void print_nested(FILE* stream, const SnField* field, int indent, const char* dash, bool off)
{
    bool list = field->type == SN_FIELD_LIST;
    bool example = field->required && field->example && !list; // shown on the line, its keys as alternatives
    bool hidden = off || field->off || (!field->required && (!list || indent > 0) && has_required(field->mapping));
    print_line(stream, indent, dash, hidden, field->key, example ? field->example : "", NULL, field->doc);
    print_mapping(stream, field->mapping, indent + 2, list, hidden || example);
}

static void print_field(FILE* stream, const SnField* field, int indent, const char* dash, bool off)
{
    if (is_mapping(field)) {
        print_nested(stream, field, indent, dash, off);
        return;
    }
    const char* value = field->value ? field->value : field->example;
    bool hidden = off || (!field->value && !field->required && field->type != SN_FIELD_TEXT);
    print_line(stream, indent, dash, hidden, field->key, value, field->unit, field->doc);
    if (field->type == SN_FIELD_CHOICE) print_choices(stream, field);
    if (strcmp(field->key, "mesh") == 0) print_meshes(stream, indent + 2);
}

// As a list item, the first key carries the dash.
static void print_mapping(FILE* stream, const SnMapping* mapping, int indent, bool item, bool off)
{
    for (const SnField* field = mapping->fields; field->key; field++) {
        bool first = item && field == mapping->fields;
        print_field(stream, field, item && !first ? indent + 2 : indent, first ? "- " : "", off);
    }
}

SnStatus sn_scene_print_defaults(FILE* stream)
{
    fprintf(stream, "# Every key of a scene. Keys behind a # have no default and are shown with an example.\n"
                    "# Angles are in degrees unless noted, everything else is SI; numbers may be simple arithmetic.\n");
    print_mapping(stream, &sn_scene_mapping, 0, false, false);
    return ferror(stream) ? sn_fail(SN_ERROR_FILE, "the defaults could not be written") : SN_OK;
}
