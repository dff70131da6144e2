// MDD point caches: frames, points, the time of each frame in seconds, then float32 x y z; all big-endian.
#include <math.h>

#include "mesh/binary_points.h"

static SnStatus read_all(SnReader* r, SnPointCache** cache)
{
    int64_t frames, points;
    SN_TRY(sn_read_binary_integer(r, SN_INT32, &frames, "the number of frames"));
    SN_TRY(sn_read_binary_integer(r, SN_INT32, &points, "the number of points"));
    const char* times = r->at;
    if (frames > 0) SN_TRY(sn_reader_fits(r, frames, 4, "times"));
    r->at += frames > 0 ? 4 * frames : 0;
    return sn_binary_points_read(r, points, frames, 1, times, cache);
}

static SnStatus read(const char* path, double rate, SnPointCache** cache)
{
    SnReader r;
    (void)rate;
    SN_TRY(sn_reader_open(&r, path));
    r.binary = r.big_endian = true;
    SnStatus status = read_all(&r, cache);
    sn_reader_close(&r);
    return status;
}

const SnPointCacheFormat sn_point_cache_mdd = {
    .name = "mdd",
    .endings = ".mdd",
    .summary = "MDD point cache, with its own times",
    .read = read,
};
