// The state of the whole in one process, and back: an ordinary world, which the archive can write and read.
#pragma once
#include "mpi/fabric.h"

// Which entries of the whole's arrays other processes have, in the first one.
typedef struct SnGather {
    SnFabric* fabric;
    int64_t (*counts)[3]; // of each process: own nodes, pins, shifts
    int** nodes;          // of each process
    int** pins;
    int64_t** shifts;
    int* own; // here: own nodes, as numbers of the part
    int own_count;
    int64_t most; // numbers of one array and process
    double* buffer;
} SnGather;

SnStatus sn_gather_create(SnFabric* fabric, SnGather* gather);
void sn_gather_free(SnGather* gather);
// whole: in the first process, others have NULL.
SnStatus sn_gather_state(SnGather* gather, const SnModel* model, SnState* part, SnWorld* whole);
SnStatus sn_scatter_state(SnGather* gather, const SnModel* model, SnState* part, SnWorld* whole);
