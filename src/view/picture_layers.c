// Textures of layers. Rasterising several samples costs llvmpipe more than all the light on one.
#ifdef SN_HAVE_EGL
#include "view/picture_layers.h"

#include "core/status.h"
#include "view/gl_program.h"
#include "view/picture_shaders.h"

static void create_texture(GLenum kind, int samples, GLenum format, int width, int height, GLuint* texture)
{
    bool words = format != GL_DEPTH_COMPONENT32F;
    glGenTextures(1, texture);
    glBindTexture(kind, *texture);
    if (kind == GL_TEXTURE_2D_MULTISAMPLE) {
        glTexImage2DMultisample(kind, samples, format, width, height, GL_TRUE);
        return;
    }
    glTexImage2D(kind, 0, (GLint)format, width, height, 0, words ? GL_RGBA_INTEGER : GL_DEPTH_COMPONENT,
                 words ? GL_UNSIGNED_INT : GL_FLOAT, NULL);
    glTexParameteri(kind, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(kind, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(kind, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

SnStatus sn_picture_layers_create(SnPictureLayers* layers, int width, int height, bool multisampled)
{
    if (layers->kind) return SN_OK;
    GLint most = 1;
    int power = 0;
    glGetIntegerv(GL_MAX_INTEGER_SAMPLES, &most);
    while (multisampled && power < 3 && 2 << power <= most) power++;
    SN_TRY(sn_gl_program_create("light", sn_shader_tile_vertex, sn_shader_light_fragments[power], &layers->light));
    layers->kind = power > 0 ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D;
    create_texture(layers->kind, 1 << power, power > 0 ? GL_RG32UI : GL_RGBA32UI, width, height, &layers->words);
    create_texture(layers->kind, 1 << power, GL_DEPTH_COMPONENT32F, width, height, &layers->depth);
    glGenFramebuffers(1, &layers->target);
    glBindFramebuffer(GL_FRAMEBUFFER, layers->target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, layers->kind, layers->words, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, layers->kind, layers->depth, 0);
    return sn_gl_check_target("layered");
}

void sn_picture_layers_bind(const SnPictureLayers* layers, int words_unit, int depth_unit)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)words_unit);
    glBindTexture(layers->kind, layers->words);
    glActiveTexture(GL_TEXTURE0 + (GLenum)depth_unit);
    glBindTexture(layers->kind, layers->depth);
}
#else
typedef int SnNoPictureLayers; // without EGL there is nothing here; picture_none.c answers instead
#endif
