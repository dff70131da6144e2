// The whole in the first process, some bytes at a time: what the run file takes and gives. No process has all of it.
//
// While the first process reads or writes a file (sn_gather_end when it is done), the others answer (sn_gather_serve).
#pragma once
#include "archive/run_file.h"
#include "mesh/part.h"
#include "mpi/fabric.h"

// Where an entry of the whole is here.
typedef struct SnNumbered {
    int64_t number;
    int64_t at;
} SnNumbered;

typedef struct SnGather {
    SnFabric* fabric;
    SnWorld* part;
    SnWorld* whole; // in the first process, for its meshes, as long as it is there
    SnModel model;  // the part's, with the counts of the whole
    int body_count;
    SnBodyInfo* bodies;              // of the whole, without arrays
    const SnMeshPart* const* meshes; // body_count: what this process has of them; NULL: the whole is there
    SnNumbered* lists[3];            // nodes with copies, pins and shifts, by numbers
    int64_t counts[3];
    SnRunPieces pieces;
    SnRunShared run;
    SnConstraintSet constraints; // of the whole
    SnSaved saved;
    SnContactInfo* contacts; // of all processes, in the first
    int contact_capacity;
    char *box, *window;
    int box_capacity, window_capacity;
} SnGather;

SnStatus sn_gather_create(SnFabric* fabric, SnWorld* part, SnWorld* whole, const SnMeshPart* const* meshes,
                          SnGather* gather);
void sn_gather_free(SnGather* gather);
// Before the state is written, in all processes: what is not in arrays.
SnStatus sn_gather_begin(SnGather* gather);
void sn_gather_end(SnGather* gather);
void sn_gather_serve(SnGather* gather);
// The newest checkpoint of the run that the first process has open, to all parts.
SnStatus sn_gather_restore(SnGather* gather, SnRunFile* run);
