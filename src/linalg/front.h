// Dense fronts of a sparse Cholesky factorisation: how they are laid out, and the kernels on them.
//
// A supernode's front has `columns` columns to eliminate and `below` rows under them. Rows come in strips of four; the
// columns' rows and those below are padded to strips separately, with zeros.
//
// The factor keeps a supernode strip after strip: strip i < D of the diagonal block has columns 0 .. 4i+3, those below
// have all; each column is four numbers. So a sweep reads the factor as one stream, and the same strips are the
// operands of the dense products. The 4x4 tiles on the diagonal hold inverses.
//
// What is still to be eliminated is kept in packed columns: blocks of four columns, block J beginning at row 4J. The
// columns of a chain's next link and what remains under them are then the beginning and the end of the same array.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "linalg/cholesky.h"

enum {
    SN_FRONT_WIDEST = 256, // columns: the diagonal block stays in the cache
    SN_SWEEP_AHEAD = 8192, // bytes: a sweep reads the factor as one stream and fetches this far ahead
};

typedef struct SnFront {
    int columns, below;
    double* l; // strips of the factor
    double* p; // packed columns to eliminate: rows of the whole front
    double* u; // packed columns that remain: rows below
} SnFront;

static inline int sn_strips(int rows)
{
    return (rows + 3) / 4;
}

// Length of the factor's strips.
static inline int64_t sn_front_length(int columns, int below)
{
    int64_t d = sn_strips(columns);
    return 8 * d * (d - 1) + 4 * (int64_t)columns * (1 + sn_strips(below));
}

// Where strip i of the factor begins; those below are counted on from the diagonal block's.
static inline int64_t sn_front_strip(int columns, int64_t i)
{
    int64_t d = sn_strips(columns);
    return i < d ? 8 * i * (i + 1) : 8 * d * (d - 1) + 4 * columns * (1 + i - d);
}

// Where block J of packed columns with `strips` strips of rows begins; J = strips gives their whole length.
static inline int64_t sn_packed_block(int64_t strips, int64_t j)
{
    return 16 * j * strips - 8 * j * (j - 1);
}

// Packed column c, to be indexed by its rows.
static inline double* sn_packed_column(double* packed, int strips, int c)
{
    int64_t j = c / 4;
    return packed + sn_packed_block(strips, j) + (c % 4) * 4 * (strips - j) - 4 * j;
}

// Kernels. Ranges of strips are of those below the diagonal block, counted from 0; how a range is cut does not matter.
typedef struct SnFrontKernels {
    bool (*factor_diagonal)(const SnFront* front); // false: not positive definite
    void (*factor_rows)(const SnFront* front, int first, int last);
    void (*update)(const SnFront* front, int first, int last); // u -= L L^T, of the rows below
    // Adds a child's packed columns first .. last-1 (in nodes) to p and u; its node k goes to row relative[k].
    void (*extend)(const SnFront* front, double* child, int nodes, int block, const int* relative, int first, int last);
} SnFrontKernels;

// Panels: four columns by at most SN_PANEL_STRIPS strips, two strips (eight rows) after two, the columns of which
// follow each other; a supernode's panels come with all columns of the first strips first. Where that of strip `first`
// (even) and of columns 4j .. begins, of a supernode with `strips` strips below; first = strips, or one more: the
// length.
enum { SN_PANEL_STRIPS = 256 };
static inline int64_t sn_panel_at(int columns, int strips, int first, int j)
{
    int begin = first - first % SN_PANEL_STRIPS, pairs = (strips - begin + 1) / 2;
    if (pairs > SN_PANEL_STRIPS / 2) pairs = SN_PANEL_STRIPS / 2;
    return 32 * ((int64_t)(begin / 2) * sn_strips(columns) + (int64_t)j * pairs + (first - begin) / 2);
}

// The inverse of a diagonal block in panels, which begin at the eight rows that their first column is in: where that of
// columns 4j .. begins; j = the number of them gives the whole length.
static inline int64_t sn_diagonal_panel_at(int columns, int j)
{
    return 32 * ((int64_t)j * ((columns + 7) / 8) - (j - 1) * (j - 1) / 4);
}

// A supernode's copy in panels, in floats: the scales of its columns, the inverse of the diagonal block, the rows
// below.
static inline int64_t sn_copy_diagonal(int columns)
{
    return (columns + 15) / 16 * 16;
}

static inline int64_t sn_copy_rows(int columns)
{
    return sn_copy_diagonal(columns) + sn_diagonal_panel_at(columns, sn_strips(columns));
}

// Sweeps with one right-hand side, with x y z (and a fourth number) of each row together, or with SN_MANY. y is the
// supernode's own part of the work vector; the rows below are at work[target[..]], counted in rows. l is strips of
// doubles, or with one right-hand side of floats. With three a copy in fewer bits is
// a scale for each column, the inverse of the diagonal block in panels of floats, and the rows below in panels of
// floats or of 16-bit integers, to be multiplied by their columns' scales.
typedef struct SnSweepKernels {
    void (*forward_diagonal)(const void* l, int columns, double* y);
    void (*forward_rows)(const void* l, int columns, int strips, int first, int last, const double* y,
                         const int* target, double* work);
    // sums[4k .. 4k+3] += the rows' part of column k; of many right-hand sides eight numbers
    void (*backward_rows)(const void* l, int columns, int strips, int first, int last, const int* target,
                          const double* work, double* sums);
    void (*backward_diagonal)(const void* l, int columns, double* sums, double* y);
} SnSweepKernels;

// By SnFactorPrecision.
typedef struct SnSweepTable {
    const SnSweepKernels *single[3], *triple[3];
    const SnSweepKernels* many; // of doubles
} SnSweepTable;

const SnFrontKernels* sn_front_kernels(void);                                     // of this processor
const SnSweepKernels* sn_sweep_kernels(bool triple, SnFactorPrecision precision); // of shorts: triple alone
const SnSweepKernels* sn_sweep_many_kernels(void);
