// What the rounds of dealing out a mesh have in common; included by deal*.c alone.
#pragma once
#include "mesh/part.h"
#include "mesh/slab.h"
#include "mpi/deal.h"
#include "mpi/petsc.h"
#include "mpi/post.h"

enum { FACE = 4, ELEMENT = 6, NODE = 8 }; // ints of a message

typedef struct Deal {
    MPI_Comm comm;
    int rank, size;
    SnSlab slab;
    PetscInt* neighbours; // 4 x element_count of the slab: across the face opposite to each corner, -1: none
    int* target;          // element_count of the slab: the process that it goes to
    int element_count;    // of the part
    int* elements;        // ELEMENT x element_count: number, nodes of the whole, which faces are of the surface
    int node_count;
    int* nodes; // numbers in the whole, increasing
    int* order; // where each of them is in the part
    SnMesh* mesh;
    SnMeshPart* part;
} Deal;

// Who asks for each node of the slab: start has node_count + 1 entries.
typedef struct Asked {
    int *start, *ranks;
    int* node; // of each question, in the slab
    int* who;  // who asked it
} Asked;

// The process whose slab has the node; where a number is in an increasing list, or -1.
static inline int sn_deal_slab_of(const Deal* d, int node)
{
    return sn_slab_of(d->slab.all_nodes, node, d->size);
}

static inline int sn_deal_find(const int* list, int count, int number)
{
    int lo = 0, hi = count;
    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;
        if (list[middle] < number)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < count && list[lo] == number ? lo : -1;
}

static inline int sn_compare_ints(const void* a, const void* b)
{
    return (*(const int*)a > *(const int*)b) - (*(const int*)a < *(const int*)b);
}

// The last round, once the part's mesh has its nodes and elements.
SnStatus sn_deal_groups(Deal* d, const Asked* asked);
