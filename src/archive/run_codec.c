// Frames as bytes: numbers as they are, or compressed by zlib at its fastest level.
#include "archive/run_database.h"

#include <string.h>
#include <zlib.h>

#include "core/sanitizer.h"

SnStatus sn_run_pack(SnRunFile* run, int slot, const void* values, size_t raw, const void** bytes, size_t* size)
{
    RunBuffer* buffer = &run->packed[slot];
    *bytes = values;
    *size = raw;
    if (!run->compress) return SN_OK;
    uLongf packed = compressBound(raw);
    if (!SN_GROW(buffer->bytes, buffer->capacity, (int64_t)packed, "a compressed frame")) return SN_ERROR_MEMORY;
    if (compress2(buffer->bytes, &packed, values, raw, Z_BEST_SPEED) != Z_OK)
        return sn_fail_memory("compressing a frame", raw);
    *bytes = buffer->bytes;
    *size = packed;
    return SN_OK;
}

SnStatus sn_run_unpack(const SnRunFile* run, const void* bytes, size_t size, void* values, size_t raw, const char* what)
{
    if (!run->compress) {
        if (size != raw)
            return sn_fail(SN_ERROR_FORMAT, "%s: %s have %zu bytes and should have %zu; the file is damaged", run->path,
                           what, size, raw);
        if (raw) memcpy(values, bytes, raw);
        return SN_OK;
    }
    uLongf got = raw;
    Bytef nothing;
    int code = uncompress(raw ? values : &nothing, &got, bytes, size);
    SN_WRITTEN(values, raw);
    if (code == Z_MEM_ERROR) return sn_fail_memory("decompressing a frame", raw);
    if (code != Z_OK || got != raw)
        return sn_fail(SN_ERROR_FORMAT, "%s: %s do not decompress to %zu bytes (zlib); the file is damaged", run->path,
                       what, raw);
    return SN_OK;
}
