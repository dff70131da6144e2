// The GLSL programs of pictures. Each shader is a list of texts, ending with NULL.
#pragma once

extern const char* const sn_shader_depth_vertex[];      // casters into a shadow map
extern const char* const sn_shader_depth_fragment[];    //
extern const char* const sn_shader_screen_vertex[];     // one triangle over the whole target
extern const char* const sn_shader_backdrop_fragment[]; // the background's gradient
extern const char* const sn_shader_carpet_fragment[];   // sky light that reaches the ground, into a small texture
extern const char* const sn_shader_body_vertex[];
extern const char* const sn_shader_body_fragment[];
extern const char* const sn_shader_ground_vertex[];
extern const char* const sn_shader_ground_fragment[];
