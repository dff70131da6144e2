// From a scene to each process's part of its world.
#pragma once
#include <sinew/scene.h>

#include "mpi/gather_state.h"

typedef struct SnShared {
    MPI_Comm comm;
    int rank, size;
    SnWorld* part;
    SnWorld* whole; // in the first process, where it is asked for: its state is as of the last sn_gather_state
    SnFabric* fabric;
    SnGather gather;
} SnShared;

// Every process reads the scene, one after the other on each machine: only one has all of it at a time. keep: the first
// process keeps the whole, without what a step needs.
SnStatus sn_shared_create(MPI_Comm comm, SnScene* scene, bool keep, SnShared* shared);
void sn_shared_free(SnShared* shared);
