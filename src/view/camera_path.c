// Places of a camera at times, and the way between them: cubic Hermite pieces whose slopes are those of the chords.
#include "view/camera_path.h"

#include <math.h>
#include <string.h>

#include "mesh/reader.h"

typedef struct Stop {
    double time, x[6]; // eye, target
} Stop;

struct SnCameraPath {
    int count, capacity;
    Stop* stops;
};

static SnStatus read_stop(SnReader* r, SnCameraPath* path)
{
    if (!SN_GROW(path->stops, path->capacity, path->count + 1, "a camera's path")) return SN_ERROR_MEMORY;
    Stop* stop = &path->stops[path->count];
    SN_TRY(sn_read_real(r, &stop->time, "a time"));
    for (int c = 0; c < 6; c++)
        SN_TRY(sn_read_real(r, &stop->x[c], "a coordinate of the camera or of what it looks at"));
    for (int c = 0; c < 6; c++)
        if (!isfinite(stop->time + stop->x[c]))
            return sn_malformed(r, "a place of the camera must be of finite numbers");
    if (path->count > 0 && !(stop->time > stop[-1].time))
        return sn_malformed(r, "times must increase, but %g follows %g", stop->time, stop[-1].time);
    path->count++;
    return SN_OK;
}

static SnStatus read_all(SnReader* r, SnCameraPath* path)
{
    r->comment = '#';
    for (sn_skip_space(r); r->at < r->end; sn_skip_space(r)) SN_TRY(read_stop(r, path));
    if (path->count > 0) return SN_OK;
    return sn_malformed(r, "no place of the camera: a line is TIME EX EY EZ TX TY TZ");
}

SnStatus sn_camera_path_read(const char* name, SnCameraPath** out)
{
    SnReader reader;
    SnCameraPath* path;
    *out = NULL;
    if (!SN_NEW(path, 1, "a camera's path")) return SN_ERROR_MEMORY;
    SnStatus status = sn_reader_open(&reader, name);
    if (status == SN_OK) {
        status = read_all(&reader, path);
        sn_reader_close(&reader);
    }
    SN_FINISH(status, path, sn_camera_path_destroy, out);
}

void sn_camera_path_destroy(SnCameraPath* path)
{
    if (path) SN_FREE(path->stops, path);
}

// m per s, from the stop before to the one after.
static double slope(const SnCameraPath* p, int i, int c)
{
    int a = i > 0 ? i - 1 : 0, b = i + 1 < p->count ? i + 1 : p->count - 1;
    return (p->stops[b].x[c] - p->stops[a].x[c]) / (p->stops[b].time - p->stops[a].time);
}

void sn_camera_path_at(const SnCameraPath* p, double time, SnCamera* camera)
{
    int i = 0;
    while (i + 1 < p->count && p->stops[i + 1].time <= time) i++;
    const Stop *a = &p->stops[i], *b = i + 1 < p->count && time > a->time ? a + 1 : a;
    double h = b->time - a->time, u = h > 0 ? (time - a->time) / h : 0, u2 = u * u, u3 = u2 * u;
    for (int c = 0; c < 6; c++) {
        double x = a->x[c];
        if (h > 0)
            x = (2 * u3 - 3 * u2 + 1) * a->x[c] + (u3 - 2 * u2 + u) * h * slope(p, i, c) + (3 * u2 - 2 * u3) * b->x[c] +
                (u3 - u2) * h * slope(p, i + 1, c);
        (c < 3 ? camera->eye : camera->target)[c % 3] = x;
    }
}
