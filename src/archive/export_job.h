// Inside an export: what the exporters share. Included by export*.c only.
#pragma once
#include <stdio.h>

#include "archive/exporter.h"
#include "core/memory.h"

struct SnExport {
    const SnExporter* exporter;
    char* folder;
    char* name;
    const SnBodyInfo* bodies;
    int body_count, node_count;
    // Nodes of surfaces and ropes, numbered from 0 in order; -1: inside, not part of a surface file.
    int* shown; // node_count
    int shown_count, shown_faces, shown_edges;
    FILE* stream; // of formats with one file for all frames
    char* stream_path;
    long tail; // where the next frame goes in it
};

// job->stream: opened by begin, closed by sn_export_end or sn_export_destroy. Errors are kept by stdio until it is
// closed or flushed.
SnStatus sn_export_open_stream(SnExport* job, const char* ending);
// Makes everything written to job->stream so far reach the file.
SnStatus sn_export_flush_stream(SnExport* job);
// One file of a frame: path, open, write, close.
SnStatus sn_export_frame_file(SnExport* job, const SnExportFrame* frame, const char* ending,
                              void (*write)(FILE* file, const SnExport* job, const SnExportFrame* frame));
