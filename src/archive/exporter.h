// Exporters: frames as files of other programs; one file per format (a const struct) and a row in exporter_table.c.
#pragma once
#include <sinew/run.h>

#include "core/table.h"

typedef struct SnExport SnExport;

typedef struct SnExportFrame {
    int number;                    // in file names: 7 gives NAME.0007.vtu
    double time;                   // s
    const double* positions;       // 3 x node_count
    const double* velocities;      // 3 x node_count
    const SnContactInfo* contacts; // for exporters of them, which get no positions
    int contact_count;
} SnExportFrame;

typedef struct SnExporter {
    const char* name;                 // "obj"
    const char* summary;              // for `sinew list formats`
    bool contacts;                    // it writes contacts, not bodies
    SnStatus (*begin)(SnExport* job); // NULL: nothing to do
    SnStatus (*frame)(SnExport* job, const SnExportFrame* frame);
} SnExporter;

SN_TABLE(SnExporter, exporter)
SN_TABLE(SnExporter, contact_exporter) // for contacts

// begin, then frame for each frame in order, then end; destroy always (NULL is fine). The folder is made when it is
// missing. bodies must live until destroy.
SnStatus sn_export_begin(const SnExporter* exporter, const char* folder, const char* name, const SnBodyInfo* bodies,
                         int body_count, SnExport** job);
SnStatus sn_export_frame(SnExport* job, const SnExportFrame* frame);
SnStatus sn_export_end(SnExport* job);
void sn_export_destroy(SnExport* job);

// Frames first .. last of a run, all of the above in one call, and in the C locale.
SnStatus sn_export_run(const SnExporter* exporter, SnRunFile* run, const char* folder, const char* name, int first,
                       int last);
