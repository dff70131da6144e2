// float32 triples of all frames.
#include "mesh/binary_points.h"

#include <math.h>

#include "mesh/elements.h"

static SnStatus read_times(SnReader* r, const char* times, SnPointCache* cache)
{
    const char* after = r->at;
    r->at = times;
    for (int i = 0; i < cache->frame_count; i++) {
        SN_TRY(sn_read_binary_real(r, SN_FLOAT32, &cache->times[i], "the time of a frame"));
        if (!isfinite(cache->times[i]) || (i > 0 && !(cache->times[i] > cache->times[i - 1])))
            return sn_reader_fail(r, r->at - 4, SN_ERROR_FORMAT,
                                  "frame %d is at %g s; times must increase from frame to frame", i, cache->times[i]);
    }
    r->at = after;
    return SN_OK;
}

static SnStatus read_points(SnReader* r, SnPointCache* cache)
{
    for (int64_t i = 0; i < 3 * (int64_t)cache->frame_count * cache->point_count; i++) {
        SN_TRY(sn_read_binary_real(r, SN_FLOAT32, &cache->points[i], "a coordinate"));
        if (!isfinite(cache->points[i]))
            return sn_reader_fail(r, r->at - 4, SN_ERROR_FORMAT, "point %lld of frame %lld is not at a finite place",
                                  (long long)(i / 3 % cache->point_count), (long long)(i / 3 / cache->point_count));
    }
    return SN_OK;
}

SnStatus sn_binary_points_read(SnReader* r, int64_t points, int64_t frames, double rate, const char* times,
                               SnPointCache** cache)
{
    *cache = NULL;
    if (points < 1 || points > SN_MESH_MOST || frames < 1)
        return sn_malformed(r, "%lld points in %lld frames; there must be at least one of each", (long long)points,
                            (long long)frames);
    SN_TRY(sn_reader_fits(r, frames, 12 * (size_t)points, "frames"));
    SN_TRY(sn_point_cache_create((int)points, (int)frames, rate, cache));
    SnStatus status = times ? read_times(r, times, *cache) : SN_OK;
    if (status == SN_OK) status = read_points(r, *cache);
    if (status != SN_OK) sn_point_cache_destroy(*cache), *cache = NULL;
    return status;
}
