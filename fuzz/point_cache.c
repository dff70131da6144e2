// Point caches of every format: the first byte chooses it, the rest is the file. What is read is asked for places.
#include "mesh/point_cache.h"
#include "fuzz.h"

void fuzz_point_cache(const uint8_t* bytes, size_t size);

void fuzz_point_cache(const uint8_t* bytes, size_t size)
{
    if (size < 1) return;
    const SnPointCacheFormat* format = sn_point_cache_format_at(bytes[0] % sn_point_cache_format_count());
    SnBudget budget;
    fuzz_begin(&budget);
    SnPointCache* cache = NULL;
    if (format->read(fuzz_bytes(bytes + 1, size - 1), 5, &cache) == SN_OK) {
        FUZZ_CHECK(cache && cache->frame_count > 0 && cache->point_count > 0);
        for (int i = -1; i < cache->frame_count + 1; i++) {
            double x[3], v[3];
            sn_point_cache_at(cache, i / 7.0, cache->point_count - 1, x);
            sn_point_cache_speed(cache, i / 7.0, 1e-9, 0, v);
        }
    } else
        FUZZ_CHECK(*sn_last_error() && !cache);
    sn_point_cache_destroy(cache);
    fuzz_end(&budget);
}
