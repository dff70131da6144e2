// Frames as VTK's files in pieces: each process writes its own part, side by side.
#pragma once
#include "archive/exporter.h"
#include "cli/simulate.h"
#include "mpi/distribute.h"

typedef struct SnPieces {
    SnExport* job; // NULL: nobody has asked for files
    SnBodyInfo* bodies;
    char* folder;
} SnPieces;

// As output.write of the scene says, next to the run file; formats that are not written in pieces are refused.
SnStatus sn_pieces_begin(const SnSimulation* simulation, const SnShared* shared, SnPieces* pieces);
// A frame of the part as it is now; by all processes, as fields may be summed over them.
SnStatus sn_pieces_write(const SnShared* shared, SnPieces* pieces);
SnStatus sn_pieces_end(SnPieces* pieces);
void sn_pieces_free(SnPieces* pieces);
