// Inside an export: what the exporters share. Included by export*.c only.
#pragma once
#include <stdio.h>

#include "archive/exporter.h"
#include "core/memory.h"

// What formats of surfaces write: a body's surface and ropes, or an obstacle, with vertices of its own.
typedef struct SnExportMesh {
    char* name;   // a word of letters, digits and _, which no other has
    int body;     // -1: an obstacle
    int obstacle; // -1: a body
    int vertex_count;
    double *points, *velocities;  // 3 x vertex_count, in the present frame; velocities NULL: not known
    int* nodes;                   // vertex_count: of the world; NULL: vertices are those of the obstacle or the skin
    int face_count, corner_count; // of polygons
    const int* sizes;             // face_count: corners of each; NULL: all are triangles
    const int* corners;           // corner_count vertices
    const double* uv;             // 2 x corner_count; NULL: none
    int edge_count;
    const int* edges;     // 2 x edge_count vertices
    const SnSkin* skin;   // whose vertices these are; NULL: none
    int* groups[3];       // face_count: of each kind, as sn_faces_number_groups has them; of skins
    char** words;         // of the skin's groups: their names as words, which no other group of the mesh has
    const float* colours; // 4 x vertex_count; NULL: none
    float colour[3];
    size_t first; // vertices of the meshes before it
    void* owned[2];
} SnExportMesh;

struct SnExport {
    const SnExporter* exporter;
    SnExportDef def; // its texts are copies
    char *folder, *name;
    int node_count;
    int mesh_count;
    SnExportMesh* meshes;  // bodies first
    size_t vertex_count;   // of all meshes
    double rate;           // frames per second
    SnExportCamera camera; // in the convention of the files; where def has one
    // The present frame, in the convention of the files.
    double *positions, *velocities; // 3 x node_count
    double* fields;                 // of formats that write them: one after the other
    // Formats with one file for all frames: these are kept aside until the end.
    FILE* scratch;
    float* record; // of one frame: points, then velocities, of all meshes
    int kept;      // frames
    FILE* stream;
    char* stream_path;
    long tail; // where the next frame goes in it
};

// --- export_meshes.c ---
SnStatus sn_export_make_meshes(SnExport* job);
void sn_export_free_meshes(SnExport* job);
void sn_export_move_meshes(SnExport* job); // to where the present frame has them
// How many faces count as those of a group: the last that names a face has it, of each kind.
int sn_export_group_size(const SnExportMesh* mesh, int group);
int sn_export_face_size(const SnExportMesh* mesh, int face);
// The first vertex of the present frame that is not at a finite place is an error, as `format` cannot hold it.
SnStatus sn_export_check_finite(const SnExport* job, const SnExportFrame* frame, const char* format);

// --- export_scratch.c: frames kept aside as floats ---
SnStatus sn_export_keep_begin(SnExport* job);
SnStatus sn_export_keep_frame(SnExport* job, const SnExportFrame* frame);
// 3 x mesh->vertex_count each; velocities may be NULL.
SnStatus sn_export_kept(SnExport* job, const SnExportMesh* mesh, int frame, float* points, float* velocities);
double sn_export_time_code(const SnExport* job, int frame); // in frames since time 0; a whole number where it is one

// --- exporter.c: files ---
// job->stream: opened by begin, closed by sn_export_end or sn_export_destroy. Errors are kept by stdio until it is
// closed or flushed.
SnStatus sn_export_open_stream(SnExport* job, const char* ending);
// Makes everything written to job->stream so far reach the file.
SnStatus sn_export_flush_stream(SnExport* job);
// One file of a frame: path, open, write, close.
SnStatus sn_export_frame_file(SnExport* job, const SnExportFrame* frame, const char* ending,
                              void (*write)(FILE* file, const SnExport* job, const SnExportFrame* frame));
// A file of one mesh, FOLDER/NAME.MESH.ENDING.
SnStatus sn_export_mesh_file(SnExport* job, const SnExportMesh* mesh, const char* ending,
                             SnStatus (*write)(FILE* file, SnExport* job, const SnExportMesh* mesh));
