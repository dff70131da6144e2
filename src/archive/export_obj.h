// A mesh of an export as OBJ, as it is in the present frame.
#pragma once
#include "archive/export_job.h"

typedef struct SnObjCount {
    size_t vertices, uvs; // in the file so far
} SnObjCount;

void sn_obj_write_mesh(FILE* file, const SnExportMesh* mesh, SnObjCount* written);
// frame of point caches: kept aside; at the first, each mesh is written as NAME.MESH.obj.
SnStatus sn_export_cache_frame(SnExport* job, const SnExportFrame* frame);
