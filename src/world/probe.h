// Probes as the model has them, and their kinds.
//
// A kind is a row of the table in world/probe_table.c: the numbers that it has, what it is of, and how they are found.
// Fields (world/field.h) are kinds, too: their mean, or least or most, over nodes or elements.
#pragma once
#include <sinew/probe.h>

#include "core/table.h"
#include "world/field.h"

enum { SN_PROBE_MOST = 12 }; // numbers of a probe

// What a probe is of.
enum {
    SN_PROBE_WHERE = 1,     // nodes
    SN_PROBE_TO = 2,        // nodes at the other end
    SN_PROBE_AT = 4,        // nodes at the corner
    SN_PROBE_BODY = 8,      // a whole body
    SN_PROBE_BY = 16,       // a handle, an obstacle, a load or two bodies
    SN_PROBE_WORKS = 32,    // of these, one that does work
    SN_PROBE_TOUCH = 64,    // an obstacle or two bodies
    SN_PROBE_CLOSED = 128,  // a body that encloses a volume
    SN_PROBE_CHAMBER = 256, // a load that fills a chamber
};

typedef struct SnValue {
    const char *what, *component, *unit; // what NULL: the name of the probe's kind
} SnValue;

struct SnProbe;
typedef struct SnProbeType {
    const char *name, *summary;
    int of; // SN_PROBE_...
    int count;
    SnValue values[SN_PROBE_MOST];
    void (*read)(SnWorld* world, const struct SnProbe* probe, double* out);
} SnProbeType;

SN_TABLE(SnProbeType, probe_type)

typedef enum SnTake { SN_TAKE_MEAN, SN_TAKE_MIN, SN_TAKE_MAX } SnTake;

// Nodes of the world.
typedef struct SnProbePlace {
    int count;
    int* nodes;
} SnProbePlace;

typedef struct SnProbe {
    char* name;
    const SnProbeType* type; // one of them
    const SnField* field;
    SnProbeDef def; // without texts and nodes
    SnTake take;
    SnProbePlace where, to, at;
    int element_count;
    int* elements; // of the world: of a field of elements
    int first;     // of its values
    int work;      // its account among the state's works; -1: none
} SnProbe;

void sn_probe_free(SnProbe* probe);
int sn_probe_count(const SnProbe* probe); // of its values
SnValue sn_probe_value(const SnProbe* probe, int index);
// The kinds' common part: what a name of the table or of a field is of; 0: there is no such kind.
int sn_probe_is_of(const char* what);

// What probes share within a step.
typedef struct SnMeasured {
    double* values; // value_count
    int capacity;   // of these
    // Made with the problem; NULL: nobody asks.
    SnBorne* borne;                 // element_count
    double *numbers, *force, *drag; // 6, 3 and 1 x node_count: a field of nodes, a load
} SnMeasured;
