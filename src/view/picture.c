// The renderer: shadow maps, then bodies into layers (what surface each pixel or sample sees), then light, then pixels.
// Lighting after visibility keeps the cost at one evaluation per pixel however small the triangles are.
#ifdef SN_HAVE_EGL
#include "view/picture.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "view/gl_context.h"
#include "view/gl_program.h"
#include "view/picture_cover.h"
#include "view/picture_layers.h"
#include "view/picture_light.h"
#include "view/picture_shaders.h"
#include "view/picture_smooth.h"
#include "view/picture_soften.h"

enum { SKY_SIZE = 128, CARPET_SIZE = 128 };
enum { UNIT_KEY_DEPTH, UNIT_SKY, UNIT_CARPET, UNIT_LAYERS, UNIT_DEPTHS, UNIT_SHADE }; // texture units
enum { PROGRAM_DEPTH, PROGRAM_CARPET, PROGRAM_SHADE, PROGRAM_BODY, PROGRAM_PLAIN, PROGRAM_GROUND, PROGRAM_COUNT };

static const struct {
    const char* name;
    const char *const *vertex, *const *fragment;
} PROGRAMS[PROGRAM_COUNT] = {
    [PROGRAM_DEPTH] = {"depth", sn_shader_depth_vertex, sn_shader_depth_fragment},
    [PROGRAM_CARPET] = {"carpet", sn_shader_screen_vertex, sn_shader_carpet_fragment},
    [PROGRAM_SHADE] = {"shade", sn_shader_screen_vertex, sn_shader_shade_fragment},
    [PROGRAM_BODY] = {"body", sn_shader_body_vertex, sn_shader_body_fragment},
    [PROGRAM_PLAIN] = {"plain", sn_shader_body_vertex, sn_shader_plain_fragment},
    [PROGRAM_GROUND] = {"ground", sn_shader_tile_vertex, sn_shader_ground_fragment},
};

// What the ground is drawn by, but for shadows.
typedef struct View {
    SnCamera camera;
    double ground_height, ground_radius, grid_spacing;
    bool ground, transparent;
} View;

struct SnPicture {
    SnGlContext context;
    int width, height;
    uint8_t *rows, *pixels; // RGBA bottom row first as OpenGL gives them; RGB top row first
    uint8_t* rgba;          // top row first, of transparent pictures; NULL: none was drawn
    GLuint programs[PROGRAM_COUNT];
    GLuint array, empty_array, tile_array, vertices, indices, corners;
    GLuint key_map, sky_maps, carpet, samplers[2]; // textures; samplers: plain, comparing
    GLuint shade;                                  // a texture: shadows on the ground
    int shade_size, key_size;
    GLuint depth_target, carpet_target, light_target;
    GLuint colour;             // a render buffer
    SnPictureLayers layers[2]; // of pixels; of several samples each
    SnPictureGeometry geometry;
    SnPictureLight light;
    SnPictureCover cover;
    SnPictureSmooth smooth;
    SnPictureChange shade_change, carpet_change;
    View view; // of the picture before
};

// Of the key's map: the widest blur on bodies, on the ground.
static const double BLUR_ON_BODIES = 0.02, BLUR_ON_GROUND = 0.045;

// The lit picture, which is sRGB.
static SnStatus create_target(SnPicture* p)
{
    glGenRenderbuffers(1, &p->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, p->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_SRGB8_ALPHA8, p->width, p->height);
    glGenFramebuffers(1, &p->light_target);
    glBindFramebuffer(GL_FRAMEBUFFER, p->light_target);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, p->colour);
    return sn_gl_check_target("colour");
}

// Samplers: one reads depths, one compares with them (four texels blended).
static void create_samplers(SnPicture* p)
{
    glGenSamplers(2, p->samplers);
    for (int i = 0; i < 2; i++) {
        GLint filter = i == 0 ? GL_NEAREST : GL_LINEAR;
        glSamplerParameteri(p->samplers[i], GL_TEXTURE_MIN_FILTER, filter);
        glSamplerParameteri(p->samplers[i], GL_TEXTURE_MAG_FILTER, filter);
        glSamplerParameteri(p->samplers[i], GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glSamplerParameteri(p->samplers[i], GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    }
    glSamplerParameteri(p->samplers[1], GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glSamplerParameteri(p->samplers[1], GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

static GLuint create_plane(int size)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, size, size, 0, GL_RED, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

// As fine as the quality asks for.
static void size_key_map(SnPicture* p, int size)
{
    if (size == p->key_size) return;
    p->key_size = size;
    glBindTexture(GL_TEXTURE_2D, p->key_map);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, size, size, 0, GL_DEPTH_COMPONENT, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
}

static SnStatus create_maps(SnPicture* p)
{
    glGenTextures(1, &p->key_map);
    size_key_map(p, SKY_SIZE);
    glGenTextures(1, &p->sky_maps);
    glBindTexture(GL_TEXTURE_2D_ARRAY, p->sky_maps);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT32F, SKY_SIZE, SKY_SIZE, SN_SKY_MAX, 0, GL_DEPTH_COMPONENT,
                 GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAX_LEVEL, 0);
    p->carpet = create_plane(CARPET_SIZE);
    create_samplers(p);
    glGenFramebuffers(1, &p->depth_target);
    glBindFramebuffer(GL_FRAMEBUFFER, p->depth_target);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, p->key_map, 0);
    SN_TRY(sn_gl_check_target("shadow"));
    glGenFramebuffers(1, &p->carpet_target);
    glBindFramebuffer(GL_FRAMEBUFFER, p->carpet_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, p->carpet, 0);
    return sn_gl_check_target("carpet");
}

static void create_arrays(SnPicture* p)
{
    glGenVertexArrays(1, &p->empty_array);
    glGenVertexArrays(1, &p->array);
    glGenBuffers(1, &p->vertices);
    glGenBuffers(1, &p->indices);
    glBindVertexArray(p->array);
    glBindBuffer(GL_ARRAY_BUFFER, p->vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->indices);
    GLsizei stride = sizeof(SnPictureVertex);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, (void*)offsetof(SnPictureVertex, position));
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride, (void*)offsetof(SnPictureVertex, normal));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride, (void*)offsetof(SnPictureVertex, colour));
    glVertexAttribPointer(3, 3, GL_FLOAT, GL_FALSE, stride, (void*)offsetof(SnPictureVertex, uv));
    for (GLuint i = 0; i < 4; i++) glEnableVertexAttribArray(i);
    glGenVertexArrays(1, &p->tile_array);
    glGenBuffers(1, &p->corners);
    glBindVertexArray(p->tile_array);
    glBindBuffer(GL_ARRAY_BUFFER, p->corners);
    glVertexAttribPointer(0, 2, GL_SHORT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
}

static SnStatus create_programs(SnPicture* p)
{
    for (int i = 0; i < PROGRAM_COUNT; i++)
        SN_TRY(sn_gl_program_create(PROGRAMS[i].name, PROGRAMS[i].vertex, PROGRAMS[i].fragment, &p->programs[i]));
    return SN_OK;
}

static SnStatus picture_fill(SnPicture* p)
{
    SN_TRY(sn_gl_context_create(&p->context));
    size_t count = (size_t)p->width * (size_t)p->height;
    if (!SN_NEW(p->rows, 4 * count, "picture") || !SN_NEW(p->pixels, 3 * count, "picture")) return SN_ERROR_MEMORY;
    SN_TRY(create_programs(p));
    SN_TRY(sn_picture_cover_create(&p->cover, p->width, p->height));
    SN_TRY(sn_picture_smooth_create(&p->smooth, p->width, p->height));
    SN_TRY(create_target(p));
    SN_TRY(create_maps(p));
    create_arrays(p);
    return SN_OK;
}

SnStatus sn_picture_create(int width, int height, SnPicture** out)
{
    *out = NULL;
    if (width < 16 || height < 16 || width > 8192 || height > 8192)
        return sn_fail(SN_ERROR_VALUE, "pictures: a size of %d x %d pixels; each side must be 16 to 8192", width,
                       height);
    SnPicture* p;
    if (!SN_NEW(p, 1, "picture")) return SN_ERROR_MEMORY;
    p->width = width;
    p->height = height;
    SN_FINISH(picture_fill(p), p, sn_picture_destroy, out);
}

void sn_picture_destroy(SnPicture* p)
{
    if (!p) return;
    sn_gl_context_destroy(&p->context); // takes all its objects with it
    sn_picture_geometry_free(&p->geometry);
    sn_picture_cover_free(&p->cover);
    sn_picture_smooth_free(&p->smooth);
    sn_picture_change_free(&p->shade_change);
    sn_picture_change_free(&p->carpet_change);
    SN_FREE(p->rows, p->pixels, p->rgba, p);
}

static void draw_geometry(const SnPicture* p)
{
    glBindVertexArray(p->array);
    glDrawElements(GL_TRIANGLES, p->geometry.index_count, GL_UNSIGNED_INT, NULL);
}

static void draw_coarse_geometry(const SnPicture* p)
{
    const SnPictureGeometry* g = &p->geometry;
    if (g->coarse_count == 0) {
        draw_geometry(p);
        return;
    }
    glBindVertexArray(p->array);
    glDrawElements(GL_TRIANGLES, g->coarse_count, GL_UNSIGNED_INT,
                   (void*)((size_t)g->index_count * sizeof *g->indices));
}

static void upload_geometry(const SnPicture* p)
{
    const SnPictureGeometry* g = &p->geometry;
    glBindVertexArray(p->array);
    glBindBuffer(GL_ARRAY_BUFFER, p->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)g->vertex_count * sizeof *g->vertices), g->vertices,
                 GL_STREAM_DRAW);
    size_t count = (size_t)g->index_count + (size_t)g->coarse_count;
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *g->indices), g->indices, GL_STREAM_DRAW);
}

static bool is_same_view(const View* a, const View* b)
{
    const SnCamera *c = &a->camera, *d = &b->camera;
    bool same = c->field_of_view == d->field_of_view && a->ground_height == b->ground_height &&
                a->ground_radius == b->ground_radius && a->grid_spacing == b->grid_spacing && a->ground == b->ground &&
                a->transparent == b->transparent;
    for (int i = 0; i < 3; i++) same &= c->eye[i] == d->eye[i] && c->target[i] == d->target[i] && c->up[i] == d->up[i];
    return same;
}

static void draw_maps(SnPicture* p)
{
    size_key_map(p, p->light.key_size);
    GLuint program = p->programs[PROGRAM_DEPTH];
    glUseProgram(program);
    glEnable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, p->depth_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, p->key_map, 0);
    glViewport(0, 0, p->key_size, p->key_size);
    glClear(GL_DEPTH_BUFFER_BIT);
    sn_gl_set_matrix(program, "matrix", p->light.key_matrix);
    draw_geometry(p);
    glViewport(0, 0, SKY_SIZE, SKY_SIZE);
    for (int i = 0; i < p->light.sky_count; i++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, p->sky_maps, 0, i);
        glClear(GL_DEPTH_BUFFER_BIT);
        sn_gl_set_matrix(program, "matrix", p->light.sky_matrices[i]);
        draw_coarse_geometry(p);
    }
}

static void bind_maps(const SnPicture* p)
{
    glActiveTexture(GL_TEXTURE0 + UNIT_KEY_DEPTH);
    glBindTexture(GL_TEXTURE_2D, p->key_map);
    glBindSampler(UNIT_KEY_DEPTH, p->samplers[0]);
    glActiveTexture(GL_TEXTURE0 + UNIT_SKY);
    glBindTexture(GL_TEXTURE_2D_ARRAY, p->sky_maps);
    glBindSampler(UNIT_SKY, p->samplers[1]);
    glActiveTexture(GL_TEXTURE0 + UNIT_CARPET);
    glBindTexture(GL_TEXTURE_2D, p->carpet);
    sn_picture_layers_bind(&p->layers[p->light.multisampled], UNIT_LAYERS, UNIT_DEPTHS);
}

static void set_sky(const SnPicture* p, GLuint program)
{
    const SnPictureLight* light = &p->light;
    sn_gl_set_integer(program, "sky_count", light->sky_count);
    sn_gl_set_vector(program, "sky_heights", 2, light->sky_heights);
    sn_gl_set_vector(program, "sky_centre", 3, light->centre);
    sn_gl_set_number(program, "sky_radius", light->radius);
    sn_gl_set_number(program, "sky_bias", 2.5 * light->radius / SKY_SIZE);
    sn_gl_set_integer(program, "sky_maps", UNIT_SKY);
}

static void draw_carpet(const SnPicture* p)
{
    GLuint program = p->programs[PROGRAM_CARPET];
    double centre[3] = {p->light.centre[0], p->light.ground_height, p->light.centre[2]};
    glBindFramebuffer(GL_FRAMEBUFFER, p->carpet_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, p->carpet, 0);
    glViewport(0, 0, CARPET_SIZE, CARPET_SIZE);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(program);
    sn_gl_set_vector(program, "carpet_centre", 3, centre);
    sn_gl_set_number(program, "carpet_radius", p->light.carpet_radius);
    set_sky(p, program);
    glBindVertexArray(p->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_layers(const SnPicture* p, const SnPictureScene* scene)
{
    GLuint program = p->programs[scene->wireframe || scene->checker > 0 ? PROGRAM_BODY : PROGRAM_PLAIN];
    glBindFramebuffer(GL_FRAMEBUFFER, p->layers[p->light.multisampled].target);
    glViewport(0, 0, p->width, p->height);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(program);
    sn_gl_set_matrix(program, "camera_matrix", p->light.camera_matrix);
    sn_gl_set_number(program, "wireframe", scene->wireframe ? 0.55 : 0);
    sn_gl_set_number(program, "checker", scene->checker);
    set_sky(p, program);
    draw_geometry(p);
}

static void set_light(const SnPicture* p, GLuint program)
{
    const SnPictureLight* light = &p->light;
    sn_gl_set_vector(program, "eye", 3, light->eye);
    sn_gl_set_vector(program, "view_forward", 3, light->view.forward);
    sn_gl_set_vector(program, "view_right", 3, light->view.right);
    sn_gl_set_vector(program, "view_up", 3, light->view.up);
    sn_gl_set_vector(program, "fill_direction", 3, light->fill);
    sn_gl_set_vector(program, "key_direction", 3, light->key);
    sn_gl_set_matrix(program, "key_matrix", light->key_matrix);
    sn_gl_set_number(program, "key_radius", light->radius);
    sn_gl_set_number(program, "key_spread", 0.07); // the lamp's radius over its distance
    sn_gl_set_number(program, "key_texel", 1.0 / p->key_size);
    sn_gl_set_number(program, "key_search", BLUR_ON_BODIES);
    sn_gl_set_integer(program, "key_depth", UNIT_KEY_DEPTH);
    sn_gl_set_integer(program, "blocker_count", light->blocker_count);
    sn_gl_set_integer(program, "tap_count", light->tap_count);
}

static void set_ground(const SnPicture* p, GLuint program)
{
    const SnPictureLight* light = &p->light;
    double centre[3] = {light->centre[0], light->ground_height, light->centre[2]};
    sn_gl_set_number(program, "ground_height", light->ground_height);
    sn_gl_set_number(program, "ground_present", light->ground);
    sn_gl_set_vector(program, "ground_centre", 3, light->ground_centre);
    sn_gl_set_number(program, "ground_radius", light->ground_radius);
    sn_gl_set_vector(program, "grid_origin", 2, light->grid_origin);
    sn_gl_set_number(program, "grid_spacing", light->grid_spacing);
    sn_gl_set_vector(program, "carpet_centre", 3, centre);
    sn_gl_set_number(program, "carpet_radius", light->carpet_radius);
    sn_gl_set_integer(program, "carpet", UNIT_CARPET);
    sn_gl_set_vector(program, "shade_centre", 3, light->shade_centre);
    sn_gl_set_number(program, "shade_radius", light->shade_radius);
    sn_gl_set_integer(program, "shade", UNIT_SHADE);
}

// As fine as the quality asks for; where it changes, the texture does.
static void draw_shade(SnPicture* p)
{
    GLuint program = p->programs[PROGRAM_SHADE];
    int size = p->light.shade_size;
    glActiveTexture(GL_TEXTURE0 + UNIT_SHADE);
    if (size != p->shade_size) {
        glDeleteTextures(1, &p->shade);
        p->shade = create_plane(size);
        p->shade_size = size;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, p->carpet_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, p->shade, 0);
    glViewport(0, 0, size, size);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(program);
    set_light(p, program);
    sn_gl_set_number(program, "key_search", BLUR_ON_GROUND);
    sn_gl_set_integer(program, "blocker_count", 2 * p->light.blocker_count); // in a wider search, for ropes, too
    sn_gl_set_vector(program, "shade_centre", 3, p->light.shade_centre);
    sn_gl_set_number(program, "shade_radius", p->light.shade_radius);
    glBindVertexArray(p->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindTexture(GL_TEXTURE_2D, p->shade);
}

// What a map of the ground holds now.
static SnStatus read_map(const SnPicture* p, SnPictureChange* change, GLuint texture, int size, const double centre[3],
                         double half)
{
    SN_TRY(sn_picture_change_begin(change, size, centre, half));
    glBindFramebuffer(GL_FRAMEBUFFER, p->carpet_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size, size, GL_RED, GL_UNSIGNED_BYTE, change->now);
    return SN_OK;
}

static void write_map(const SnPictureChange* change, GLenum unit)
{
    glActiveTexture(GL_TEXTURE0 + unit);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, change->size, change->size, GL_RED, GL_UNSIGNED_BYTE, change->now);
}

// Both maps are softened, the carpet the more, the fewer directions there are, and compared with those before.
static SnStatus note_changes(SnPicture* p)
{
    const SnPictureLight* light = &p->light;
    SnPictureChange *shade = &p->shade_change, *carpet = &p->carpet_change;
    SN_TRY(read_map(p, shade, p->shade, p->shade_size, light->shade_centre, light->shade_radius));
    SN_TRY(sn_picture_even(shade->now, shade->size));
    write_map(shade, UNIT_SHADE);
    sn_picture_change_end(shade);
    SN_TRY(read_map(p, carpet, p->carpet, CARPET_SIZE, light->centre, light->carpet_radius));
    if (light->sky_count > 0) {
        SN_TRY(sn_picture_soften(carpet->now, CARPET_SIZE, 0.35 * CARPET_SIZE / sqrt(light->sky_count)));
        write_map(carpet, UNIT_CARPET);
    }
    sn_picture_change_end(carpet);
    return SN_OK;
}

static SnStatus upload_cover(SnPicture* p, const SnPictureScene* scene)
{
    SnPictureCover* cover = &p->cover;
    View view = {scene->camera,         scene->ground_height, p->light.ground_radius,
                 p->light.grid_spacing, p->light.ground,      scene->transparent};
    SnPictureReach reach = {&p->light,
                            {2.0 * SN_COVER_TILE / p->width, 2.0 * SN_COVER_TILE / p->height},
                            is_same_view(&view, &p->view),
                            {&p->shade_change, &p->carpet_change}};
    p->view = view;
    SN_TRY(note_changes(p));
    SN_TRY(sn_picture_cover_fill(cover, &p->geometry, p->light.camera_matrix, p->width, p->height, &reach));
    glBindBuffer(GL_ARRAY_BUFFER, p->corners);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(12 * sizeof *cover->corners) * (cover->with + cover->without),
                 cover->corners, GL_STREAM_DRAW);
    return SN_OK;
}

static void use_light_program(const SnPicture* p, GLuint program, bool transparent)
{
    glUseProgram(program);
    set_light(p, program);
    set_ground(p, program);
    sn_gl_set_vector(program, "picture_size", 2, (const double[2]){p->width, p->height});
    sn_gl_set_integer(program, "layers", UNIT_LAYERS);
    sn_gl_set_integer(program, "depths", UNIT_DEPTHS);
    sn_gl_set_vector(program, "depth_range", 2, (const double[2]){p->light.near, p->light.far});
    sn_gl_set_number(program, "transparent", transparent);
    sn_gl_set_vector(program, "ground_depths", 3, p->light.ground_depths);
}

// Where each pixel has one sample, the depths of bodies tell those that the ground hides, or is behind of.
static void draw_light(const SnPicture* p, bool transparent)
{
    const SnPictureLayers* layers = &p->layers[p->light.multisampled];
    int with = 6 * p->cover.with, without = 6 * p->cover.without;
    bool plain = layers->kind == GL_TEXTURE_2D;
    glBindFramebuffer(GL_FRAMEBUFFER, p->light_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, plain ? layers->depth : 0, 0);
    glViewport(0, 0, p->width, p->height);
    glEnable(GL_FRAMEBUFFER_SRGB);
    (plain ? glEnable : glDisable)(GL_DEPTH_TEST);
    glEnable(GL_DEPTH_CLAMP); // of the sky, there beyond the ground's horizon
    glDepthMask(GL_FALSE);
    glBindVertexArray(p->tile_array);
    use_light_program(p, layers->light, transparent);
    glDepthFunc(GL_GREATER);
    glDrawArrays(GL_TRIANGLES, 0, with);
    use_light_program(p, p->programs[PROGRAM_GROUND], transparent);
    glDepthFunc(GL_LEQUAL);
    glDrawArrays(GL_TRIANGLES, plain ? 0 : with, plain ? with + without : without);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glDisable(GL_DEPTH_CLAMP);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
}

// Where bodies are, and a little around them.
static void smooth_edges(SnPicture* p)
{
    int lo[2], hi[2], size[2] = {p->width, p->height};
    if (!sn_picture_cover_box(&p->cover, lo, hi)) return;
    for (int i = 0; i < 2; i++) lo[i] = lo[i] > 2 ? lo[i] - 2 : 0, hi[i] = hi[i] + 2 < size[i] ? hi[i] + 2 : size[i];
    sn_picture_smooth_apply(&p->smooth, lo, hi, p->rows);
}

static void read_pixels(SnPicture* p)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, p->light_target);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, p->width, p->height, GL_RGBA, GL_UNSIGNED_BYTE, p->rows);
    if (!p->light.multisampled) smooth_edges(p);
    for (int y = 0; y < p->height; y++) {
        const uint8_t* from = p->rows + 4 * (size_t)p->width * (size_t)(p->height - 1 - y);
        uint8_t* to = p->pixels + 3 * (size_t)p->width * (size_t)y;
        for (int x = 0; x < p->width; x++, from += 4, to += 3) to[0] = from[0], to[1] = from[1], to[2] = from[2];
    }
}

static SnStatus keep_rgba(SnPicture* p)
{
    size_t row = 4 * (size_t)p->width;
    if (!p->rgba && !SN_NEW(p->rgba, row * (size_t)p->height, "picture")) return SN_ERROR_MEMORY;
    for (int y = 0; y < p->height; y++)
        memcpy(p->rgba + row * (size_t)y, p->rows + row * (size_t)(p->height - 1 - y), row);
    return SN_OK;
}

SnStatus sn_picture_draw(SnPicture* p, const SnPictureScene* scene)
{
    SN_TRY(sn_camera_check(&scene->camera));
    SN_TRY(sn_gl_context_use(&p->context));
    SN_TRY(sn_picture_geometry_fill(&p->geometry, scene));
    if (scene->wireframe || scene->flat || scene->checker > 0) SN_TRY(sn_picture_geometry_unshare(&p->geometry));
    if (scene->flat) sn_picture_geometry_flatten(&p->geometry);
    sn_picture_light_place(&p->light, scene, &p->geometry, (double)p->width / p->height);
    SN_TRY(sn_picture_layers_create(&p->layers[p->light.multisampled], p->width, p->height, p->light.multisampled));
    upload_geometry(p);
    draw_maps(p);
    bind_maps(p);
    draw_carpet(p);
    draw_shade(p);
    draw_layers(p, scene);
    SN_TRY(upload_cover(p, scene));
    draw_light(p, scene->transparent);
    read_pixels(p);
    if (scene->transparent) SN_TRY(keep_rgba(p));
    GLenum error = glGetError();
    if (error != GL_NO_ERROR) return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: OpenGL error 0x%x", error);
    return SN_OK;
}

const uint8_t* sn_picture_rgba(const SnPicture* p)
{
    return p->rgba;
}

const uint8_t* sn_picture_pixels(const SnPicture* p)
{
    return p->pixels;
}
#else
typedef int SnNoPicture; // without EGL there is nothing here; picture_none.c answers instead
#endif
