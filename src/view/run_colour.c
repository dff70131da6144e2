// From a number of each node to its colour: along a scale from dark to light, or, of subdomains, one colour each.
//
// Speeds and stretches have the scale of the whole run, so that the frames of a film compare; residuals fall by orders
// of magnitude from frame to frame, and have four decades below the largest of each.
#include "view/run_colour.h"

#include <math.h>
#include <sinew/field.h>
#include <stdio.h>
#include <string.h>

#include "archive/palette.h"
#include "archive/remake.h"
#include "core/memory.h"
#include "core/table.h"
#include "linalg/vec3.h"
#include "view/canvas.h"
#include "view/run_again.h"

enum { MOST_FRAMES = 60 }; // that the scale of a run looks at
#define DECADES 4

// A kind of number: fills colour->values for a frame.
typedef struct Kind {
    const char *name, *unit;
    SnStatus (*find)(SnRunColour* colour, int frame);
    const char* field; // of find_field: that is asked for; of a vector, its length
    bool from_least;   // the scale begins with the smallest number, not with 0
    bool each_frame;   // the scale is the frame's own, and logarithmic
    bool names;        // numbers are names
} Kind;

struct SnRunColour {
    SnRunPicture* picture;
    const Kind* kind;
    SnRunAgain* again;  // of those that need it
    SnScene* scene;     // the same, of fields,
    SnWorld* world;     // with what nodes do, 3 x node_count each,
    double* states;     // and the field
    double* values;     // node_count
    float* colours;     // 3 x node_count
    float** carried;    // of bodies with skins: 3 x its vertices; NULL: none
    double least, most; // the ends of the scale
    bool given;         // they are
};

static SnStatus find_speed(SnRunColour* c, int frame)
{
    int count = sn_run_file_node_count(c->picture->run);
    double* v;
    if (!SN_NEW(v, 3 * (int64_t)count, "velocities")) return SN_ERROR_MEMORY;
    SnStatus status = sn_run_file_read_frame(c->picture->run, frame, NULL, v);
    for (int i = 0; i < count; i++) c->values[i] = sn_length3(v + 3 * (size_t)i);
    sn_free(v);
    return status;
}

// The largest change of length of the surface's edges at the node, relative.
static void add_stretch(const SnBodyInfo* body, const double* x, double* values)
{
    for (int k = 0; k < 3 * body->surface_count; k++) {
        int i = body->surface[k], j = body->surface[k % 3 == 2 ? k - 2 : k + 1];
        double rest = sn_distance3(body->rest + 3 * (size_t)i, body->rest + 3 * (size_t)j);
        double change = fabs(sn_distance3(x + 3 * (size_t)i, x + 3 * (size_t)j) / rest - 1);
        values[i] = fmax(values[i], change), values[j] = fmax(values[j], change);
    }
}

static SnStatus find_stretch(SnRunColour* c, int frame)
{
    SnRunFile* run = c->picture->run;
    SN_TRY(sn_run_file_read_frame(run, frame, c->picture->positions, NULL));
    memset(c->values, 0, (size_t)sn_run_file_node_count(run) * sizeof *c->values);
    for (int b = 0; b < sn_run_file_body_count(run); b++) {
        const SnBodyInfo* body = &sn_run_file_bodies(run)[b];
        add_stretch(body, c->picture->positions + 3 * (size_t)body->first_node, c->values + body->first_node);
    }
    return SN_OK;
}

static SnStatus find_residual(SnRunColour* c, int frame)
{
    const double* residual;
    if (!c->again) SN_TRY(sn_run_again_create(c->picture->run, &c->again));
    SN_TRY(sn_run_again_residual(c->again, frame, &residual));
    memcpy(c->values, residual, (size_t)sn_run_file_node_count(c->picture->run) * sizeof *residual);
    return SN_OK;
}

static SnStatus find_subdomain(SnRunColour* c, int frame)
{
    (void)frame;
    const int* part;
    if (!c->again) SN_TRY(sn_run_again_create(c->picture->run, &c->again));
    SN_TRY(sn_run_again_subdomains(c->again, &part));
    for (int i = 0; i < sn_run_file_node_count(c->picture->run); i++) c->values[i] = part[i];
    return SN_OK;
}

static SnStatus make_world(SnRunColour* c)
{
    SN_TRY(sn_remake_scene(c->picture->run, &c->scene));
    SN_TRY(sn_remake_world(c->picture->run, c->scene, &c->world));
    return SN_NEW(c->states, 9 * (int64_t)sn_run_file_node_count(c->picture->run), "a field") ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus find_field(SnRunColour* c, int frame)
{
    SnFieldInfo info;
    int64_t count = sn_run_file_node_count(c->picture->run);
    SN_TRY(sn_field_named(c->kind->field, &info));
    if (!c->world) SN_TRY(make_world(c));
    double *x = c->states, *v = x + 3 * count, *values = v + 3 * count;
    SN_TRY(sn_run_file_read_frame(c->picture->run, frame, x, v));
    SN_TRY(sn_remake_go(c->picture->run, c->scene, &c->world, frame, x, v));
    SN_TRY(sn_world_field(c->world, info.name, SN_FIELD_NODES, values));
    for (int64_t i = 0; i < count; i++) c->values[i] = info.components == 1 ? values[i] : sn_length3(values + 3 * i);
    return SN_OK;
}

static const Kind kinds[] = {
    {"speed", "m/s", .find = find_speed},
    {"stretch", "change of length", .find = find_stretch},
    {"residual", "N", .find = find_residual, .each_frame = true},
    {"subdomain", "", .find = find_subdomain, .names = true},
    {"displacement", "m", .find = find_field, .field = "displacement"},
    {"stress:von-mises", "Pa", .find = find_field, .field = "von-mises"},
    {"stress:pressure", "Pa", .find = find_field, .field = "pressure", .from_least = true},
    {"volume-ratio", "of the volume at rest", .find = find_field, .field = "volume-ratio", .from_least = true},
    {"energy-density", "J/m3", .find = find_field, .field = "energy-density"},
    {"strain-rate", "1/s", .find = find_field, .field = "strain-rate"},
};
const char* const sn_run_colour_names[] = {
    "speed",        "stretch",        "residual",    "subdomain", "displacement", "stress:von-mises", "stress:pressure",
    "volume-ratio", "energy-density", "strain-rate", NULL};

static bool is_one_point(const SnBodyInfo* body, const double* x)
{
    for (int i = 1; i < body->node_count; i++)
        if (memcmp(x, x + 3 * (size_t)i, 3 * sizeof *x) != 0) return false;
    return body->node_count > 1;
}

// Bodies on the shelf, which are not seen, have no numbers.
static SnStatus find(SnRunColour* c, int frame)
{
    SnRunFile* run = c->picture->run;
    SN_TRY(c->kind->find(c, frame));
    if (c->kind->names) return SN_OK;
    SN_TRY(sn_run_file_read_frame(run, frame, c->picture->positions, NULL));
    for (int b = 0; b < sn_run_file_body_count(run); b++) {
        const SnBodyInfo* body = &sn_run_file_bodies(run)[b];
        if (!is_one_point(body, c->picture->positions + 3 * (size_t)body->first_node)) continue;
        for (int i = 0; i < body->node_count; i++) c->values[body->first_node + i] = NAN;
    }
    return SN_OK;
}

static double smallest(const SnRunColour* c)
{
    double least = INFINITY;
    for (int i = 0; i < sn_run_file_node_count(c->picture->run); i++)
        if (isfinite(c->values[i])) least = fmin(least, c->values[i]);
    return least;
}

static double largest(const SnRunColour* c)
{
    double most = c->kind->from_least ? -INFINITY : 0;
    for (int i = 0; i < sn_run_file_node_count(c->picture->run); i++)
        if (isfinite(c->values[i])) most = fmax(most, c->values[i]);
    return most;
}

// From 0 to 1: blue over green to yellow, lighter all the way, so that it reads in grey, too.
static void scale_colour(double part, float colour[3])
{
    static const double steps[][3] = {
        {0.19, 0.12, 0.40}, {0.18, 0.36, 0.58}, {0.16, 0.56, 0.55}, {0.42, 0.75, 0.38}, {0.98, 0.90, 0.25}};
    double at = 4 * fmin(fmax(part, 0), 1);
    int k = at < 3 ? (int)at : 3;
    for (int i = 0; i < 3; i++) colour[i] = (float)(steps[k][i] + (at - k) * (steps[k + 1][i] - steps[k][i]));
}

static double part_of(const SnRunColour* c, double value)
{
    if (!(c->most > c->least)) return 0;
    return c->kind->each_frame ? 1 + log10(fmax(value / c->most, 1e-300)) / DECADES
                               : (value - c->least) / (c->most - c->least);
}

static SnStatus fit_scale(SnRunColour* c)
{
    int frames = sn_run_file_frame_count(c->picture->run), looked_at = frames < MOST_FRAMES ? frames : MOST_FRAMES;
    c->least = c->kind->from_least ? INFINITY : 0, c->most = c->kind->from_least ? -INFINITY : 0;
    for (int i = 0; i < looked_at && !c->kind->each_frame && !c->kind->names; i++) {
        SN_TRY(find(c, looked_at > 1 ? (int)((int64_t)i * (frames - 1) / (looked_at - 1)) : 0));
        c->most = fmax(c->most, largest(c));
        if (c->kind->from_least) c->least = fmin(c->least, smallest(c));
    }
    return SN_OK;
}

static SnStatus build(SnRunColour* c, const char* name)
{
    SnRunPicture* picture = c->picture;
    int count = sn_run_file_node_count(picture->run), drawn = 0;
    for (int i = 0; sn_run_colour_names[i]; i++)
        if (strcmp(kinds[i].name, name) == 0) c->kind = &kinds[i];
    if (!c->kind) return sn_fail_unknown("colour", name, sn_run_colour_names, 4);
    if (!SN_NEW(c->values, count, "colours") || !SN_NEW(c->colours, 3 * (int64_t)count, "colours"))
        return SN_ERROR_MEMORY;
    int bodies = sn_run_file_body_count(picture->run);
    if (!SN_NEW(c->carried, bodies, "colours")) return SN_ERROR_MEMORY;
    for (int b = 0; b < bodies; b++) {
        const SnBodyInfo* body = &sn_run_file_bodies(picture->run)[b];
        if (!picture->owned[b]) continue;
        if (body->skin && !SN_NEW(c->carried[b], 3 * (int64_t)body->skin->vertex_count, "colours"))
            return SN_ERROR_MEMORY;
        picture->bodies[drawn++].colours = body->skin ? c->carried[b] : c->colours + 3 * (size_t)body->first_node;
    }
    return c->given ? SN_OK : fit_scale(c);
}

SnStatus sn_run_colour_create(SnRunPicture* picture, const char* name, const double* range, SnRunColour** out)
{
    *out = NULL;
    SnRunColour* c;
    if (!SN_NEW(c, 1, "colours")) return SN_ERROR_MEMORY;
    c->picture = picture;
    c->given = range != NULL;
    if (range) c->least = range[0], c->most = range[1];
    SN_FINISH(build(c, name), c, sn_run_colour_destroy, out);
}

void sn_run_colour_destroy(SnRunColour* c)
{
    if (!c) return;
    for (int b = 0; b < c->picture->scene.body_count; b++) c->picture->bodies[b].colours = NULL;
    sn_run_again_destroy(c->again);
    sn_world_destroy(c->world);
    sn_scene_destroy(c->scene);
    for (int b = 0; c->carried && b < sn_run_file_body_count(c->picture->run); b++) sn_free(c->carried[b]);
    SN_FREE(c->values, c->colours, c->carried, c->states, c);
}

// A skin's vertices have their carriers' colours, as they have their places.
static void carry(const SnRunColour* c)
{
    for (int b = 0; b < sn_run_file_body_count(c->picture->run); b++) {
        const SnBodyInfo* body = &sn_run_file_bodies(c->picture->run)[b];
        const float* from = c->colours + 3 * (size_t)body->first_node;
        int64_t each = body->skin ? body->skin->carrier_count : 0;
        for (int i = 0; c->carried[b] && i < body->skin->vertex_count; i++)
            for (int a = 0; a < 3; a++) {
                double sum = body->skin->carriers ? 0 : (double)from[3 * (size_t)i + (size_t)a];
                for (int64_t k = i * each; body->skin->carriers && k < (i + 1) * each; k++)
                    sum += body->skin->weights[k] * (double)from[3 * (size_t)body->skin->carriers[k] + (size_t)a];
                c->carried[b][3 * (size_t)i + (size_t)a] = (float)sum;
            }
    }
}

SnStatus sn_run_colour_read(SnRunColour* c, int frame)
{
    SN_TRY(find(c, frame));
    if (c->kind->each_frame && !c->given) c->most = largest(c);
    for (int i = 0; i < sn_run_file_node_count(c->picture->run); i++)
        if (c->kind->names)
            sn_palette((int)c->values[i], c->colours + 3 * (size_t)i);
        else
            scale_colour(part_of(c, c->values[i]), c->colours + 3 * (size_t)i);
    carry(c);
    return SN_OK;
}

SnStatus sn_run_colour_draw_scale(const SnRunColour* c, int width, int height, uint8_t* pixels)
{
    SnCanvas* canvas;
    char text[64];
    double size = fmax(height / 40.0, 8), x = 2 * size, y = height - 2 * size, length = 12 * size;
    if (c->kind->names) return SN_OK;
    SN_TRY(sn_canvas_create_over(width, height, pixels, &canvas));
    for (int k = 0; k < 64; k++) {
        float colour[3];
        scale_colour(k / 63.0, colour);
        SnInk ink = {(uint8_t)(255 * colour[0]), (uint8_t)(255 * colour[1]), (uint8_t)(255 * colour[2])};
        double at = x + length * k / 63;
        canvas->line(canvas, (double[]){at, y, at, y + 0.6 * size}, 2, (SnPen){ink, length / 50, 0});
    }
    SnLabel label = {x, y - 0.5 * size, size, SN_ANCHOR_START, false, false, {30, 30, 30}};
    snprintf(text, sizeof text, "%.3g", c->kind->each_frame ? c->most * pow(10, -DECADES) : c->least);
    canvas->text(canvas, text, label);
    snprintf(text, sizeof text, "%.3g %s", c->most, c->kind->unit);
    label.x = x + length;
    canvas->text(canvas, text, label);
    return canvas->finish(canvas);
}
