// Point caches: by their ending, and between their frames.
#include "mesh/point_cache.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "mesh/reader.h"

SnStatus sn_point_cache_load(const char* path, double rate, SnPointCache** cache)
{
    const char *dot = strrchr(path, '.'), *ending = dot && !strchr(dot, '/') ? dot : "";
    char known[256] = "";
    *cache = NULL;
    for (int i = 0; sn_point_cache_format_at(i); i++) {
        const SnPointCacheFormat* format = sn_point_cache_format_at(i);
        if (!sn_is_one_of_endings(format->endings, ending)) {
            sn_append(known, sizeof known, "%s%s", known[0] ? " " : "", format->endings);
            continue;
        }
        SnStatus status = format->read(path, rate, cache);
        return status == SN_ERROR_MEMORY ? sn_fail_prefix(status, "%s", path) : status;
    }
    return sn_fail(SN_ERROR_UNSUPPORTED, "%s: unknown ending '%s' of a point cache; known are %s", path, ending, known);
}

SnStatus sn_point_cache_create(int point_count, int frame_count, double rate, SnPointCache** out)
{
    SnPointCache* cache;
    *out = NULL;
    if (!SN_NEW(cache, 1, "a point cache")) return SN_ERROR_MEMORY;
    cache->point_count = point_count, cache->frame_count = frame_count;
    bool made = SN_NEW(cache->times, frame_count, "a point cache") &&
                SN_NEW(cache->points, 3 * (int64_t)frame_count * point_count, "a point cache");
    for (int i = 0; made && i < frame_count; i++) cache->times[i] = i / rate;
    SN_FINISH(made ? SN_OK : SN_ERROR_MEMORY, cache, sn_point_cache_destroy, out);
}

void sn_point_cache_destroy(SnPointCache* cache)
{
    if (cache) SN_FREE(cache->times, cache->points, cache);
}

// The last frame that is not after the time, and how far on the way to the next it is.
static int place(const SnPointCache* cache, double time, double* part)
{
    int lo = 0, hi = cache->frame_count - 1;
    *part = 0;
    if (!(time > cache->times[0])) return 0;
    if (time >= cache->times[hi]) return hi;
    while (hi - lo > 1) {
        int middle = (lo + hi) / 2;
        if (cache->times[middle] <= time)
            lo = middle;
        else
            hi = middle;
    }
    *part = (time - cache->times[lo]) / (cache->times[hi] - cache->times[lo]);
    return lo;
}

static const double* point_of(const SnPointCache* cache, int frame, int point)
{
    return cache->points + 3 * ((int64_t)frame * cache->point_count + point);
}

void sn_point_cache_choose(SnPointCache* cache, int count, const int* chosen)
{
    for (int64_t f = 0; f < cache->frame_count; f++)
        for (int64_t k = 0; k < count; k++)
            memmove(cache->points + 3 * (f * count + k), cache->points + 3 * (f * cache->point_count + chosen[k]),
                    3 * sizeof *cache->points);
    cache->point_count = count;
}

void sn_point_cache_at(const SnPointCache* cache, double time, int point, double x[3])
{
    double part;
    int frame = place(cache, time, &part);
    const double *a = point_of(cache, frame, point), *b = part > 0 ? point_of(cache, frame + 1, point) : a;
    for (int c = 0; c < 3; c++) x[c] = (1 - part) * a[c] + part * b[c];
}

void sn_point_cache_speed(const SnPointCache* cache, double time, double lean, int point, double v[3])
{
    double part, at = time + lean;
    int last = cache->frame_count - 1;
    memset(v, 0, 3 * sizeof *v);
    if (at < cache->times[0] || at >= cache->times[last]) return;
    int frame = place(cache, at, &part);
    const double *a = point_of(cache, frame, point), *b = point_of(cache, frame + 1, point);
    double length = cache->times[frame + 1] - cache->times[frame];
    for (int c = 0; c < 3; c++) v[c] = (b[c] - a[c]) / length;
}
