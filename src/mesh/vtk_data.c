// Legacy .vtk: POINT_DATA and CELL_DATA become fields of the nodes and of the elements of the highest dimension.
#include "mesh/vtk.h"

#include "mesh/elements.h"

#include <ctype.h>

// Names have spaces and the like as %20.
static char* decoded(SnWord word)
{
    char* name = sn_copy_word(word);
    if (!name) return NULL;
    char* to = name;
    for (int i = 0; i < word.length; i++) {
        int high = i + 2 < word.length && word.text[i] == '%' ? word.text[i + 1] : 0, low = high ? word.text[i + 2] : 0;
        if (isxdigit((unsigned char)high) && isxdigit((unsigned char)low)) {
            static const char digits[] = "0123456789abcdef";
            int value = 0;
            for (int d = 0; d < 16; d++)
                value += (tolower(high) == digits[d]) * 16 * d + (tolower(low) == digits[d]) * d;
            *to++ = value ? (char)value : '?';
            i += 2;
        } else {
            *to++ = word.text[i] ? word.text[i] : '?';
        }
    }
    *to = 0;
    return name;
}

SnStatus sn_vtk_add_field(Vtk* v, SnWord word, bool per_node, int components, const double* from)
{
    double* values;
    int top = sn_mesh_top_dimension(v->builder.mesh);
    int items = per_node ? v->builder.mesh->node_count : top ? sn_mesh_count_of(v->builder.mesh, top) : 0;
    if (items == 0) return SN_OK;
    char* name = decoded(word);
    SnStatus status =
        name ? sn_builder_field(&v->builder, name, per_node, components, items, &values) : SN_ERROR_MEMORY;
    sn_free(name);
    for (int64_t i = 0; status == SN_OK && i < items; i++)
        for (int64_t c = 0; c < components; c++)
            values[components * i + c] = from[components * (per_node ? i : v->source[top][i]) + c];
    return status;
}

// Reads components x count numbers into a field.
static SnStatus read_values(Vtk* v, SnWord word, bool per_node, int64_t components, int64_t count, SnNumberType type)
{
    int64_t size;
    const char* where = v->reader.at;
    if (v->reader.binary) sn_skip_line(&v->reader);
    if (__builtin_mul_overflow(components, count, &size)) size = INT64_MAX;
    SN_TRY(sn_reader_fits_typed(&v->reader, size, type, "values"));
    if (components < 1 || count != (per_node ? v->builder.mesh->node_count : v->cell_count))
        return sn_reader_fail(&v->reader, where, SN_ERROR_FORMAT, "an array of %lld x %lld values for %d %s",
                              (long long)components, (long long)count,
                              per_node ? v->builder.mesh->node_count : v->cell_count, per_node ? "points" : "cells");
    double* read;
    if (!SN_NEW(read, size, "a field")) return SN_ERROR_MEMORY;
    SnStatus status = SN_OK;
    for (int64_t i = 0; i < size && status == SN_OK; i++)
        status = sn_read_typed_real(&v->reader, type, &read[i], "a value");
    if (status == SN_OK) status = sn_vtk_add_field(v, word, per_node, (int)components, read);
    sn_free(read);
    return status;
}

typedef struct Data {
    bool per_node;
    int64_t count;
} Data;

// SCALARS name type [components], then usually LOOKUP_TABLE name.
static SnStatus read_scalars(Vtk* v, Data data)
{
    SnReader* r = &v->reader;
    SnWord name, word;
    SnNumberType type;
    int64_t components = 1;
    SN_TRY(sn_read_word(r, &name, "the name of an array"));
    SN_TRY(sn_vtk_read_type(v, &type));
    if (sn_skip_blanks(r)) SN_TRY(sn_read_integer(r, 1, INT32_MAX, &components, "the number of components"));
    SnReader before = *r;
    if (sn_next_word(r, &word) && sn_word_is(word, "LOOKUP_TABLE"))
        SN_TRY(sn_read_word(r, &word, "the name of a lookup table"));
    else
        *r = before;
    return read_values(v, name, data.per_node, components, data.count, type);
}

// KEYWORD name [components] type; 0 components: they are in the file.
static SnStatus read_named(Vtk* v, Data data, int64_t components)
{
    SnWord name;
    SnNumberType type;
    SN_TRY(sn_read_word(&v->reader, &name, "the name of an array"));
    if (components == 0) SN_TRY(sn_read_integer(&v->reader, 1, 3, &components, "the number of components"));
    SN_TRY(sn_vtk_read_type(v, &type));
    return read_values(v, name, data.per_node, components, data.count, type);
}

// COLOR_SCALARS name components: bytes when binary.
static SnStatus read_colours(Vtk* v, Data data)
{
    SnWord name;
    int64_t components;
    SN_TRY(sn_read_word(&v->reader, &name, "the name of an array"));
    SN_TRY(sn_read_integer(&v->reader, 1, 4, &components, "the number of components"));
    return read_values(v, name, data.per_node, components, data.count, SN_UINT8);
}

// LOOKUP_TABLE name size: colours that do not concern us.
static SnStatus skip_table(Vtk* v, Data data)
{
    (void)data;
    SnWord name;
    int64_t size;
    double ignored;
    SN_TRY(sn_read_word(&v->reader, &name, "the name of a lookup table"));
    SN_TRY(sn_read_integer(&v->reader, 0, INT32_MAX, &size, "the size of a lookup table"));
    if (v->reader.binary) sn_skip_line(&v->reader);
    SN_TRY(sn_reader_fits_typed(&v->reader, 4 * size, SN_UINT8, "colours"));
    for (int64_t i = 0; i < 4 * size; i++) SN_TRY(sn_read_typed_real(&v->reader, SN_UINT8, &ignored, "a colour"));
    return SN_OK;
}

static SnStatus skip_metadata(Vtk* v, Data data)
{
    (void)data;
    return sn_vtk_skip_metadata(v);
}

// FIELD name arrays, each: name components tuples type
static SnStatus read_field(Vtk* v, Data data)
{
    SnReader* r = &v->reader;
    SnWord name, word;
    int64_t arrays, components, tuples;
    SnNumberType type;
    SN_TRY(sn_read_word(r, &name, "the name of a field"));
    SN_TRY(sn_read_integer(r, 0, INT32_MAX, &arrays, "the number of arrays"));
    for (int64_t i = 0; i < arrays; i++) {
        if (sn_peek_word(r, &word) && sn_word_is(word, "METADATA")) SN_TRY(sn_vtk_skip_metadata(v));
        SN_TRY(sn_read_word(r, &name, "the name of an array"));
        SN_TRY(sn_read_integer(r, 1, INT32_MAX, &components, "the number of components"));
        SN_TRY(sn_read_integer(r, 0, INT32_MAX, &tuples, "the number of tuples"));
        SN_TRY(sn_vtk_read_type(v, &type));
        SN_TRY(read_values(v, name, data.per_node, components, tuples, type));
    }
    return SN_OK;
}

static const struct {
    const char* name;
    SnStatus (*read)(Vtk* v, Data data); // NULL: read_named, with so many
    int components;
} attributes[] = {
    {"SCALARS", .read = read_scalars},
    {"VECTORS", .components = 3},
    {"NORMALS", .components = 3},
    {"TENSORS", .components = 9},
    {"TENSORS6", .components = 6},
    {"TEXTURE_COORDINATES", .components = 0},
    {"COLOR_SCALARS", .read = read_colours},
    {"LOOKUP_TABLE", .read = skip_table},
    {"FIELD", .read = read_field},
    {"GLOBAL_IDS", .components = 1},
    {"PEDIGREE_IDS", .components = 1},
    {"METADATA", .read = skip_metadata},
};

SnStatus sn_vtk_read_data(Vtk* v, bool per_node)
{
    SnWord word;
    Data data = {.per_node = per_node};
    SN_TRY(sn_vtk_make_cells(v));
    SN_TRY(sn_read_integer(&v->reader, 0, INT32_MAX, &data.count, "the number of values"));
    while (sn_peek_word(&v->reader, &word)) {
        bool known = false;
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes && !known; i++) {
            known = sn_word_is(word, attributes[i].name);
            if (!known) continue;
            v->reader.at += word.length;
            SN_TRY(attributes[i].read ? attributes[i].read(v, data) : read_named(v, data, attributes[i].components));
        }
        if (!known) break; // the next part of the file
    }
    return SN_OK;
}
