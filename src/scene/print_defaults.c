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

static bool has_required(const SnMapping* mapping)
{
    for (const SnParameter* row = mapping->rows; row->name; row++)
        if (row->required) return true;
    return false;
}

static void print_mapping(FILE* stream, const SnMapping* mapping, int indent, bool item, bool off);

// The kinds of mesh, as alternatives to the one that is shown.
static void print_meshes(FILE* stream, int indent)
{
    print_line(stream, indent, "", true, "file", "bar.msh", NULL, sn_mesh_file_doc);
    print_mapping(stream, &sn_solid_mapping, indent, false, true);
    for (int i = 0; sn_shape_at(i); i++) {
        SnShapeMapping shape;
        sn_shape_mapping(sn_shape_at(i), &shape);
        print_line(stream, indent, "", true, shape.mapping.name, "", NULL, shape.mapping.doc);
        print_mapping(stream, &shape.mapping, indent + 2, false, true);
    }
}

static void print_nested(FILE* stream, const SnParameter* row, int indent, const char* dash, bool off)
{
    bool list = row->type == SN_LIST;
    bool example = row->required && row->example && !list; // shown on the line, its keys as alternatives
    bool hidden = off || row->off || (!row->required && (!list || indent > 0) && has_required(row->inside));
    print_line(stream, indent, dash, hidden, row->name, example ? row->example : "", NULL, row->doc);
    print_mapping(stream, row->inside, indent + 2, list, hidden || example);
}

static void print_key(FILE* stream, const SnMapping* mapping, const SnKey* key, int indent, const char* dash, bool off)
{
    const SnParameter* row = key->row;
    if (row->type == SN_MAPPING || row->type == SN_LIST) {
        print_nested(stream, row, indent, dash, off);
        return;
    }
    SnKeyWords words = sn_key_words(mapping, key);
    const char* value = row->value ? row->value : row->example;
    bool hidden = off || row->off || key->strict || (!row->value && !row->required && row->type != SN_TEXT);
    print_line(stream, indent, dash, hidden, row->name, value, row->unit, words.doc);
    if (row->type == SN_CHOICE || row->type == SN_ENUM || row->type == SN_BOOLEAN)
        fprintf(stream, "%*s#   %s\n", COMMENT_COLUMN, "", sn_parameter_form(row, "").text);
    if (strcmp(row->name, "mesh") == 0) print_meshes(stream, indent + 2);
}

// As a list item, the first key carries the dash.
static void print_mapping(FILE* stream, const SnMapping* mapping, int indent, bool item, bool off)
{
    SnKeys keys;
    sn_mapping_keys(mapping, NULL, &keys);
    for (int i = 0; i < keys.count; i++) {
        bool first = item && i == 0;
        print_key(stream, mapping, &keys.items[i], item && !first ? indent + 2 : indent, first ? "- " : "", off);
    }
}

SnStatus sn_scene_print_defaults(FILE* stream)
{
    fprintf(stream, "# Every key of a scene. Keys behind a # have no default and are shown with an example.\n"
                    "# Angles are in degrees unless noted, everything else is SI; numbers may be simple arithmetic.\n");
    print_mapping(stream, &sn_scene_mapping, 0, false, false);
    return ferror(stream) ? sn_fail(SN_ERROR_FILE, "the defaults could not be written") : SN_OK;
}
