// Items of some ints to any process, and answers back: all processes send and receive at once.
#pragma once
#include <mpi.h>

#include "core/memory.h"

typedef struct SnPost {
    MPI_Comm comm;
    int rank, size;
    int width;                   // ints of an item
    int *out_counts, *in_counts; // size: items to and from each
    int *out_first, *in_first;   // where they begin
    int* next;                   // while they are written
    int64_t out_total, in_total; // items
    int *out, *in;               // width x
} SnPost;

// Counted first (sn_post_count for each), then written in any order, then sent; those to one process, and those from
// one, stay in their order. All processes call these equally often, whatever comes of them (an error is that of all).
SnStatus sn_post_begin(MPI_Comm comm, int width, SnPost* post);
void sn_post_count(SnPost* post, int to);
SnStatus sn_post_open(SnPost* post);
int* sn_post_add(SnPost* post, int to); // room for an item
SnStatus sn_post_send(SnPost* post);
void sn_post_free(SnPost* post);
// An answer of some ints for each item that came, in that order; *got: for each that was sent.
SnStatus sn_post_answer(const SnPost* post, int width, const int* answers, int** got);
