// The main loop of the program: a scene's world, stepped to its end and written to a run file.
#pragma once
#include <sinew/scene.h>

#include "cli/command.h"
#include <sinew/run.h>

typedef struct SnSimulation {
    SnScene* scene;
    const char* path;      // of the run file
    const char* overrides; // kept in the run file for --resume, one per line
    bool resume, quiet;
    int threads; // 0: as the scene says
} SnSimulation;

int sn_simulate(const SnSimulation* simulation);                                 // returns an SN_EXIT code
SnStatus sn_simulation_describe(const SnSimulation* simulation, SnRunFile* run); // what others may ask of it later
