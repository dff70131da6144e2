// Exporters: frames as files of other programs; one file per format (a const struct) and a row in exporter_table.c.
#pragma once
#include <sinew/run.h>
#include <stdio.h>

#include "archive/placed_obstacles.h"
#include "core/convention.h"
#include "core/table.h"

typedef struct SnExport SnExport;

typedef struct SnExportFrame {
    int number;                    // in file names: 7 gives NAME.0007.vtu
    double time;                   // s
    const double* positions;       // 3 x node_count
    const double* velocities;      // 3 x node_count
    const SnContactInfo* contacts; // for exporters of them, which get no positions
    int contact_count;
    const double* pressures; // node_count, Pa: of contacts, for exporters of fields; NULL: not known
} SnExportFrame;

typedef struct SnExporter {
    const char* name;                 // "obj"
    const char* summary;              // for `sinew list formats`
    bool contacts;                    // it writes contacts, not bodies
    bool scene;                       // it holds a whole scene: obstacles and a camera, where nothing else is asked for
    bool y_up_metres;                 // the format knows no other convention
    bool fields;                      // it writes what elements bear
    SnStatus (*begin)(SnExport* job); // NULL: nothing to do
    SnStatus (*frame)(SnExport* job, const SnExportFrame* frame);
    SnStatus (*end)(SnExport* job); // after the last frame; NULL: nothing to do
} SnExporter;

SN_TABLE(SnExporter, exporter)
SN_TABLE(SnExporter, contact_exporter) // for contacts

// From where a scene is seen, in the convention of the run.
typedef struct SnExportCamera {
    double eye[3], right[3], up[3], forward[3]; // m; orthonormal
    double field_of_view;                       // vertical, degrees
    double aspect;                              // width / height
    double near, far;                           // m
} SnExportCamera;

// What is exported, and how. Pointers must live until destroy.
typedef struct SnExportDef {
    const char *folder, *name; // the folder is made when it is missing
    const SnBodyInfo* bodies;
    int body_count;
    SnPlacedObstacles* obstacles; // NULL: none; at the place of the frame that is added
    SnWorld* world;               // the same, of fields
    const SnExportCamera* camera; // NULL: none
    int frame_count;              // that will be added; only formats with one file for all frames need these
    const double* times;          // of each, s
    SnConvention from, to;        // of the frames, and of the files
    int piece, piece_count;       // of vtu: which of several that are written side by side; 0 of 0: it is the whole
    bool quantise;                // formats that can, write fewer digits
    bool velocities;              // of glTF: with these, as other formats have them in any case
} SnExportDef;

// begin, then frame for each frame in order, then end; destroy always (NULL is fine).
SnStatus sn_export_begin(const SnExporter* exporter, const SnExportDef* def, SnExport** job);
SnStatus sn_export_frame(SnExport* job, const SnExportFrame* frame);
SnStatus sn_export_end(SnExport* job);
void sn_export_destroy(SnExport* job);

// Files: closing reports what went wrong since it was opened, and removes one that is not complete. A folder is made
// with the folders it is in.
SnStatus sn_export_open_file(const char* path, FILE** file);
SnStatus sn_export_close_file(FILE* file, const char* path);
SnStatus sn_export_make_folder(const char* path);

// What probes have measured in each step, as FOLDER/NAME.measured.csv.
SnStatus sn_export_values(SnRunFile* run, const char* folder, const char* name);

// How frames of a run are exported; all zero: bodies, with obstacles in formats that hold a scene, in the run's
// convention.
typedef struct SnExportChoice {
    bool bodies_only, obstacles; // one, or none
    const char *units, *up;      // NULL: as the run has them
    const SnExportCamera* camera;
    bool quantise, velocities;
} SnExportChoice;

// Frames first .. last of a run, all of the above in one call, and in the C locale. choice may be NULL.
SnStatus sn_export_run(const SnExporter* exporter, SnRunFile* run, const char* folder, const char* name, int first,
                       int last, const SnExportChoice* choice);
