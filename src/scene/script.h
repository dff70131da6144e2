// The scripts of the papers: what is done to the two ends of a body.
#pragma once
#include "core/table.h"

typedef struct SnScript {
    const char* name;
    const char* summary;  // one line, with the numbers below
    int axis;             // 0 x, 1 y, 2 z: the ends are those of the bounding box along it
    double width;         // of each end, relative to the body's extent along the axis
    double speed;         // m/s, outwards
    double rate;          // degrees/s about the axis, of the upper end; the lower end turns the other way
    double turn[2];       // m: where the speed changes sign, ahead and back; zeros: nowhere
    double waist;         // the middle part that is pulled, relative to the extent; 0: none
    double pull[3];       // m/s, of the waist
    double pull_distance; // m; then the waist is let go and the ends stop
} SnScript;

SN_TABLE(SnScript, script)
