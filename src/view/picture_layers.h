// What each pixel, or each of its samples, sees of bodies: words of colour, sky light, normal and lines, and a depth,
// which of pixels is a word, too; and the program that lights it.
#pragma once
#include <epoxy/gl.h>

#include <sinew/base.h>

typedef struct SnPictureLayers {
    GLenum kind;         // of the textures; 0: there are none yet
    GLuint words, depth; // textures
    GLuint target;
    GLuint light; // a program
} SnPictureLayers;

// Multisampled: as many samples as the driver has, a power of two, at most 8. Done once; calls after that do nothing.
SnStatus sn_picture_layers_create(SnPictureLayers* layers, int width, int height, bool multisampled);
// For reading.
void sn_picture_layers_bind(const SnPictureLayers* layers, int words_unit, int depth_unit);
