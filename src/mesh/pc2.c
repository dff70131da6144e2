// PC2 point caches: "POINTCACHE2\0", version, points, first frame, frames per sample, samples; then float32 x y z.
#include <math.h>
#include <string.h>

#include "mesh/binary_points.h"

static SnStatus read_header(SnReader* r, double rate, SnPointCache** cache)
{
    const void* magic;
    int64_t version, points, samples;
    double first, stride;
    SN_TRY(sn_read_bytes(r, 12, &magic, "the word POINTCACHE2"));
    if (memcmp(magic, "POINTCACHE2", 12) != 0)
        return sn_reader_fail(r, r->bytes, SN_ERROR_FORMAT, "a PC2 file starts with POINTCACHE2");
    SN_TRY(sn_read_binary_integer(r, SN_INT32, &version, "the version"));
    SN_TRY(sn_read_binary_integer(r, SN_INT32, &points, "the number of points"));
    SN_TRY(sn_read_binary_real(r, SN_FLOAT32, &first, "the first frame"));
    SN_TRY(sn_read_binary_real(r, SN_FLOAT32, &stride, "the frames per sample"));
    SN_TRY(sn_read_binary_integer(r, SN_INT32, &samples, "the number of samples"));
    if (version != 1) return sn_malformed(r, "PC2 of version %lld; version 1 is known", (long long)version);
    if (!(stride > 0 && isfinite(stride)))
        return sn_malformed(r, "%g frames per sample; there must be more than 0", stride);
    return sn_binary_points_read(r, points, samples, rate / stride, NULL, cache);
}

static SnStatus read(const char* path, double rate, SnPointCache** cache)
{
    SnReader r;
    SN_TRY(sn_reader_open(&r, path));
    r.binary = true;
    SnStatus status = read_header(&r, rate, cache);
    sn_reader_close(&r);
    return status;
}

const SnPointCacheFormat sn_point_cache_pc2 = {
    .name = "pc2",
    .endings = ".pc2",
    .summary = "PC2 point cache; it has no times, `rate` says how many of its frames make a second",
    .read = read,
};
