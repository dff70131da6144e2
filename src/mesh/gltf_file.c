// A glTF file: JSON, its buffers (in the file, beside it, or as text in base 64), and numbers out of these.
#include "mesh/gltf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/elements.h"

SnStatus sn_gltf_item(const SnGltf* file, const char* list, int64_t index, const SnJson** item)
{
    const SnJson* all = sn_json_find(file->root, list);
    *item = sn_json_item(all, index);
    if (*item && (*item)->kind == SN_JSON_MAP) return SN_OK;
    return sn_reader_fail(&file->reader, all ? all->at : NULL, SN_ERROR_FORMAT, "\"%s\" has no item %lld; it has %d",
                          list, (long long)index, all && all->kind == SN_JSON_LIST ? all->count : 0);
}

int sn_gltf_count(const SnGltf* file, const char* list)
{
    const SnJson* all = sn_json_find(file->root, list);
    return all && all->kind == SN_JSON_LIST ? all->count : 0;
}

// --- buffers ---

static SnStatus decode(SnGltf* file, const SnJson* where, const char* text, SnGltfBuffer* buffer)
{
    unsigned char* out = sn_arena_allocate(&file->arena, strlen(text) / 4 * 3 + 4);
    if (!out) return SN_ERROR_MEMORY;
    buffer->bytes = out;
    unsigned bits = 0;
    int count = 0;
    for (; *text && *text != '='; text++) {
        int digit = sn_base64_digit(*text);
        if (digit < 0) return sn_reader_fail(&file->reader, where->at, SN_ERROR_FORMAT, "a buffer is not in base 64");
        bits = bits << 6 | (unsigned)digit;
        if (++count % 4 != 1) out[buffer->size++] = (unsigned char)(bits >> (6 - 2 * ((count - 1) % 4)));
    }
    return SN_OK;
}

// A path in a URI: %20 is a space. Beside the glTF file.
static SnStatus open_beside(SnGltf* file, const char* uri, SnGltfBuffer* buffer)
{
    const char *path = file->reader.path, *slash = strrchr(path, '/');
    char* beside = sn_arena_print(&file->arena, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, uri);
    if (!beside) return SN_ERROR_MEMORY;
    char* to = beside;
    for (const char* c = beside; *c; c++) {
        unsigned code;
        if (*c == '%' && sscanf(c + 1, "%2x", &code) == 1 && code && c[1] && c[2])
            *to++ = (char)code, c += 2;
        else
            *to++ = *c;
    }
    *to = 0;
    SnStatus status = sn_reader_open(&buffer->file, beside);
    if (status != SN_OK) // what is wrong is the name in this file
        return sn_fail_prefix(status == SN_ERROR_MEMORY ? status : SN_ERROR_FORMAT, "%s: a buffer", path);
    buffer->bytes = (const unsigned char*)buffer->file.bytes, buffer->size = buffer->file.size;
    return SN_OK;
}

static SnStatus open_buffers(SnGltf* file, const char* chunk, size_t chunk_size)
{
    int count = sn_gltf_count(file, "buffers");
    if (!SN_NEW(file->buffers, count, "buffers")) return SN_ERROR_MEMORY;
    while (file->buffer_count < count) {
        const SnJson* item;
        SnGltfBuffer* buffer = &file->buffers[file->buffer_count];
        SN_TRY(sn_gltf_item(file, "buffers", file->buffer_count, &item));
        file->buffer_count++;
        const char *uri = sn_json_text(item, "uri", NULL), *comma = uri ? strchr(uri, ',') : NULL;
        if (uri && strncmp(uri, "data:", 5) == 0 && comma)
            SN_TRY(decode(file, item, comma + 1, buffer));
        else if (uri)
            SN_TRY(open_beside(file, uri, buffer));
        else
            buffer->bytes = (const unsigned char*)chunk, buffer->size = chunk_size;
        if (!uri && !chunk)
            return sn_reader_fail(&file->reader, item->at, SN_ERROR_FORMAT,
                                  "a buffer without a \"uri\" in a file without "
                                  "a binary part");
    }
    return SN_OK;
}

// --- the file ---

static SnStatus read_word(SnReader* r, int64_t* word, const char* what)
{
    return sn_read_binary_integer(r, SN_UINT32, word, what);
}

// GLB: a header, JSON, and maybe a binary part, each with its length.
static SnStatus read_parts(SnGltf* file, const char** json_end, const char** chunk, size_t* chunk_size)
{
    SnReader* r = &file->reader;
    int64_t version, length, size, kind;
    r->binary = true;
    r->at += 4;
    SN_TRY(read_word(r, &version, "the version"));
    if (version != 2) return sn_malformed(r, "glTF of version %lld; version 2 is known", (long long)version);
    SN_TRY(read_word(r, &length, "the length"));
    SN_TRY(read_word(r, &size, "the length of the JSON part"));
    SN_TRY(read_word(r, &kind, "the kind of a part"));
    if (kind != 0x4e4f534a || size > r->end - r->at)
        return sn_malformed(r, "a JSON part should be here, as long as it says (%lld bytes)", (long long)size);
    const char* json = r->at;
    *json_end = json + size;
    r->at = *json_end;
    if (r->end - r->at >= 8) {
        SN_TRY(read_word(r, &size, "the length of the binary part"));
        SN_TRY(read_word(r, &kind, "the kind of a part"));
        if (size > r->end - r->at)
            return sn_malformed(r, "a part of %lld bytes, but the rest of the file has %lld", (long long)size,
                                (long long)(r->end - r->at));
        if (kind == 0x004e4942) *chunk = r->at, *chunk_size = (size_t)size;
    }
    r->at = json;
    return SN_OK;
}

// What a file needs of a reader that this one has not got.
static SnStatus check_extensions(const SnGltf* file)
{
    const SnJson* needed = sn_json_find(file->root, "extensionsRequired");
    for (int i = 0; needed && needed->kind == SN_JSON_LIST && i < needed->count; i++) {
        const SnJson* name = needed->items[i];
        if (name->kind != SN_JSON_TEXT) continue;
        if (strcmp(name->text, "KHR_mesh_quantization") == 0 || strncmp(name->text, "KHR_materials", 13) == 0 ||
            strncmp(name->text, "KHR_texture", 11) == 0 || strncmp(name->text, "EXT_texture", 11) == 0)
            continue;
        return sn_reader_fail(&file->reader, name->at, SN_ERROR_UNSUPPORTED,
                              "the file needs the extension %s; export it without (no compression of meshes)",
                              name->text);
    }
    return SN_OK;
}

static SnStatus open_file(SnGltf* file)
{
    SnReader* r = &file->reader;
    const char *json_end = r->end, *chunk = NULL;
    size_t chunk_size = 0;
    if (r->size >= 12 && memcmp(r->bytes, "glTF", 4) == 0) SN_TRY(read_parts(file, &json_end, &chunk, &chunk_size));
    SN_TRY(sn_json_read(r, json_end, &file->arena, &file->root));
    const char* version = sn_json_text(sn_json_find(file->root, "asset"), "version", "");
    if (version[0] != '2')
        return sn_reader_fail(r, r->bytes, SN_ERROR_FORMAT,
                              "a glTF file has an \"asset\" of \"version\" 2.0, not '%.20s'", version);
    SN_TRY(check_extensions(file));
    return open_buffers(file, chunk, chunk_size);
}

SnStatus sn_gltf_open(const char* path, SnGltf* file)
{
    *file = (SnGltf){0};
    SN_TRY(sn_reader_open(&file->reader, path));
    SnStatus status = open_file(file);
    if (status != SN_OK) sn_gltf_close(file);
    return status;
}

void sn_gltf_close(SnGltf* file)
{
    for (int i = 0; i < file->buffer_count; i++)
        if (file->buffers[i].file.path) sn_reader_close(&file->buffers[i].file);
    sn_free(file->buffers);
    sn_arena_free(&file->arena);
    if (file->reader.path) sn_reader_close(&file->reader);
    *file = (SnGltf){0};
}

// --- accessors ---

typedef struct Type {
    int code, size;
    bool is_signed, real;
} Type;

static const Type types[] = {{5120, 1, true, false},  {5121, 1, false, false}, {5122, 2, true, false},
                             {5123, 2, false, false}, {5125, 4, false, false}, {5126, 4, true, true}};

static double number_at(const unsigned char* bytes, const Type* type, bool normalised)
{
    if (type->real) {
        float value;
        memcpy(&value, bytes, 4);
        return (double)value;
    }
    uint32_t raw = 0;
    memcpy(&raw, bytes, (size_t)type->size); // of this little-endian machine
    int bits = 8 * type->size;
    double value = type->is_signed && raw >> (bits - 1) ? (double)raw - exp2(bits) : (double)raw;
    if (!normalised) return value;
    return fmax(-1, value / (exp2(bits - (type->is_signed ? 1 : 0)) - 1));
}

// The bytes of `count` items in a view, from an offset on.
static SnStatus view_bytes(const SnGltf* file, int64_t view, int64_t offset, int64_t count, int64_t item,
                           const unsigned char** bytes, int64_t* stride)
{
    const SnJson *v, *b;
    int64_t buffer, start, length, most = (int64_t)1 << 40;
    SN_TRY(sn_gltf_item(file, "bufferViews", view, &v));
    SN_TRY(sn_json_integer(&file->reader, v, "buffer", 0, INT32_MAX, 0, &buffer));
    SN_TRY(sn_gltf_item(file, "buffers", buffer, &b));
    SN_TRY(sn_json_integer(&file->reader, v, "byteOffset", 0, most, 0, &start));
    SN_TRY(sn_json_integer(&file->reader, v, "byteLength", 0, most, 0, &length));
    SN_TRY(sn_json_integer(&file->reader, v, "byteStride", 0, 4096, 0, stride));
    if (*stride == 0) *stride = item;
    const SnGltfBuffer* from = &file->buffers[buffer];
    int64_t size = (int64_t)from->size, end = count > 0 ? offset + (count - 1) * *stride + item : offset;
    if (start > size || length > size - start || end > length)
        return sn_reader_fail(
            &file->reader, v->at, SN_ERROR_FORMAT,
            "bufferView %lld does not hold %lld items of %lld bytes: it has %lld bytes, and the buffer "
            "%lld",
            (long long)view, (long long)count, (long long)item, (long long)length, (long long)size);
    *bytes = from->bytes + start + offset;
    return SN_OK;
}

static SnStatus read_type(const SnGltf* file, const SnJson* owner, const Type** type)
{
    int64_t code;
    SN_TRY(sn_json_integer(&file->reader, owner, "componentType", 5120, 5126, 0, &code));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == code) {
            *type = &types[i];
            return SN_OK;
        }
    return sn_reader_fail(&file->reader, owner->at, SN_ERROR_FORMAT, "an accessor has no known \"componentType\"");
}

static SnStatus read_view(const SnGltf* file, const SnJson* owner, const Type* type, int components, int count,
                          bool normalised, double* values)
{
    const unsigned char* bytes = NULL;
    int64_t view, offset, stride;
    SN_TRY(sn_json_integer(&file->reader, owner, "bufferView", 0, INT32_MAX, -1, &view));
    if (view < 0 || count == 0) return SN_OK; // zeros
    SN_TRY(sn_json_integer(&file->reader, owner, "byteOffset", 0, (int64_t)1 << 40, 0, &offset));
    // Columns of matrices of small numbers would begin at multiples of four; those have floats.
    SN_TRY(view_bytes(file, view, offset, count, (int64_t)components * type->size, &bytes, &stride));
    for (int i = 0; i < count; i++)
        for (int c = 0; c < components; c++)
            values[(size_t)i * (size_t)components + (size_t)c] =
                number_at(bytes + i * stride + c * type->size, type, normalised);
    return SN_OK;
}

// Some of the items are given apart, by their numbers.
static SnStatus read_sparse(const SnGltf* file, const SnJson* sparse, const Type* type, int components, int count,
                            bool normalised, double* values)
{
    const SnJson *indices = sn_json_find(sparse, "indices"), *items = sn_json_find(sparse, "values");
    const Type* index_type = NULL;
    int64_t given;
    double *places = NULL, *others = NULL;
    SN_TRY(sn_json_integer(&file->reader, sparse, "count", 0, count, 0, &given));
    if (given == 0) return SN_OK;
    if (!indices || !items)
        return sn_reader_fail(&file->reader, sparse->at, SN_ERROR_FORMAT,
                              "\"sparse\" needs \"indices\" and \"values\"");
    SN_TRY(read_type(file, indices, &index_type));
    SnStatus status = SN_ERROR_MEMORY;
    if (SN_NEW(places, given, "an accessor") && SN_NEW(others, given * components, "an accessor"))
        status = read_view(file, indices, index_type, 1, (int)given, false, places);
    if (status == SN_OK) status = read_view(file, items, type, components, (int)given, normalised, others);
    for (int64_t i = 0; status == SN_OK && i < given; i++) {
        if (!(places[i] >= 0 && places[i] < count))
            status = sn_reader_fail(&file->reader, indices->at, SN_ERROR_FORMAT, "item %.0f of %d is given apart",
                                    places[i], count);
        else
            memcpy(values + (size_t)places[i] * (size_t)components, others + i * components,
                   (size_t)components * sizeof *values);
    }
    SN_FREE(places, others);
    return status;
}

SnStatus sn_gltf_numbers(const SnGltf* file, int64_t accessor, int components, double** values, int* count)
{
    static const char* const names[] = {[1] = "SCALAR", [2] = "VEC2", [3] = "VEC3", [4] = "VEC4", [16] = "MAT4"};
    const SnJson* a;
    const Type* type = NULL;
    int64_t items;
    *values = NULL, *count = 0;
    SN_TRY(sn_gltf_item(file, "accessors", accessor, &a));
    SN_TRY(read_type(file, a, &type));
    if (strcmp(sn_json_text(a, "type", ""), names[components]) != 0)
        return sn_reader_fail(&file->reader, a->at, SN_ERROR_FORMAT, "accessor %lld must be of \"type\" %s",
                              (long long)accessor, names[components]);
    SN_TRY(sn_json_integer(&file->reader, a, "count", 0, SN_MESH_MOST, 0, &items));
    const SnJson *view = sn_json_find(a, "bufferView"), *sparse = sn_json_find(a, "sparse"),
                 *normalised = sn_json_find(a, "normalized");
    size_t room = 0; // what the file can hold: an accessor without a view would be all zeros
    for (int i = 0; i < file->buffer_count; i++) room += file->buffers[i].size;
    if ((uint64_t)items > (view ? room : room + file->reader.size))
        return sn_reader_fail(&file->reader, a->at, SN_ERROR_FORMAT,
                              "%lld items are announced, but the buffers have %zu "
                              "bytes",
                              (long long)items, room);
    if (!SN_NEW(*values, items * components, "an accessor")) return SN_ERROR_MEMORY;
    bool scaled = normalised && normalised->number != 0;
    SnStatus status = read_view(file, a, type, components, (int)items, scaled, *values);
    if (status == SN_OK && sparse) status = read_sparse(file, sparse, type, components, (int)items, scaled, *values);
    if (status != SN_OK) sn_free(*values), *values = NULL;
    *count = status == SN_OK ? (int)items : 0;
    return status;
}
