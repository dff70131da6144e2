// Frames as bytes: float64 values as they are, or compressed by zlib at its fastest level.
#include "archive/run_database.h"

#include <string.h>
#include <zlib.h>

SnStatus sn_run_pack(SnRunFile* run, int slot, const double* values, size_t count, const void** bytes, size_t* size)
{
    RunBuffer* buffer = &run->packed[slot];
    size_t raw = count * sizeof(double);
    *bytes = values;
    *size = raw;
    if (!run->compress) return SN_OK;
    uLongf packed = compressBound(raw);
    if (!SN_GROW(buffer->bytes, buffer->capacity, (int64_t)packed, "a compressed frame")) return SN_ERROR_MEMORY;
    if (compress2(buffer->bytes, &packed, (const Bytef*)values, raw, Z_BEST_SPEED) != Z_OK)
        return sn_fail_memory("compressing a frame", raw);
    *bytes = buffer->bytes;
    *size = packed;
    return SN_OK;
}

SnStatus sn_run_unpack(const SnRunFile* run, const void* bytes, size_t size, double* values, size_t count,
                       const char* what)
{
    size_t raw = count * sizeof(double);
    if (!run->compress) {
        if (size != raw)
            return sn_fail(SN_ERROR_FORMAT,
                           "%s: %s have %zu bytes where the meshes' %zu nodes need %zu; the file is damaged", run->path,
                           what, size, count / 3, raw);
        if (raw) memcpy(values, bytes, raw);
        return SN_OK;
    }
    uLongf got = raw;
    Bytef nothing;
    int code = uncompress(raw ? (Bytef*)values : &nothing, &got, bytes, size);
    if (code == Z_MEM_ERROR) return sn_fail_memory("decompressing a frame", raw);
    if (code != Z_OK || got != raw)
        return sn_fail(SN_ERROR_FORMAT, "%s: %s do not decompress to %zu bytes (zlib); the file is damaged", run->path,
                       what, raw);
    return SN_OK;
}
