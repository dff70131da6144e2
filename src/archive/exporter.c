// An export: folder, file names, files whose errors are reported, and the order begin, frames, end.
#include "archive/exporter.h"

#include <errno.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/export_job.h"

// --- files ---

// "FOLDER/NAME.0007.ENDING", or "FOLDER/NAME.ENDING" for number < 0; allocated, NULL on failure.
static char* path_of(const SnExport* job, int number, const char* ending)
{
    size_t size = strlen(job->folder) + strlen(job->name) + strlen(ending) + 32;
    char* path = sn_allocate(size, 1, "a file name");
    if (!path) return NULL;
    if (number < 0)
        snprintf(path, size, "%s/%s.%s", job->folder, job->name, ending);
    else
        snprintf(path, size, "%s/%s.%04d.%s", job->folder, job->name, number, ending);
    return path;
}

static SnStatus open_file(const char* path, FILE** file)
{
    *file = fopen(path, "wb");
    return *file ? SN_OK : sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
}

// Reports what went wrong since it was opened, and removes a file that is not complete.
static SnStatus close_file(FILE* file, const char* path)
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
    job->stream_path = path_of(job, -1, ending);
    if (!job->stream_path) return SN_ERROR_MEMORY;
    return open_file(job->stream_path, &job->stream);
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
    char* path = path_of(job, frame->number, ending);
    if (!path) return SN_ERROR_MEMORY;
    FILE* file;
    SnStatus status = open_file(path, &file);
    if (status == SN_OK) {
        write(file, job, frame);
        status = close_file(file, path);
    }
    sn_free(path);
    return status;
}

// Makes a folder and the folders it is in.
static SnStatus make_folder(const char* path)
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

static SnStatus number_shown_nodes(SnExport* job)
{
    if (!SN_NEW(job->shown, job->node_count, "node numbers of an export")) return SN_ERROR_MEMORY;
    for (int b = 0; b < job->body_count; b++) {
        const SnBodyInfo* body = &job->bodies[b];
        int* shown = job->shown + body->first_node;
        for (size_t i = 0; i < 3 * (size_t)body->surface_count; i++) shown[body->surface[i]] = 1;
        for (size_t i = 0; i < 2 * (size_t)body->edge_count; i++) shown[body->edges[i]] = 1;
        job->shown_faces += body->surface_count;
        job->shown_edges += body->edge_count;
    }
    for (int i = 0; i < job->node_count; i++) job->shown[i] = job->shown[i] ? job->shown_count++ : -1;
    return SN_OK;
}

static SnStatus prepare(SnExport* job, const char* folder, const char* name)
{
    if (!name[0] || strchr(name, '/'))
        return sn_fail(SN_ERROR_VALUE, "\"%s\" cannot be the name of exported files; it must be a file name without /",
                       name);
    if (!(job->folder = sn_copy_text(folder[0] ? folder : ".")) || !(job->name = sn_copy_text(name)))
        return SN_ERROR_MEMORY;
    for (int b = 0; b < job->body_count; b++) job->node_count += job->bodies[b].node_count;
    SN_TRY(number_shown_nodes(job));
    SN_TRY(make_folder(job->folder));
    return job->exporter->begin ? job->exporter->begin(job) : SN_OK;
}

SnStatus sn_export_begin(const SnExporter* exporter, const char* folder, const char* name, const SnBodyInfo* bodies,
                         int body_count, SnExport** job)
{
    *job = NULL;
    SnExport* made;
    if (!SN_NEW(made, 1, "an export")) return SN_ERROR_MEMORY;
    made->exporter = exporter;
    made->bodies = bodies;
    made->body_count = body_count;
    SN_FINISH(prepare(made, folder, name), made, sn_export_destroy, job);
}

SnStatus sn_export_frame(SnExport* job, const SnExportFrame* frame)
{
    if (frame->number < 0) return sn_fail(SN_ERROR_VALUE, "frame %d: frames are numbered from 0", frame->number);
    return job->exporter->frame(job, frame);
}

SnStatus sn_export_end(SnExport* job)
{
    FILE* stream = job->stream;
    job->stream = NULL;
    return stream ? close_file(stream, job->stream_path) : SN_OK;
}

void sn_export_destroy(SnExport* job)
{
    if (!job) return;
    if (job->stream) fclose(job->stream);
    SN_FREE(job->stream_path, job->folder, job->name, job->shown, job);
}

// --- a whole run ---

static SnStatus export_frames(SnExport* job, SnRunFile* run, int first, int last, double* positions, double* velocities)
{
    for (int i = first; i <= last; i++) {
        SnExportFrame frame = {i, sn_run_file_frame_time(run, i), positions, velocities, NULL, 0};
        if (job->exporter->contacts)
            SN_TRY(sn_run_file_read_contacts(run, i, &frame.contacts, &frame.contact_count));
        else
            SN_TRY(sn_run_file_read_frame(run, i, positions, velocities));
        SN_TRY(sn_export_frame(job, &frame));
    }
    return sn_export_end(job);
}

static SnStatus export_run(const SnExporter* exporter, SnRunFile* run, const char* folder, const char* name, int first,
                           int last)
{
    SnExport* job;
    SN_TRY(sn_export_begin(exporter, folder, name, sn_run_file_bodies(run), sn_run_file_body_count(run), &job));
    double* values;
    SnStatus status = SN_ERROR_MEMORY;
    if (SN_NEW(values, 6 * (size_t)job->node_count, "a frame"))
        status = export_frames(job, run, first, last, values, values + 3 * (size_t)job->node_count);
    sn_free(values);
    sn_export_destroy(job);
    return status;
}

SnStatus sn_export_run(const SnExporter* exporter, SnRunFile* run, const char* folder, const char* name, int first,
                       int last)
{
    if (first < 0 || last < first || last >= sn_run_file_frame_count(run))
        return sn_fail(SN_ERROR_VALUE, "%s: no frames %d:%d; the run has frames 0:%d", sn_run_file_path(run), first,
                       last, sn_run_file_frame_count(run) - 1);
    // Numbers in files have a decimal point, whatever the host program's language.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    SnStatus status = export_run(exporter, run, folder, name, first, last);
    if (plain) uselocale(before), freelocale(plain);
    return status;
}
