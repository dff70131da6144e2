// What ties the processes of a run together: who has copies of which nodes, sums over all of them, and the numbers of
// bytes that went from one to the other.
#pragma once
#include <mpi.h>

#include "core/share.h"
#include "world/restrict.h"

// What was sent so far, by this process.
typedef struct SnTraffic {
    int64_t bytes, messages; // to neighbours
    int64_t sums;            // over all processes
    int64_t sum_bytes;
    int64_t spreads; // of nodes that all have, to all
    int64_t spread_bytes;
} SnTraffic;

// Nodes that this process has in common with another one, by increasing numbers in the whole: in the same order there.
typedef struct SnNeighbour {
    int rank, count;
    int first; // in SnFabric.shared
} SnNeighbour;

typedef struct SnFabric {
    MPI_Comm comm;
    int rank, size;
    SnPartOf of;
    SnShare share;
    int neighbour_count;
    SnNeighbour* neighbours; // by rank
    int shared_count;
    int* shared;                       // nodes, neighbour after neighbour
    int* shared_rank;                  // of the neighbour
    int* copy_start;                   // node_count + 1, into copies
    int* copies;                       // places in `shared` of each node's copies, by rank
    double *out, *in;                  // of exchanges, 9 x shared_count
    int *common_counts, *common_first; // size: of the nodes that all have, those of each process, and where they begin
    double *common_out, *common_in;    // 9 x own of these, 9 x all of them
    MPI_Request* requests;
    SnTraffic traffic;
} SnFabric;

// Takes over `of`.
SnStatus sn_fabric_create(MPI_Comm comm, SnPartOf* of, SnFabric** fabric);
void sn_fabric_destroy(SnFabric* fabric);

// Sends `sizes[k]` bytes at `out[k]` to neighbour k, and receives as many as it sends; sizes of both sides are known.
void sn_fabric_exchange(SnFabric* fabric, const void* const* out, const int64_t* out_size, void* const* in,
                        const int64_t* in_size);
// The same error in all processes where one has failed: the first that has, tells.
SnStatus sn_mpi_agree(MPI_Comm comm, SnStatus status);
