// The formats of point caches, in the order in which they are listed.
#include "mesh/point_cache.h"

#define FORMAT_LIST(X) X(pc2) X(mdd) X(gltf) X(usda)

#define DECLARE(name) extern const SnPointCacheFormat sn_point_cache_##name;
FORMAT_LIST(DECLARE)

#define ROW(name) &sn_point_cache_##name,
const SnTable sn_point_cache_format_table = {.noun = "format of point caches",
                                             .rows = (const void* const[]){FORMAT_LIST(ROW) NULL}};
