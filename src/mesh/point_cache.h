// Point caches: where the vertices of a mesh are, frame after frame. One format is one file with a const struct, and a
// row in point_cache_table.c.
#pragma once
#include "core/table.h"
#include "mesh/mesh.h"

typedef struct SnPointCache {
    int point_count, frame_count; // at least 1 each
    double* times;                // frame_count, s, increasing; from 0 on
    double* points;               // frame_count x 3 x point_count
} SnPointCache;

typedef struct SnPointCacheFormat {
    const char* name;    // "pc2"
    const char* summary; // for `sinew list formats`
    const char* endings; // ".pc2", or several separated by spaces
    // rate: frames per second, of formats that do not say it, or whose motion is sampled.
    SnStatus (*read)(const char* path, double rate, SnPointCache** cache);
} SnPointCacheFormat;

SN_TABLE(SnPointCacheFormat, point_cache_format)

// By the path's ending.
SnStatus sn_point_cache_load(const char* path, double rate, SnPointCache** cache);
// With room for this many; points are 0, and times of the rate.
SnStatus sn_point_cache_create(int point_count, int frame_count, double rate, SnPointCache** cache);
void sn_point_cache_destroy(SnPointCache* cache); // NULL is fine
// Leaves these points of it, `chosen` in increasing order.
void sn_point_cache_choose(SnPointCache* cache, int count, const int* chosen);
// A point at a time, linear between frames and constant outside; and how fast it goes just after `time + lean`.
void sn_point_cache_at(const SnPointCache* cache, double time, int point, double x[3]);
void sn_point_cache_speed(const SnPointCache* cache, double time, double lean, int point, double v[3]);
