// Probes: what is measured at the end of each step, as numbers with a name.
#ifndef SINEW_PROBE_H
#define SINEW_PROBE_H

#include <sinew/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is not of its kind is not looked at.
typedef struct SnProbeDef {
    const char* name; // copied; NULL: "probe N"
    const char* what; // a name of `sinew list probes` or of `sinew list fields`
    const char* take; // of several nodes or elements: "mean", "min" or "max", of each component
    SnPlaceDef where; // of fields, position, distance, angle; of volume and area the body alone
    SnPlaceDef to;    // of distance and angle: the other end
    SnPlaceDef at;    // of angle: its corner
    // Of forces: who exerts them; one of these, others -1. Contacts of a body with another exert them on the first one.
    int handle, obstacle, load, attachment;
    int pair[2];
} SnProbeDef;

SN_API SnProbeDef sn_default_probe_def(const char* what);
// After the bodies, handles, obstacles and loads that it names, and before the first step.
SN_API SnStatus sn_world_add_probe(SnWorld* world, const SnProbeDef* def, int* probe); // probe may be NULL

// A number that is measured. A probe has one or several; their values are in SnStepReport.values, in the same order.
typedef struct SnValueInfo {
    const char* name;      // of the probe
    const char* what;      // "displacement"; of a reaction "force", "torque" and "work"
    const char* component; // "x", "xy"; "" where there is one number only
    const char* unit;      // "" for none
} SnValueInfo;

SN_API int sn_world_value_count(const SnWorld* world);
SN_API SnStatus sn_world_value(const SnWorld* world, int value, SnValueInfo* info); // valid while the world lives

#ifdef __cplusplus
}
#endif
#endif
