// Dots and arrows of contacts, on a canvas over the picture.
#include "view/run_contacts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/pi.h"
#include "linalg/vec3.h"
#include "view/canvas.h"

enum { MOST_FRAMES = 120 }; // that the scale looks at
#define LONGEST 2.5         // arrows, in lengths of one
#define LEAST 0.02          // the same: less is a dot

// By state; distinct for the colour-blind, too (Okabe and Ito).
static const SnInk inks[] = {{120, 120, 120}, {0, 114, 178}, {213, 94, 0}};
static const SnInk white = {255, 255, 255}, black = {30, 30, 30};

static double length_of(const SnContactInfo* c)
{
    double force[3];
    for (int a = 0; a < 3; a++) force[a] = c->force * c->normal[a] + c->friction[a];
    return sn_length3(force);
}

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

SnStatus sn_run_contacts_scale(SnRunFile* run, int first, int last, double* force)
{
    double largest[MOST_FRAMES];
    int frames = last - first + 1, looked_at = frames < MOST_FRAMES ? frames : MOST_FRAMES, touching = 0;
    for (int i = 0; i < looked_at; i++) {
        const SnContactInfo* contacts;
        int count, frame = looked_at > 1 ? first + (int)((int64_t)i * (frames - 1) / (looked_at - 1)) : first;
        SN_TRY(sn_run_file_read_contacts(run, frame, &contacts, &count));
        double most = 0;
        for (int k = 0; k < count; k++) most = fmax(most, length_of(&contacts[k]));
        if (most > 0) largest[touching++] = most;
    }
    qsort(largest, (size_t)touching, sizeof *largest, compare);
    *force = touching > 0 ? largest[touching / 2] : 0;
    return SN_OK;
}

// Pixels of a point; false: it is behind the camera.
static bool project(const SnRunContacts* r, const double p[3], double at[2])
{
    SnCameraFrame frame = sn_camera_frame(r->camera);
    double d[3], focal = 0.5 * r->height / tan(0.5 * r->camera->field_of_view * SN_PI / 180);
    sn_subtract3(p, r->camera->eye, d);
    double depth = sn_dot3(frame.forward, d);
    at[0] = 0.5 * r->width + focal * sn_dot3(frame.right, d) / depth;
    at[1] = 0.5 * r->height - focal * sn_dot3(frame.up, d) / depth;
    return depth > 0 && isfinite(at[0] + at[1]) && fabs(at[0]) < 4 * r->width && fabs(at[1]) < 4 * r->height;
}

// A line from a to b with a head at b, on a rim of white.
static void draw_arrow(SnCanvas* canvas, const double a[2], const double b[2], SnInk ink, double width)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy), head = fmin(4 * width, 0.5 * length);
    for (int rim = 1; rim >= 0; rim--) {
        SnPen pen = {rim ? white : ink, rim ? 2 * width : width, 0};
        canvas->line(canvas, (double[]){a[0], a[1], b[0], b[1]}, 2, pen);
        if (!(length > 2 * width)) continue;
        double u = head * dx / length, v = head * dy / length;
        canvas->line(
            canvas,
            (double[]){b[0] - u - 0.5 * v, b[1] - v + 0.5 * u, b[0], b[1], b[0] - u + 0.5 * v, b[1] - v - 0.5 * u}, 3,
            pen);
    }
}

static void draw_contact(const SnRunContacts* r, SnCanvas* canvas, const SnContactInfo* c, double width)
{
    double a[2], b[2], end[3], force = length_of(c), scale = r->force > 0 ? r->length / r->force : 0;
    if (force * scale > LONGEST * r->length) scale = LONGEST * r->length / force;
    for (int k = 0; k < 3; k++) end[k] = c->point[k] + scale * (c->force * c->normal[k] + c->friction[k]);
    double from[3] = {c->point[0], c->point[1], c->point[2]}, to[3] = {end[0], end[1], end[2]};
    if (r->turn) sn_rotate3(r->turn, c->point, from), sn_rotate3(r->turn, end, to);
    if (!project(r, from, a) || !project(r, to, b)) return;
    if (force * scale > LEAST * r->length) draw_arrow(canvas, a, b, inks[c->state], width);
    canvas->line(canvas, a, 1, (SnPen){inks[c->state], 2 * width, 0});
}

static void draw_legend(const SnRunContacts* r, SnCanvas* canvas, const int counts[3], double width)
{
    double size = 7 * width, x = 2 * size, y = r->height - 2 * size, target[2], beside[2], end[3];
    char text[64];
    for (int state = SN_CONTACT_SLIDES; state >= SN_CONTACT_STICKS; state--, y -= 1.6 * size) {
        snprintf(text, sizeof text, "%d %s", counts[state], state == SN_CONTACT_STICKS ? "stick" : "slide");
        canvas->line(canvas, (double[]){x, y - 0.35 * size}, 1, (SnPen){inks[state], 4 * width, 0});
        canvas->text(canvas, text, (SnLabel){x + size, y, size, SN_ANCHOR_START, false, false, black});
    }
    SnCameraFrame frame = sn_camera_frame(r->camera);
    for (int a = 0; a < 3; a++) end[a] = r->camera->target[a] + r->length * frame.right[a];
    if (!(r->force > 0) || !project(r, r->camera->target, target) || !project(r, end, beside)) return;
    double along = beside[0] - target[0];
    snprintf(text, sizeof text, "%.3g N", r->force);
    draw_arrow(canvas, (double[]){x, y - 0.35 * size}, (double[]){x + along, y - 0.35 * size}, black, width);
    canvas->text(canvas, text, (SnLabel){x + along + size, y, size, SN_ANCHOR_START, false, false, black});
}

SnStatus sn_run_contacts_draw(const SnRunContacts* r, int frame, uint8_t* pixels)
{
    const SnContactInfo* contacts;
    int count, counts[3] = {0};
    double width = fmax(r->height / 360.0, 1);
    SnCanvas* canvas;
    SN_TRY(sn_run_file_read_contacts(r->run, frame, &contacts, &count));
    SN_TRY(sn_canvas_create_over(r->width, r->height, pixels, &canvas));
    for (int i = 0; i < count; i++) {
        draw_contact(r, canvas, &contacts[i], width);
        counts[contacts[i].state]++;
    }
    draw_legend(r, canvas, counts, width);
    return canvas->finish(canvas);
}
