// An OpenGL 3.3 core context without a window system.
#pragma once
#include <sinew/base.h>

typedef struct SnGlContext {
    void *display, *context; // EGLDisplay, EGLContext
} SnGlContext;

// Fails with SN_ERROR_UNSUPPORTED, saying what failed and what to install.
SnStatus sn_gl_context_create(SnGlContext* context);
SnStatus sn_gl_context_use(const SnGlContext* context); // makes it current on this thread
void sn_gl_context_destroy(SnGlContext* context);
