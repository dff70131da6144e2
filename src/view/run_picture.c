// From a run file's bodies and frames to a picture's scene.
#include "view/run_picture.h"

#include <math.h>

#include "archive/palette.h"
#include "core/memory.h"
#include "linalg/vec3.h"

enum { FIT_FRAMES = 120 }; // as many frames as the camera's fit looks at
static const double CREASE = 50, MARGIN = 0.12;

static void add_rope(SnRunPicture* picture, const SnBodyInfo* body, int index)
{
    SnPictureRope* rope = &picture->ropes[picture->scene.rope_count++];
    *rope = (SnPictureRope){.node_count = body->node_count,
                            .edge_count = body->edge_count,
                            .edges = body->edges,
                            .positions = picture->positions + 3 * (size_t)body->first_node};
    sn_palette(index, rope->colour);
}

static SnStatus add_surface(SnRunPicture* picture, const SnBodyInfo* body, int index)
{
    SN_TRY(sn_picture_surface_create(body->node_count, body->rest, body->surface_count, body->surface, CREASE,
                                     &picture->owned[index]));
    SnPictureBody* drawn = &picture->bodies[picture->scene.body_count++];
    *drawn = (SnPictureBody){.surface = picture->owned[index],
                             .positions = picture->positions + 3 * (size_t)body->first_node};
    sn_palette(index, drawn->colour);
    return SN_OK;
}

// The nodes that are drawn, of every fitted frame.
static SnStatus fit_camera(SnRunPicture* picture, double aspect, SnCameraFit* fit)
{
    int frames = sn_run_file_frame_count(picture->run), looked_at = frames < FIT_FRAMES ? frames : FIT_FRAMES;
    sn_camera_fit_begin(fit, aspect, MARGIN);
    for (int i = 0; i < looked_at; i++) {
        int frame = looked_at > 1 ? (int)((int64_t)i * (frames - 1) / (looked_at - 1)) : 0;
        SN_TRY(sn_run_picture_read(picture, frame));
        for (int b = 0; b < picture->scene.body_count; b++)
            sn_camera_fit_add(fit, picture->bodies[b].positions, picture->bodies[b].surface->node_count, 0);
        for (int r = 0; r < picture->scene.rope_count; r++)
            sn_camera_fit_add(fit, picture->ropes[r].positions, picture->ropes[r].node_count, 0);
    }
    return SN_OK;
}

// Thick enough to be seen, thin enough to be a rope: by the scene's size, and less than its edges are long.
static void set_rope_radius(SnRunPicture* picture, double size)
{
    for (int r = 0; r < picture->scene.rope_count; r++) {
        SnPictureRope* rope = &picture->ropes[r];
        double length = 0;
        for (int e = 0; e < rope->edge_count; e++)
            length += sn_distance3(rope->positions + 3 * (size_t)rope->edges[2 * e],
                                   rope->positions + 3 * (size_t)rope->edges[2 * e + 1]);
        double mean = length / rope->edge_count;
        rope->radius = isfinite(mean) && mean > 0 ? fmin(0.009 * size, 0.4 * mean) : 0.009 * size;
    }
}

static void set_stage(SnRunPicture* picture, const SnCameraFit* fit)
{
    double square = 0;
    for (int i = 0; fit->count && i < 3; i++) square += (fit->hi[i] - fit->lo[i]) * (fit->hi[i] - fit->lo[i]);
    double size = square > 0 ? sqrt(square) : 1;
    set_rope_radius(picture, size);
    picture->scene.ground = true;
    picture->scene.ground_height = fit->count ? fit->lo[1] - (picture->scene.rope_count ? 0.009 : 0.001) * size : 0;
    picture->scene.ground_size = size;
    picture->scene.quality = SN_PICTURE_STILL;
    sn_camera_fit_finish(fit, &picture->scene.camera);
}

// After the bodies, with room for them.
static SnStatus add_obstacles(SnRunPicture* picture)
{
    double floor;
    SN_TRY(sn_run_obstacles_create(picture->run, picture->scene.ground_size, &picture->obstacles));
    int count = sn_run_obstacles_count(picture->obstacles), bodies = picture->scene.body_count, capacity = 0;
    if (sn_run_obstacles_floor(picture->obstacles, &floor) &&
        floor <= picture->scene.ground_height + 0.01 * picture->scene.ground_size)
        picture->scene.ground_height = floor;
    SnPictureBody* all = NULL;
    if (!SN_GROW(all, capacity, bodies + count + 1, "picture")) return SN_ERROR_MEMORY;
    for (int i = 0; i < bodies; i++) all[i] = picture->bodies[i];
    for (int i = 0; i < count; i++) all[bodies + i] = sn_run_obstacles_body(picture->obstacles, i);
    sn_free(picture->bodies);
    picture->scene.bodies = picture->bodies = all;
    picture->scene.body_count += count;
    return SN_OK;
}

static SnStatus picture_fill(SnRunPicture* picture, double aspect)
{
    int count = sn_run_file_body_count(picture->run);
    const SnBodyInfo* bodies = sn_run_file_bodies(picture->run);
    if (sn_run_file_frame_count(picture->run) < 1)
        return sn_fail(SN_ERROR_VALUE, "%s: the run holds no frame yet", sn_run_file_path(picture->run));
    if (!SN_NEW(picture->positions, 3 * (size_t)sn_run_file_node_count(picture->run), "picture") ||
        !SN_NEW(picture->owned, count, "picture") || !SN_NEW(picture->bodies, count, "picture") ||
        !SN_NEW(picture->ropes, count, "picture"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        if (bodies[i].surface_count > 0) SN_TRY(add_surface(picture, &bodies[i], i));
        if (bodies[i].edge_count > 0) add_rope(picture, &bodies[i], i);
    }
    picture->scene.bodies = picture->bodies;
    picture->scene.ropes = picture->ropes;
    SnCameraFit fit;
    SN_TRY(fit_camera(picture, aspect, &fit));
    set_stage(picture, &fit);
    return add_obstacles(picture);
}

SnStatus sn_run_picture_create(SnRunFile* run, double aspect, SnRunPicture** out)
{
    *out = NULL;
    SnRunPicture* picture;
    if (!SN_NEW(picture, 1, "picture")) return SN_ERROR_MEMORY;
    picture->run = run;
    SN_FINISH(picture_fill(picture, aspect), picture, sn_run_picture_destroy, out);
}

void sn_run_picture_destroy(SnRunPicture* picture)
{
    if (!picture) return;
    for (int i = 0; picture->owned && i < sn_run_file_body_count(picture->run); i++)
        sn_picture_surface_destroy(picture->owned[i]);
    sn_run_obstacles_destroy(picture->obstacles);
    SN_FREE(picture->owned, picture->positions, picture->bodies, picture->ropes, picture);
}

SnStatus sn_run_picture_read(SnRunPicture* picture, int frame)
{
    if (picture->obstacles) SN_TRY(sn_run_obstacles_move(picture->obstacles, frame, picture->scene.camera.eye));
    return sn_run_file_read_frame(picture->run, frame, picture->positions, NULL);
}
