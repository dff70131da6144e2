// Meshes that no process has as a whole: each reads a slab, PT-Scotch splits the elements, and each gets its part.
#pragma once
#include <mpi.h>

#include "scene/scene.h"

// The scene's meshes are dealt out among these processes, where its kind and the formats of its meshes allow it;
// otherwise each has the whole.
SnMeshDealer sn_mpi_dealer(MPI_Comm* comm);
