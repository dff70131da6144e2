// In what units and with which axis upwards coordinates are: of a scene, a run's frames, and exported files.
#pragma once
#include "core/status.h"

typedef struct SnConvention {
    double metres; // that one unit of length is; 0: 1
    bool z_up;     // otherwise y is
} SnConvention;

// "m", "cm" or "mm", "y" or "z"; NULL leaves it as it is. SN_ERROR_VALUE for others.
SnStatus sn_convention_read(const char* units, const char* up, SnConvention* convention);
const char* sn_convention_units(const SnConvention* convention); // "m", "cm" or "mm"
// count triples, in place; `lengths`: they have a unit of length, as opposed to directions.
void sn_convention_change(const SnConvention* from, const SnConvention* to, bool lengths, size_t count, double* x);
