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

// "FOLDER/NAME.0007.ENDING", or "FOLDER/NAME.ENDING" for number < 0; allocated, NULL on failure.
char* sn_export_path(const SnExport* job, int number, const char* ending);

// A file being written. Errors are kept by stdio and reported by close, which removes a file that is not complete.
SnStatus sn_export_open(const char* path, FILE** file);
SnStatus sn_export_close(FILE* file, const char* path);
// The same for job->stream: opened by begin, closed by sn_export_end or sn_export_destroy.
SnStatus sn_export_open_stream(SnExport* job, const char* ending);
// Makes everything written to job->stream so far reach the file.
SnStatus sn_export_flush_stream(SnExport* job);
// One file of a frame: path, open, write, close.
SnStatus sn_export_frame_file(SnExport* job, const SnExportFrame* frame, const char* ending,
                              void (*write)(FILE* file, const SnExport* job, const SnExportFrame* frame));
