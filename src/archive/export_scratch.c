// Frames kept aside: formats that have all frames of one mesh together get them one frame after the other.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "archive/export_job.h"

static SnStatus scratch_failed(void)
{
    return sn_fail(SN_ERROR_FILE, "the temporary file for frames cannot be used: %s; is the disk of /tmp full?",
                   errno ? strerror(errno) : "write error");
}

SnStatus sn_export_keep_begin(SnExport* job)
{
    if (!SN_NEW(job->record, 6 * job->vertex_count, "a frame")) return SN_ERROR_MEMORY;
    errno = 0;
    job->scratch = tmpfile();
    return job->scratch ? SN_OK : scratch_failed();
}

SnStatus sn_export_keep_frame(SnExport* job, const SnExportFrame* frame)
{
    SN_TRY(sn_export_check_finite(job, frame, job->exporter->name));
    float *points = job->record, *velocities = points + 3 * job->vertex_count;
    for (int i = 0; i < job->mesh_count; i++) {
        const SnExportMesh* m = &job->meshes[i];
        for (size_t k = 0, at = 3 * m->first; k < 3 * (size_t)m->vertex_count; k++, at++)
            points[at] = (float)m->points[k], velocities[at] = m->velocities ? (float)m->velocities[k] : 0;
    }
    errno = 0;
    size_t count = 6 * job->vertex_count;
    if (fwrite(job->record, sizeof *job->record, count, job->scratch) != count) return scratch_failed();
    job->kept++;
    return SN_OK;
}

static SnStatus read_at(SnExport* job, size_t place, size_t count, float* out)
{
    errno = 0;
    if (fseeko(job->scratch, (off_t)(place * sizeof *out), SEEK_SET) == 0 &&
        fread(out, sizeof *out, count, job->scratch) == count)
        return SN_OK;
    return scratch_failed();
}

SnStatus sn_export_kept(SnExport* job, const SnExportMesh* mesh, int frame, float* points, float* velocities)
{
    size_t at = 6 * job->vertex_count * (size_t)frame + 3 * mesh->first, count = 3 * (size_t)mesh->vertex_count;
    SN_TRY(read_at(job, at, count, points));
    return velocities ? read_at(job, at + 3 * job->vertex_count, count, velocities) : SN_OK;
}

double sn_export_time_code(const SnExport* job, int frame)
{
    double code = job->def.times ? job->def.times[frame] * job->rate : frame;
    return fabs(code - round(code)) < 1e-6 ? round(code) : code;
}
