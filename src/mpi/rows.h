// The rows of free nodes over all processes, as PETSc numbers them, and a matrix of blocks whose parts are with those
// who have the elements: summed into PETSc's own, rows with the process that the node belongs to.
//
// Blocks of rows that belong to others are sent to these, who add them in the order of ranks: bits do not depend on who
// was first.
#pragma once
#include "mpi/fabric.h"
#include "mpi/petsc.h"
#include "solver/objective.h"

typedef struct SnRows {
    SnFabric* fabric;
    const SnObjective* objective;
    int count;        // rows of this part's matrices: free nodes, but for ghosts, which come after these
    int own_count;    // free nodes that belong here
    int64_t first;    // the number of the first of them
    int* node;        // own_count
    PetscInt* global; // free_count of the part: number in all, by row of the part
    int* part_node;   // free_count: the node of each row of the part
    int* owner;       // free_count
} SnRows;

SnStatus sn_rows_create(SnFabric* fabric, const SnObjective* objective, SnRows* rows);
void sn_rows_free(SnRows* rows);

// Entries from .. from + width - 1 of each node of a vector (3 each), times factor, into one of PETSc's over rows; and
// back, to own nodes alone.
void sn_rows_gather(const SnRows* rows, double factor, const double* x, int from, int width, Vec v);
void sn_rows_scatter(const SnRows* rows, Vec v, int from, int width, double* x);

// Blocks of width x width numbers by rows and columns of this part (lower triangles of symmetric matrices), as they are
// read: entry k, row-major.
typedef struct SnPartBlocks {
    int width;
    int n;                    // rows of the part
    const int64_t* col_start; // n + 1
    const int* row;
    void (*read)(const void* matrix, int column, int64_t k, double* block);
    const void* matrix;
} SnPartBlocks;

// Where the blocks of a matrix go.
typedef struct SnBlockRoutes {
    int64_t *out_size, *in_size; // bytes, of each neighbour
    PetscInt (**in_rows)[2];     // of blocks that come from there
    double **out, **in;          // their numbers
    int64_t* used;               // of each neighbour, while they are written
} SnBlockRoutes;

typedef struct SnSharedMatrix {
    const SnRows* rows;
    SnPartBlocks blocks;
    SnBlockRoutes routes;
    Mat matrix;
    bool unassembled; // MATIS
} SnSharedMatrix;

// unassembled: each process keeps its part, as PCBDDC needs it.
SnStatus sn_shared_matrix_create(const SnRows* rows, SnPartBlocks blocks, bool unassembled, SnSharedMatrix* m);
void sn_shared_matrix_free(SnSharedMatrix* m);
// Takes over the numbers as they are now.
SnStatus sn_shared_matrix_update(SnSharedMatrix* m);

// An error of PETSc's as one of ours.
SnStatus sn_petsc(PetscErrorCode code, const char* what);
#define SN_PETSC(call) SN_TRY(sn_petsc((call), #call))
