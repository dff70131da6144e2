// An export: folder, file names, files whose errors are reported, and the order begin, frames, end.
#include "archive/exporter.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/export_job.h"

// --- files ---

// "FOLDER/NAME.0007.ENDING", "FOLDER/NAME.PART.ENDING" or "FOLDER/NAME.ENDING"; allocated, NULL on failure.
static char* path_of(const SnExport* job, int number, const char* part, const char* ending)
{
    size_t size = strlen(job->folder) + strlen(job->name) + strlen(ending) + (part ? strlen(part) : 0) + 32;
    char* path = sn_allocate(size, 1, "a file name");
    if (!path) return NULL;
    if (part)
        snprintf(path, size, "%s/%s.%s.%s", job->folder, job->name, part, ending);
    else if (number < 0)
        snprintf(path, size, "%s/%s.%s", job->folder, job->name, ending);
    else
        snprintf(path, size, "%s/%s.%04d.%s", job->folder, job->name, number, ending);
    return path;
}

SnStatus sn_export_open_file(const char* path, FILE** file)
{
    *file = fopen(path, "wb");
    return *file ? SN_OK : sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
}

SnStatus sn_export_close_file(FILE* file, const char* path)
{
    errno = 0;
    bool failed = fflush(file) != 0 || ferror(file);
    int reason = errno;
    if (fclose(file) != 0 && !failed) failed = true, reason = errno;
    if (!failed) return SN_OK;
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode)) unlink(path); // half a file would only mislead
    return sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, reason ? strerror(reason) : "write error");
}

SnStatus sn_export_open_stream(SnExport* job, const char* ending)
{
    job->stream_path = path_of(job, -1, NULL, ending);
    if (!job->stream_path) return SN_ERROR_MEMORY;
    return sn_export_open_file(job->stream_path, &job->stream);
}

SnStatus sn_export_flush_stream(SnExport* job)
{
    errno = 0;
    if (fflush(job->stream) == 0 && !ferror(job->stream)) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", job->stream_path,
                   errno ? strerror(errno) : "write error");
}

SnStatus sn_export_frame_file(SnExport* job, const SnExportFrame* frame, const char* ending,
                              void (*write)(FILE* file, const SnExport* job, const SnExportFrame* frame))
{
    char* path = path_of(job, frame->number, NULL, ending);
    if (!path) return SN_ERROR_MEMORY;
    FILE* file;
    SnStatus status = sn_export_open_file(path, &file);
    if (status == SN_OK) {
        write(file, job, frame);
        status = sn_export_close_file(file, path);
    }
    sn_free(path);
    return status;
}

SnStatus sn_export_mesh_file(SnExport* job, const SnExportMesh* mesh, const char* ending,
                             SnStatus (*write)(FILE* file, SnExport* job, const SnExportMesh* mesh))
{
    char* path = path_of(job, -1, mesh->name, ending);
    if (!path) return SN_ERROR_MEMORY;
    FILE* file;
    SnStatus status = sn_export_open_file(path, &file);
    if (status == SN_OK) {
        SnStatus written = write(file, job, mesh);
        status = sn_export_close_file(file, path);
        if (written != SN_OK) status = written;
    }
    sn_free(path);
    return status;
}

SnStatus sn_export_make_folder(const char* path)
{
    char* partial = sn_copy_text(path);
    if (!partial) return SN_ERROR_MEMORY;
    for (char* c = partial + 1; *partial && *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        mkdir(partial, 0777); // what goes wrong here shows in the last one
        *c = '/';
    }
    sn_free(partial);
    struct stat info;
    if (mkdir(path, 0777) == 0) return SN_OK;
    int reason = errno;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s: the folder cannot be made: %s", path, strerror(reason));
}

// --- the export ---

// Frames per second, of times that are as good as even.
static double rate_of(const SnExportDef* def)
{
    double span = def->frame_count > 1 && def->times ? def->times[def->frame_count - 1] - def->times[0] : 0;
    return span > 0 ? (def->frame_count - 1) / span : 24;
}

// Where it stands has a length; where it looks has none.
static void take_camera(SnExport* job)
{
    SnExportCamera* c = &job->camera;
    if (!job->def.camera) return;
    *c = *job->def.camera;
    sn_convention_change(&job->def.from, &job->def.to, true, 1, c->eye);
    double* axes[] = {c->right, c->up, c->forward};
    for (int i = 0; i < 3; i++) sn_convention_change(&job->def.from, &job->def.to, false, 1, axes[i]);
}

static SnStatus prepare(SnExport* job, const char* folder, const char* name)
{
    if (!name[0] || strchr(name, '/'))
        return sn_fail(SN_ERROR_VALUE, "\"%s\" cannot be the name of exported files; it must be a file name without /",
                       name);
    if (!(job->folder = sn_copy_text(folder[0] ? folder : ".")) || !(job->name = sn_copy_text(name)))
        return SN_ERROR_MEMORY;
    for (int b = 0; b < job->def.body_count; b++) job->node_count += job->def.bodies[b].node_count;
    job->rate = rate_of(&job->def);
    if (job->exporter->y_up_metres) job->def.to = (SnConvention){1, false};
    if (!SN_NEW(job->positions, 3 * (size_t)job->node_count, "a frame") ||
        !SN_NEW(job->velocities, 3 * (size_t)job->node_count, "a frame"))
        return SN_ERROR_MEMORY;
    take_camera(job);
    SN_TRY(sn_export_make_meshes(job));
    SN_TRY(sn_export_make_folder(job->folder));
    return job->exporter->begin ? job->exporter->begin(job) : SN_OK;
}

SnStatus sn_export_begin(const SnExporter* exporter, const SnExportDef* def, SnExport** job)
{
    *job = NULL;
    SnExport* made;
    if (!SN_NEW(made, 1, "an export")) return SN_ERROR_MEMORY;
    made->exporter = exporter;
    made->def = *def;
    SN_FINISH(prepare(made, def->folder, def->name), made, sn_export_destroy, job);
}

// The frame's numbers in the convention of the files.
static void take_frame(SnExport* job, const SnExportFrame* frame)
{
    const SnExportDef* def = &job->def;
    size_t count = (size_t)job->node_count;
    memcpy(job->positions, frame->positions, 3 * count * sizeof(double));
    memcpy(job->velocities, frame->velocities, 3 * count * sizeof(double));
    sn_convention_change(&def->from, &def->to, true, count, job->positions);
    sn_convention_change(&def->from, &def->to, true, count, job->velocities);
    sn_export_move_meshes(job);
}

SnStatus sn_export_frame(SnExport* job, const SnExportFrame* frame)
{
    if (frame->number < 0) return sn_fail(SN_ERROR_VALUE, "frame %d: frames are numbered from 0", frame->number);
    if (job->exporter->contacts) return job->exporter->frame(job, frame);
    take_frame(job, frame);
    SnExportFrame converted = *frame;
    converted.positions = job->positions, converted.velocities = job->velocities;
    return job->exporter->frame(job, &converted);
}

SnStatus sn_export_end(SnExport* job)
{
    SnStatus status = job->exporter->end ? job->exporter->end(job) : SN_OK;
    FILE* stream = job->stream;
    job->stream = NULL;
    SnStatus closed = stream ? sn_export_close_file(stream, job->stream_path) : SN_OK;
    return status != SN_OK ? status : closed;
}

void sn_export_destroy(SnExport* job)
{
    if (!job) return;
    if (job->stream) fclose(job->stream);
    if (job->scratch) fclose(job->scratch);
    sn_export_free_meshes(job);
    SN_FREE(job->stream_path, job->folder, job->name, job->positions, job->velocities, job->fields, job->record, job);
}
