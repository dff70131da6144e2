// VTK's unstructured grid (.vtu), a file per frame, and a .pvd that lists them with their times. The arrays follow the
// XML as raw bytes, each after its length as UInt64 (VTK file formats, "appended data"). Of several pieces each frame
// is a .vtu for each, and a .pvtu that lists these.
#pragma once
#include <stdint.h>

#include "archive/export_job.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

typedef enum SnVtuPer { SN_VTU_POINT, SN_VTU_CELL, SN_VTU_CORNER, SN_VTU_KINDS } SnVtuPer;

typedef struct SnVtuArray {
    const char* section; // the XML element it is in
    const char* attributes;
    SnVtuPer per;
    unsigned size; // bytes of each
    void (*write)(FILE* file, const SnExport* job, const SnExportFrame* frame);
} SnVtuArray;

typedef struct SnVtuGrid {
    uint64_t counts[SN_VTU_KINDS];            // of points, cells and corners
    const char *point_default, *cell_default; // attributes of PointData and CellData
    int array_count;
    const SnVtuArray* arrays; // in the order of the file
} SnVtuGrid;

void sn_vtu_write(FILE* file, const SnVtuGrid* grid, const SnExport* job, const SnExportFrame* frame);
// The list of a frame's pieces.
void sn_vtu_write_pieces(FILE* file, const SnVtuGrid* grid, const SnExport* job, const SnExportFrame* frame);
// Begins the list of frames; a frame's file, that of its pieces where there are several, and its row in the list, by
// the first piece.
SnStatus sn_vtu_begin(SnExport* job);
typedef void SnVtuWrite(FILE* file, const SnExport* job, const SnExportFrame* frame);
SnStatus sn_vtu_frame(SnExport* job, const SnExportFrame* frame, SnVtuWrite* write, SnVtuWrite* write_pieces);
