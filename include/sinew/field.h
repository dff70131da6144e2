// Fields: what elements bear and nodes do, as numbers of each.
#ifndef SINEW_FIELD_H
#define SINEW_FIELD_H

#include <sinew/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnFieldPlace {
    SN_FIELD_ELEMENTS, // bodies one after the other: of each its tetrahedra, without these its triangles, or its edges
    SN_FIELD_NODES,    // of what elements bear: the mean over those of the node, by their volumes at rest
} SnFieldPlace;

typedef struct SnFieldInfo {
    const char *name, *summary, *unit; // as `sinew list fields` has them
    int components;
    bool of_nodes; // elements have none of it
} SnFieldInfo;

SN_API int sn_field_count(void);
SN_API SnStatus sn_field_at(int index, SnFieldInfo* info);
SN_API SnStatus sn_field_named(const char* name, SnFieldInfo* info);

SN_API int sn_world_element_count(const SnWorld* world);
// At the present positions: components x count numbers. Stresses are those of the materials, without what damping adds.
SN_API SnStatus sn_world_field(SnWorld* world, const char* name, SnFieldPlace place, double* values);

#ifdef __cplusplus
}
#endif
#endif
