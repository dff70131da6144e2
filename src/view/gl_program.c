// GLSL programs: compiling with the driver's own words on failure, and uniforms by name.
#ifdef SN_HAVE_EGL
#include "view/gl_program.h"

#include "core/status.h"

static SnStatus compile(const char* name, GLenum kind, const char* const* pieces, GLuint* shader)
{
    *shader = glCreateShader(kind);
    int count = 0;
    while (pieces[count]) count++;
    glShaderSource(*shader, count, pieces, NULL);
    glCompileShader(*shader);
    GLint fine = 0;
    glGetShaderiv(*shader, GL_COMPILE_STATUS, &fine);
    if (fine) return SN_OK;
    char log[400] = "";
    glGetShaderInfoLog(*shader, sizeof log, NULL, log);
    return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: this OpenGL driver rejects the %s shader: %s", name, log);
}

SnStatus sn_gl_program_create(const char* name, const char* const* vertex, const char* const* fragment, GLuint* program)
{
    GLuint shaders[2] = {0, 0};
    SnStatus status = compile(name, GL_VERTEX_SHADER, vertex, &shaders[0]);
    if (status == SN_OK) status = compile(name, GL_FRAGMENT_SHADER, fragment, &shaders[1]);
    if (status == SN_OK) {
        *program = glCreateProgram();
        for (int i = 0; i < 2; i++) glAttachShader(*program, shaders[i]);
        glLinkProgram(*program);
        GLint fine = 0;
        glGetProgramiv(*program, GL_LINK_STATUS, &fine);
        char log[400] = "";
        if (!fine) {
            glGetProgramInfoLog(*program, sizeof log, NULL, log);
            status =
                sn_fail(SN_ERROR_UNSUPPORTED, "pictures: this OpenGL driver cannot link the %s shaders: %s", name, log);
        }
    }
    for (int i = 0; i < 2; i++) glDeleteShader(shaders[i]); // the program keeps them as long as it needs
    return status;
}

void sn_gl_set_number(GLuint program, const char* name, double value)
{
    glUniform1f(glGetUniformLocation(program, name), (float)value);
}

void sn_gl_set_integer(GLuint program, const char* name, int value)
{
    glUniform1i(glGetUniformLocation(program, name), value);
}

void sn_gl_set_vector(GLuint program, const char* name, int components, const double* values)
{
    float v[3] = {0, 0, 0};
    for (int i = 0; i < components; i++) v[i] = (float)values[i];
    GLint place = glGetUniformLocation(program, name);
    if (components == 2) glUniform2fv(place, 1, v);
    if (components == 3) glUniform3fv(place, 1, v);
}

void sn_gl_set_matrix(GLuint program, const char* name, const double* values)
{
    float m[16];
    for (int i = 0; i < 16; i++) m[i] = (float)values[i];
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, m);
}

SnStatus sn_gl_check_target(const char* name)
{
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status == GL_FRAMEBUFFER_COMPLETE) return SN_OK;
    return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: this OpenGL driver offers no %s target (0x%x)", name, status);
}
#else
typedef int SnNoGlProgram; // without EGL there is nothing here; picture_none.c answers instead
#endif
