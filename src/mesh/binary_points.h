// The part that PC2 and MDD share: float32 triples of all frames to the end of the file.
#pragma once
#include "mesh/point_cache.h"
#include "mesh/reader.h"

// times: where in the file the time of each frame is, as float32; NULL: by the rate.
SnStatus sn_binary_points_read(SnReader* reader, int64_t points, int64_t frames, double rate, const char* times,
                               SnPointCache** cache);
