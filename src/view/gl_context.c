// OpenGL off-screen by EGL's surfaceless platform (Mesa: a GPU or the llvmpipe processor renderer), or a device's.
#ifdef SN_HAVE_EGL
#include "view/gl_context.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include "core/status.h"

#define INSTALL_HINT "install EGL and an OpenGL driver (Debian, Ubuntu: apt install libegl1 libgl1 libgl1-mesa-dri)"

// libepoxy ends the program when a library it opens is missing, so look before it does.
static bool library_exists(const char* name)
{
    void* library = dlopen(name, RTLD_LAZY);
    if (library) dlclose(library);
    return library != NULL;
}

static EGLDisplay surfaceless_display(void)
{
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
}

static EGLDisplay device_display(void)
{
    EGLDeviceEXT device;
    EGLint count = 0;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration") &&
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_base"))
        return EGL_NO_DISPLAY;
    if (!eglQueryDevicesEXT(1, &device, &count) || count < 1) return EGL_NO_DISPLAY;
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, NULL);
}

static const struct {
    const char* extension; // that the platform needs
    EGLDisplay (*open)(void);
} PLATFORMS[] = {
    {"EGL_MESA_platform_surfaceless", surfaceless_display},
    {"EGL_EXT_platform_device", device_display},
};

// The display is never terminated: EGL shares it between all its users in the program.
static EGLDisplay open_display(void)
{
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base")) return EGL_NO_DISPLAY;
    for (size_t i = 0; i < sizeof PLATFORMS / sizeof *PLATFORMS; i++) {
        if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, PLATFORMS[i].extension)) continue;
        EGLDisplay display = PLATFORMS[i].open();
        EGLint major, minor;
        if (display != EGL_NO_DISPLAY && eglInitialize(display, &major, &minor)) return display;
    }
    return EGL_NO_DISPLAY;
}

SnStatus sn_gl_context_create(SnGlContext* context)
{
    *context = (SnGlContext){0};
    if (!library_exists("libEGL.so.1"))
        return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: libEGL.so.1 is missing: " INSTALL_HINT);
    if (!library_exists("libOpenGL.so.0") && !library_exists("libGL.so.1"))
        return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: libGL.so.1 is missing: " INSTALL_HINT);
    EGLDisplay display = open_display();
    if (display == EGL_NO_DISPLAY)
        return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: EGL found no display to draw off-screen with: " INSTALL_HINT);
    if (!epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context") || !eglBindAPI(EGL_OPENGL_API))
        return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: EGL cannot draw without a surface: " INSTALL_HINT);
    const EGLint config_wish[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
    const EGLint context_wish[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglChooseConfig(display, config_wish, &config, 1, &count) || count < 1)
        return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: EGL offers no OpenGL configuration: " INSTALL_HINT);
    context->display = display;
    context->context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wish);
    if (context->context == EGL_NO_CONTEXT)
        return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: no OpenGL 3.3 context (EGL error 0x%x): " INSTALL_HINT,
                       (unsigned)eglGetError());
    return sn_gl_context_use(context);
}

SnStatus sn_gl_context_use(const SnGlContext* context)
{
    if (!eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context))
        return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: the OpenGL context cannot be used (EGL error 0x%x)",
                       (unsigned)eglGetError());
    return SN_OK;
}

void sn_gl_context_destroy(SnGlContext* context)
{
    if (!context->context) return;
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(context->display, context->context);
    *context = (SnGlContext){0};
}
#else
typedef int SnNoGlContext; // without EGL there is nothing here; picture_none.c answers instead
#endif
