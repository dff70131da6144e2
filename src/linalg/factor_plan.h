// Where everything goes in a sparse Cholesky factorisation: made once from the pattern, so that factoring and solving
// neither search nor allocate.
//
// The elimination tree is cut into subtrees, taken in groups (one task each), and the top, which goes supernode after
// supernode. The cut depends on the pattern alone, and so do the bits of the results.
#pragma once
#include "linalg/front.h"
#include "linalg/supernodes.h"

// One entry (or 3x3 block) of the matrix and its place in its supernode's front.
typedef struct SnFactorEntry {
    int column, local; // the local-th of the matrix's column
    int row, place;    // scalar row and column of the front; place is ~column if the block goes in transposed
} SnFactorEntry;

typedef struct SnFactorPlan {
    SnGraphParts parts; // each with columns and supernodes of its own, in this order
    int* part_first;    // parts + 1: the first supernode of each
    SnSupernodes shape;
    int block;            // scalar columns of a node: 1 or 3
    int64_t* l_at;        // supernodes + 1: where the factor's strips begin
    int64_t *p_at, *u_at; // supernodes: into the fronts' work memory
    int64_t work_length;
    int* relative;        // like shape.row: scalar rows in the parent's front
    int *child, *next;    // supernodes: first child, next sibling; -1 ends
    int64_t* entry_start; // supernodes + 1
    SnFactorEntry* entry;
    // Groups of subtrees, then the top: sequence[group_start[g]] .. are supernodes, children first; the top is the
    // group number group_count
    int group_count;
    int *group_start, *sequence; // group_count + 2; supernodes
    // Sweeps: rows of the work vector are the scalar columns in order, then the borders, then one spare row a group.
    // Rows outside a subtree go to its border, which is a copy of the rows of the subtree's root.
    int64_t* target_start; // supernodes + 1
    int* target;           // rows of the work vector, padded to strips
    int border_count;
    int *border, *border_at, *border_group; // supernodes that are roots of subtrees; first row of each border
    int spare;                              // first spare row
    int rows;                               // of the work vector
    double nonzeros, flops;
} SnFactorPlan;

// known, user: see sn_graph_parts_create.
SnStatus sn_factor_plan_create(int n, const int64_t* col_start, const int* row, int block, SnGraphPartKnown known,
                               void* user, SnFactorPlan* plan);
void sn_factor_plan_free(SnFactorPlan* plan);

static inline int sn_plan_columns(const SnFactorPlan* plan, int s)
{
    return plan->block * (plan->shape.first[s + 1] - plan->shape.first[s]);
}

static inline int sn_plan_below(const SnFactorPlan* plan, int s)
{
    return plan->block * (int)(plan->shape.row_start[s + 1] - plan->shape.row_start[s]);
}
