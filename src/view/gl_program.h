// GLSL programs: compiling, and uniforms by name.
#pragma once
#include <epoxy/gl.h>
#include <sinew/base.h>

// Shaders are lists of texts, ending with NULL.
SnStatus sn_gl_program_create(const char* name, const char* const* vertex, const char* const* fragment,
                              GLuint* program);
// Uniforms of the program in use; names it does not have are passed over.
void sn_gl_set_number(GLuint program, const char* name, double value);
void sn_gl_set_integer(GLuint program, const char* name, int value);
void sn_gl_set_vector(GLuint program, const char* name, int components, const double* values); // 2 or 3
void sn_gl_set_matrix(GLuint program, const char* name, const double* values);                 // 16, column-major
// Whether the frame buffer in use can be drawn to; `name`: what is said of it if not.
SnStatus sn_gl_check_target(const char* name);
