// The numbers of arrays of VTK's XML files: as text; in base 64 within the file; or appended to it, raw or in base 64;
// the binary ones also in blocks compressed by zlib.
#include <string.h>
#include <zlib.h>

#include "core/sanitizer.h"
#include "mesh/vtu.h"

// --- bytes ---

typedef struct Bytes {
    unsigned char* data;
    size_t size;
    bool owned;
} Bytes;

// A reader over bytes in memory, which is not to be closed.
static SnReader over(const SnVtuFile* f, const unsigned char* data, size_t size)
{
    static char nothing[1];
    SnReader r = f->reader;
    r.bytes = data ? (char*)data : nothing;
    r.size = size, r.at = r.bytes, r.end = r.bytes + size, r.binary = true;
    return r;
}

static bool header_number(SnReader* r, const SnVtuFile* f, int64_t* value)
{
    return sn_read_binary_integer(r, f->header, value, "a length") == SN_OK && *value >= 0;
}

// Base 64, at most `most` bytes of it. Padding ends a group and not the text: the header has a group of its own.
static SnStatus decode(const char* text, const char* end, size_t most, Bytes* out)
{
    size_t room = (size_t)(end - text) / 4 * 3 + 4;
    sn_free(out->data);
    *out = (Bytes){.owned = true};
    if (!SN_NEW(out->data, most < room ? most : room, "an array")) return SN_ERROR_MEMORY;
    unsigned bits = 0;
    int count = 0;
    for (; text < end && out->size < most; text++) {
        int digit = sn_base64_digit(*text);
        if (*text == '=') count = 0;
        if (*text == '=' || *text == ' ' || (*text >= '\t' && *text <= '\r')) continue;
        if (digit < 0) break;
        bits = bits << 6 | (unsigned)digit;
        if (++count % 4 != 1) out->data[out->size++] = (unsigned char)(bits >> (6 - 2 * ((count - 1) % 4)));
    }
    return SN_OK;
}

// How many bytes an array takes, as far as its beginning tells; never more than the file can hold.
static size_t needed(const SnVtuFile* f, const Bytes* in)
{
    SnReader r = over(f, in->data, in->size);
    int64_t most = (int64_t)f->reader.size, width = (int64_t)sn_number_size(f->header), count, number, sum;
    if (!header_number(&r, f, &count)) return 0;
    if (!f->compressed) return (size_t)(width + (count < most ? count : most));
    sum = width * (3 + (count < most / width ? count : most / width));
    if ((int64_t)in->size < sum) return (size_t)sum;
    r.at += 2 * width;
    for (int64_t i = 0; i < count && sum < most && header_number(&r, f, &number); i++)
        sum += number < most ? number : most;
    return (size_t)sum;
}

static SnStatus decode_all(const SnVtuFile* f, const char* text, const char* end, Bytes* out)
{
    for (size_t most = 24, before = 0; most > before; before = most, most = needed(f, out)) {
        SN_TRY(decode(text, end, most, out));
        if (out->size < most) break;
    }
    return SN_OK;
}

static SnStatus find_bytes(SnVtuFile* f, const SnVtuArray* a, Bytes* out)
{
    *out = (Bytes){0};
    if (sn_word_is(a->format, "binary")) return decode_all(f, a->text, a->last, out);
    if (!f->appended || a->offset < 0 || a->offset >= f->reader.end - f->appended)
        return sn_reader_fail(&f->reader, a->where, SN_ERROR_FORMAT, "the array's data are beyond the file's end");
    const char* start = f->appended + a->offset;
    if (!f->appended_raw) return decode_all(f, start, f->reader.end, out);
    *out = (Bytes){(unsigned char*)start, (size_t)(f->reader.end - start), false};
    return SN_OK;
}

// --- blocks ---

static SnStatus damaged(const SnVtuFile* f, const SnVtuArray* a, const char* what)
{
    return sn_reader_fail(&f->reader, a->where, SN_ERROR_FORMAT, "the array \"%.*s\" %s",
                          a->name.length < 64 ? a->name.length : 64, a->name.text, what);
}

// The number of blocks, their size, that of the last (0: as the others), the size of each compressed; then these.
static SnStatus unpack(const SnVtuFile* f, const SnVtuArray* a, const Bytes* in, Bytes* out)
{
    enum { BEST = 1032 }; // as much as zlib gains at most
    SnReader r = over(f, in->data, in->size);
    int64_t blocks, size, last, packed;
    *out = (Bytes){.owned = true};
    if (!header_number(&r, f, &blocks) || !header_number(&r, f, &size) || !header_number(&r, f, &last) ||
        blocks > (int64_t)(in->size / sn_number_size(f->header)))
        return damaged(f, a, "has no good header of its blocks");
    if (last == 0) last = size;
    int64_t most = BEST * (int64_t)in->size, total = 0;
    if (blocks > 0 && (last > most || size > INT64_MAX / 2 / blocks || (total = (blocks - 1) * size + last) > most))
        return damaged(f, a, "announces more than its blocks can hold");
    const char* data = r.at + blocks * (int64_t)sn_number_size(f->header);
    if (!SN_NEW(out->data, total, "an array")) return SN_ERROR_MEMORY;
    for (int64_t b = 0; b < blocks; b++) {
        uLongf got = (uLongf)(b + 1 < blocks ? size : last), wanted = got;
        if (!header_number(&r, f, &packed) || packed > r.end - data) return damaged(f, a, "is cut off");
        if (uncompress(out->data + out->size, &got, (const Bytef*)data, (uLong)packed) != Z_OK || got != wanted)
            return damaged(f, a, "does not decompress (zlib)");
        SN_WRITTEN(out->data + out->size, got);
        data += packed, out->size += got;
    }
    return SN_OK;
}

static SnStatus plain(const SnVtuFile* f, const SnVtuArray* a, const Bytes* in, Bytes* out)
{
    SnReader r = over(f, in->data, in->size);
    int64_t size;
    if (!header_number(&r, f, &size) || size > r.end - r.at) return damaged(f, a, "is cut off");
    *out = (Bytes){(unsigned char*)r.at, (size_t)size, false};
    return SN_OK;
}

static SnStatus take_binary(const SnVtuFile* f, const SnVtuArray* a, const Bytes* in, double** values, int64_t* count)
{
    Bytes raw = {0};
    SnStatus status = f->compressed ? unpack(f, a, in, &raw) : plain(f, a, in, &raw);
    *count = status == SN_OK ? (int64_t)(raw.size / sn_number_size(a->type)) : 0;
    if (status == SN_OK && !SN_NEW(*values, *count, "an array")) status = SN_ERROR_MEMORY;
    SnReader r = over(f, raw.data, raw.size);
    for (int64_t i = 0; status == SN_OK && i < *count; i++)
        status = sn_read_binary_real(&r, a->type, &(*values)[i], "a number");
    if (raw.owned) sn_free(raw.data);
    return status;
}

static SnStatus take_text(SnVtuFile* f, const SnVtuArray* a, double** values, int64_t* count)
{
    int capacity = 0;
    SnReader r = f->reader;
    r.at = a->text, r.end = a->last;
    for (sn_skip_space(&r); r.at < r.end; sn_skip_space(&r)) {
        double value;
        SN_TRY(sn_take_real(&r, &value) ? SN_OK : sn_malformed(&r, "a number should be here"));
        if (!SN_GROW(*values, capacity, *count + 1, "an array")) return SN_ERROR_MEMORY;
        (*values)[(*count)++] = value;
    }
    return SN_OK;
}

SnStatus sn_vtu_numbers(SnVtuFile* f, const SnVtuArray* a, double** values, int64_t* count)
{
    SnStatus status;
    Bytes in = {0};
    *values = NULL, *count = 0;
    if (sn_word_is(a->format, "ascii")) {
        status = take_text(f, a, values, count);
    } else {
        status = find_bytes(f, a, &in);
        if (status == SN_OK) status = take_binary(f, a, &in, values, count);
    }
    if (in.owned) sn_free(in.data);
    if (status != SN_OK) sn_free(*values), *values = NULL;
    return status;
}
