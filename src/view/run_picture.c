// From a run file's bodies and frames to a picture's scene.
#include "view/run_picture.h"

#include <math.h>
#include <string.h>

#include "archive/palette.h"
#include "archive/run_file.h"
#include "core/memory.h"
#include "linalg/vec3.h"

enum { FIT_FRAMES = 120 }; // as many frames as the camera's fit looks at
static const double MARGIN = 0.12;

static void add_rope(SnRunPicture* picture, const SnBodyInfo* body, int index)
{
    SnPictureRope* rope = &picture->ropes[picture->scene.rope_count++];
    *rope = (SnPictureRope){.node_count = body->node_count,
                            .edge_count = body->edge_count,
                            .edges = body->edges,
                            .positions = picture->drawn + 3 * (size_t)body->first_node};
    sn_palette(index, rope->colour);
}

// Texture coordinates of the corners of its triangles.
static SnStatus take_uvs(const SnFaces* faces, SnPictureSurface* surface)
{
    int count = 3 * surface->triangle_count, *corners;
    if (!SN_NEW(surface->corner_uvs, 2 * (int64_t)count, "picture") || !SN_NEW(corners, count, "picture"))
        return SN_ERROR_MEMORY;
    sn_faces_triangles(faces, corners);
    for (int i = 0; i < count; i++) {
        int uv = faces->corner_uvs[corners[i]];
        for (int c = 0; c < 2; c++)
            surface->corner_uvs[2 * (size_t)i + (size_t)c] =
                uv < 0 ? NAN : (float)faces->uvs[2 * (size_t)uv + (size_t)c];
    }
    sn_free(corners);
    return SN_OK;
}

// A body's skin is what is seen of it.
static SnStatus make_surface(SnRunPicture* picture, const SnBodyInfo* body, int index)
{
    const SnSkin* skin = body->skin;
    if (!skin)
        return sn_picture_surface_create(body->node_count, body->rest, body->surface_count, body->surface, SN_CREASE,
                                         &picture->owned[index]);
    int count = sn_faces_triangle_count(&skin->faces), *triangles;
    if (!SN_NEW(picture->carried[index], 3 * (int64_t)skin->vertex_count, "picture") ||
        !SN_NEW(triangles, 3 * (int64_t)count, "picture"))
        return SN_ERROR_MEMORY;
    sn_faces_triangles(&skin->faces, triangles);
    for (int i = 0; i < 3 * count; i++) triangles[i] = skin->faces.corners[triangles[i]];
    SnStatus status =
        sn_picture_surface_create(skin->vertex_count, skin->rest, count, triangles, SN_CREASE, &picture->owned[index]);
    if (status == SN_OK && skin->faces.corner_uvs) status = take_uvs(&skin->faces, picture->owned[index]);
    sn_free(triangles);
    return status;
}

// Of the vertices of a skin that has them.
static SnStatus take_colours(const SnSkin* skin, float** colours)
{
    if (!skin || !skin->faces.colours) return SN_OK;
    if (!SN_NEW(*colours, 3 * (int64_t)skin->vertex_count, "picture")) return SN_ERROR_MEMORY;
    for (size_t i = 0; i < 3 * (size_t)skin->vertex_count; i++) (*colours)[i] = skin->faces.colours[i / 3 * 4 + i % 3];
    return SN_OK;
}

static SnStatus add_surface(SnRunPicture* picture, const SnBodyInfo* body, int index)
{
    SN_TRY(make_surface(picture, body, index));
    SN_TRY(take_colours(body->skin, &picture->colours[index]));
    SnPictureBody* drawn = &picture->bodies[picture->scene.body_count++];
    const double* carried = picture->carried[index];
    *drawn = (SnPictureBody){.surface = picture->owned[index],
                             .positions = carried ? carried : picture->drawn + 3 * (size_t)body->first_node,
                             .colours = picture->colours[index]};
    sn_palette(index, drawn->colour);
    return SN_OK;
}

// Obstacles that are so much larger than all that moves are the stage, and need not be seen whole.
static const double STAGE = 3;

static bool is_stage(const SnPictureBody* obstacle, const SnCameraFit* bodies)
{
    double size = 0, motion = 0;
    for (int c = 0; c < 3; c++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < obstacle->surface->node_count; i++)
            lo = fmin(lo, obstacle->positions[3 * (size_t)i + (size_t)c]),
            hi = fmax(hi, obstacle->positions[3 * (size_t)i + (size_t)c]);
        size = fmax(size, hi - lo), motion = fmax(motion, bodies->hi[c] - bodies->lo[c]);
    }
    return !(size <= STAGE * motion);
}

// The nodes that are drawn, of every fitted frame, added to a fit that has begun; with `bodies`, what these need, also
// obstacles that are no stage.
static SnStatus fit_camera(SnRunPicture* picture, const SnCameraFit* bodies, SnCameraFit* fit)
{
    int frames = sn_run_file_frame_count(picture->run), looked_at = frames < FIT_FRAMES ? frames : FIT_FRAMES;
    int count = picture->scene.body_count,
        obstacles = picture->obstacles ? sn_run_obstacles_count(picture->obstacles) : 0;
    for (int i = 0; i < looked_at; i++) {
        int frame = looked_at > 1 ? (int)((int64_t)i * (frames - 1) / (looked_at - 1)) : 0;
        SN_TRY(sn_run_picture_read(picture, frame));
        for (int b = 0; b < count; b++) {
            const SnPictureBody* body = &picture->bodies[b];
            bool obstacle = b >= count - obstacles;
            if (obstacle && (!bodies || sn_run_obstacles_is_plane(picture->obstacles, b - count + obstacles) ||
                             is_stage(body, bodies)))
                continue;
            sn_camera_fit_add(fit, body->positions, body->surface->node_count, 0);
        }
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

static void set_floor(SnRunPicture* picture)
{
    double floor;
    if (sn_run_obstacles_floor(picture->obstacles, &floor) &&
        floor <= picture->scene.ground_height + 0.01 * picture->scene.ground_size)
        picture->scene.ground_height = floor;
}

// After the bodies, with room for them.
static SnStatus add_obstacles(SnRunPicture* picture)
{
    SN_TRY(sn_run_obstacles_create(picture->run, picture->scene.ground_size, picture->turn, &picture->obstacles));
    int count = sn_run_obstacles_count(picture->obstacles), bodies = picture->scene.body_count, capacity = 0;
    SnPictureBody* all = NULL;
    if (!SN_GROW(all, capacity, bodies + count + 1, "picture")) return SN_ERROR_MEMORY;
    for (int i = 0; i < bodies; i++) all[i] = picture->bodies[i];
    for (int i = 0; i < count; i++) all[bodies + i] = sn_run_obstacles_body(picture->obstacles, i);
    sn_free(picture->bodies);
    picture->scene.bodies = picture->bodies = all;
    picture->scene.body_count += count;
    return SN_OK;
}

// The shortest rotation from the run's up to y: R = 1 + [k] + [k]^2 / (1 + c), k = up x y, c = up . y.
static SnStatus find_turn(SnRunPicture* picture)
{
    double up[3], *r = picture->turn;
    SN_TRY(sn_run_file_up(picture->run, up));
    double c = up[1], k[3] = {-up[2], 0, up[0]};
    for (int i = 0; i < 9; i++) r[i] = i % 4 == 0;
    if (c < -1 + 1e-12) r[4] = r[8] = -1; // upside down: half a turn about x
    for (int i = 0; i < 9 && c >= -1 + 1e-12; i++) {
        int row = i / 3, column = i % 3, third = 3 - row - column;
        double cross = row == column ? 0 : (column == (row + 1) % 3 ? -1 : 1) * k[third];
        r[i] = (row == column) + cross + (k[row] * k[column] - (row == column) * sn_dot3(k, k)) / (1 + c);
    }
    picture->turned = up[0] != 0 || up[2] != 0 || up[1] < 0;
    picture->drawn = picture->positions;
    if (!picture->turned) return SN_OK;
    size_t count = 3 * (size_t)sn_run_file_node_count(picture->run);
    return SN_NEW(picture->drawn, count, "picture") ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus picture_fill(SnRunPicture* picture, double aspect)
{
    int count = sn_run_file_body_count(picture->run);
    const SnBodyInfo* bodies = sn_run_file_bodies(picture->run);
    if (sn_run_file_frame_count(picture->run) < 1)
        return sn_fail(SN_ERROR_VALUE, "%s: the run holds no frame yet", sn_run_file_path(picture->run));
    if (!SN_NEW(picture->positions, 3 * (size_t)sn_run_file_node_count(picture->run), "picture") ||
        !SN_NEW(picture->owned, count, "picture") || !SN_NEW(picture->carried, count, "picture") ||
        !SN_NEW(picture->colours, count, "picture") || !SN_NEW(picture->bodies, count, "picture") ||
        !SN_NEW(picture->ropes, count, "picture"))
        return SN_ERROR_MEMORY;
    SN_TRY(find_turn(picture));
    for (int i = 0; i < count; i++) {
        if (bodies[i].surface_count > 0) SN_TRY(add_surface(picture, &bodies[i], i));
        if (bodies[i].edge_count > 0) add_rope(picture, &bodies[i], i);
    }
    picture->scene.bodies = picture->bodies;
    picture->scene.ropes = picture->ropes;
    sn_camera_fit_begin(&picture->moves, aspect, MARGIN);
    SN_TRY(fit_camera(picture, NULL, &picture->moves));
    set_stage(picture, &picture->moves);
    SN_TRY(add_obstacles(picture));
    sn_camera_fit_begin(&picture->seen, aspect, MARGIN);
    SN_TRY(fit_camera(picture, &picture->moves, &picture->seen));
    set_stage(picture, &picture->seen);
    set_floor(picture);
    return SN_OK;
}

SnStatus sn_run_picture_fit_around(SnRunPicture* picture)
{
    const SnCameraFit* seen = &picture->seen;
    SnCameraFit fit;
    sn_camera_fit_begin(&fit, seen->aspect, MARGIN);
    fit.around = true;
    for (int i = 0; i < 2 && seen->count; i++) fit.axis[i] = (seen->lo[2 * i] + seen->hi[2 * i]) / 2;
    SN_TRY(fit_camera(picture, &picture->moves, &fit));
    sn_camera_fit_finish(&fit, &picture->scene.camera);
    return SN_OK;
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
    for (int i = 0; picture->carried && i < sn_run_file_body_count(picture->run); i++) sn_free(picture->carried[i]);
    for (int i = 0; picture->colours && i < sn_run_file_body_count(picture->run); i++) sn_free(picture->colours[i]);
    if (picture->drawn != picture->positions) sn_free(picture->drawn);
    sn_run_obstacles_destroy(picture->obstacles);
    SN_FREE(picture->owned, picture->carried, picture->colours, picture->positions, picture->bodies, picture->ropes,
            picture);
}

void sn_run_picture_turn(const SnRunPicture* picture, double x[3])
{
    double y[3] = {x[0], x[1], x[2]};
    if (picture->turned) sn_rotate3(picture->turn, y, x);
}

static void turn_all(const SnRunPicture* picture, size_t count, double* x)
{
    for (size_t i = 0; picture->turned && i < count; i++) sn_run_picture_turn(picture, x + 3 * i);
}

SnStatus sn_run_picture_read(SnRunPicture* picture, int frame)
{
    size_t count = (size_t)sn_run_file_node_count(picture->run);
    if (picture->obstacles) SN_TRY(sn_run_obstacles_move(picture->obstacles, frame, picture->scene.camera.eye));
    SN_TRY(sn_run_file_read_frame(picture->run, frame, picture->positions, NULL));
    for (int b = 0; b < sn_run_file_body_count(picture->run); b++) {
        const SnBodyInfo* body = &sn_run_file_bodies(picture->run)[b];
        if (!picture->carried[b]) continue;
        sn_skin_carry(body->skin, picture->positions + 3 * (size_t)body->first_node, picture->carried[b]);
        turn_all(picture, (size_t)body->skin->vertex_count, picture->carried[b]);
    }
    if (picture->turned) memcpy(picture->drawn, picture->positions, 3 * count * sizeof(double));
    turn_all(picture, count, picture->drawn);
    return SN_OK;
}
