// From a scene to each process's part of its world.
#pragma once
#include <sinew/scene.h>

#include "mpi/gather_state.h"

typedef struct SnShared {
    MPI_Comm comm;
    int rank, size;
    SnWorld* part;
    SnWorld* whole;     // in the first process, where there is one and it was asked for
    SnMeshPart** parts; // of bodies, where meshes were dealt out
    SnFabric* fabric;
    SnGather gather;
} SnShared;

// A scene that was dealt out (mpi/deal.h) has its parts already. Of another every process makes the whole world, one
// after the other on each machine, and leaves its part. keep: a run file is to be written, and the first process keeps
// the whole until its meshes are in it.
SnStatus sn_shared_create(MPI_Comm comm, SnScene* scene, bool keep, SnShared* shared);
void sn_shared_drop_whole(SnShared* shared);
void sn_shared_free(SnShared* shared);
