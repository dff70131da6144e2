// The GLSL programs of pictures. Each shader is a list of texts, ending with NULL.
#pragma once

extern const char* const sn_shader_depth_vertex[]; // casters into a shadow map
extern const char* const sn_shader_depth_fragment[];
extern const char* const sn_shader_screen_vertex[];   // one triangle over the whole target
extern const char* const sn_shader_tile_vertex[];     // parts of it, by pixels
extern const char* const sn_shader_carpet_fragment[]; // sky light that reaches the ground, into a small texture
extern const char* const sn_shader_shade_fragment[];  // the key's shadow on the ground, into another
extern const char* const sn_shader_body_vertex[];     // bodies into layers
extern const char* const sn_shader_body_fragment[];
extern const char* const sn_shader_plain_fragment[]; // the same without lines and squares
// Layers into light: of pixels; of 2, 4, 8 samples each, with ground and backdrop.
extern const char* const sn_shader_light_fragments[4][8];
extern const char* const sn_shader_ground_fragment[]; // ground and backdrop only
