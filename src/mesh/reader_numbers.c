// Numbers from a file in memory: decimal text, exact and the same in every locale, and binary of either byte order.
#include "mesh/reader.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 32 }; // as much of a wrong word as a message shows

static SnStatus expected(SnReader* reader, const char* what)
{
    SnWord word;
    if (!sn_peek_word(reader, &word)) return sn_malformed(reader, "the file ends where %s should be", what);
    char shown[SHOWN + 1] = {0};
    for (int i = 0; i < word.length && i < SHOWN; i++)
        shown[i] = isprint((unsigned char)word.text[i]) ? word.text[i] : '?';
    return sn_malformed(reader, "%s should be here, not '%s'", what, shown);
}

static bool ends_word(const SnReader* reader, const char* at)
{
    return at >= reader->end || *at == ' ' || (*at >= '\t' && *at <= '\r') ||
           (reader->comment && *at == reader->comment);
}

SnStatus sn_read_integer(SnReader* reader, int64_t lo, int64_t hi, int64_t* value, const char* what)
{
    sn_skip_space(reader);
    const char* at = reader->at;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    const char* digits = at;
    uint64_t n = 0;
    bool too_large = false;
    for (; *at >= '0' && *at <= '9'; at++) { // the NUL after the file ends this
        too_large |= n > (UINT64_MAX - 9) / 10;
        n = 10 * n + (uint64_t)(*at - '0');
    }
    if (at == digits || !ends_word(reader, at)) return expected(reader, what);
    too_large |= n > INT64_MAX;
    *value = too_large ? 0 : negative ? -(int64_t)n : (int64_t)n;
    if (too_large || *value < lo || *value > hi)
        return sn_malformed(reader, "%s is %.*s, outside %lld .. %lld", what,
                            at - reader->at > SHOWN ? SHOWN : (int)(at - reader->at), reader->at, (long long)lo,
                            (long long)hi);
    reader->at = at;
    return SN_OK;
}

SnStatus sn_read_count(SnReader* reader, size_t bytes, int* count, const char* what)
{
    int64_t value;
    sn_skip_space(reader);
    const char* where = reader->at;
    SN_TRY(sn_read_integer(reader, 0, INT32_MAX / 8, &value, what));
    SnReader before = *reader;
    before.at = where;
    SN_TRY(sn_reader_fits(&before, value, bytes, what));
    *count = (int)value;
    return SN_OK;
}

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Decimal to double when both the digits and the power of ten are exact in double, so that one rounding remains
// (Clinger 1990); false for the rest. Reads digits, a fraction and an exponent, as strtod would.
static bool quick_real(const char* at, const char** after, double* value)
{
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    uint64_t n = 0;
    int digits = 0, exponent = 0;
    for (; *at >= '0' && *at <= '9'; at++, digits++) n = 10 * n + (uint64_t)(*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++, digits++, exponent--) n = 10 * n + (uint64_t)(*at - '0');
    if (digits == 0 || digits > 19 || n > (1ull << 53)) return false;
    if (*at == 'e' || *at == 'E') {
        const char* e = at + 1;
        bool down = *e == '-';
        if (*e == '-' || *e == '+') e++;
        int power = 0, power_digits = 0;
        for (; *e >= '0' && *e <= '9' && power_digits < 5; e++, power_digits++) power = 10 * power + (*e - '0');
        if (power_digits == 0 || power_digits == 5) return false;
        exponent += down ? -power : power;
        at = e;
    }
    if (exponent < -22 || exponent > 22) return false;
    double x = exponent < 0 ? (double)n / powers[-exponent] : (double)n * powers[exponent];
    *value = negative ? -x : x;
    *after = at;
    return true;
}

bool sn_take_real(SnReader* reader, double* value)
{
    sn_skip_space(reader);
    const char* after;
    if (!quick_real(reader->at, &after, value)) {
        char* end;
        *value = strtod_l(reader->at, &end, reader->locale);
        after = end;
    }
    bool found = after > reader->at;
    reader->at = after;
    return found;
}

SnStatus sn_read_real(SnReader* reader, double* value, const char* what)
{
    sn_skip_space(reader);
    const char* before = reader->at;
    if (sn_take_real(reader, value) && ends_word(reader, reader->at)) return SN_OK;
    reader->at = before;
    return expected(reader, what);
}

size_t sn_number_size(SnNumberType type)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

SnStatus sn_read_bytes(SnReader* reader, size_t count, const void** bytes, const char* what)
{
    if ((size_t)(reader->end - reader->at) < count)
        return sn_malformed(reader, "the file ends where %s should be", what);
    *bytes = reader->at;
    reader->at += count;
    return SN_OK;
}

static uint64_t gather(const unsigned char* bytes, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits |= (uint64_t)bytes[i] << 8 * (big_endian ? size - 1 - i : i);
    return bits;
}

SnStatus sn_read_binary_integer(SnReader* reader, SnNumberType type, int64_t* value, const char* what)
{
    if (type >= SN_FLOAT32) {
        double real;
        const char* where = reader->at;
        SN_TRY(sn_read_binary_real(reader, type, &real, what));
        if (!(real >= -0x1p53 && real <= 0x1p53) || real != (double)(int64_t)real)
            return sn_reader_fail(reader, where, SN_ERROR_FORMAT, "%s is %g, not a whole number", what, real);
        *value = (int64_t)real;
        return SN_OK;
    }
    const void* bytes = NULL;
    size_t size = sn_number_size(type);
    SN_TRY(sn_read_bytes(reader, size, &bytes, what));
    uint64_t bits = gather(bytes, size, reader->big_endian);
    int unused = 64 - 8 * (int)size;
    bool is_signed = type == SN_INT8 || type == SN_INT16 || type == SN_INT32 || type == SN_INT64;
    *value = is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
    if (type == SN_UINT64 && *value < 0)
        return sn_reader_fail(reader, bytes, SN_ERROR_FORMAT, "%s is %llu, too large", what, (unsigned long long)bits);
    return SN_OK;
}

SnStatus sn_read_binary_real(SnReader* reader, SnNumberType type, double* value, const char* what)
{
    if (type < SN_FLOAT32) {
        int64_t integer;
        SN_TRY(sn_read_binary_integer(reader, type, &integer, what));
        *value = (double)integer;
        return SN_OK;
    }
    const void* bytes = NULL;
    size_t size = sn_number_size(type);
    SN_TRY(sn_read_bytes(reader, size, &bytes, what));
    uint64_t bits = gather(bytes, size, reader->big_endian);
    uint32_t low = (uint32_t)bits;
    float single;
    memcpy(&single, &low, sizeof single);
    memcpy(value, &bits, sizeof *value);
    if (type == SN_FLOAT32) *value = single;
    return SN_OK;
}

SnStatus sn_read_typed_integer(SnReader* reader, SnNumberType type, int64_t* value, const char* what)
{
    if (reader->binary) return sn_read_binary_integer(reader, type, value, what);
    return sn_read_integer(reader, INT64_MIN, INT64_MAX, value, what);
}

SnStatus sn_read_typed_real(SnReader* reader, SnNumberType type, double* value, const char* what)
{
    return reader->binary ? sn_read_binary_real(reader, type, value, what) : sn_read_real(reader, value, what);
}

SnStatus sn_reader_fits_typed(const SnReader* reader, int64_t count, SnNumberType type, const char* what)
{
    return sn_reader_fits(reader, count, reader->binary ? sn_number_size(type) : 2, what);
}
