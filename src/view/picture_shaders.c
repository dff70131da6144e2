// GLSL. Light is linear throughout; the frame buffer encodes sRGB. Positions are relative to the picture's origin.
//
// Key light: percentage-closer soft shadows (Fernando 2005), blockers and filter on Vogel discs, with the receiver's
// plane as depth bias. Sky: irradiance from a set of directions, each with a small shadow map of its own, evaluated
// per vertex and, for the ground, per texel of a small "carpet".
#include "view/picture_shaders.h"

#include <stddef.h>

static const char VERSION[] = "#version 330 core\n";
#define GLSL(...) #__VA_ARGS__

// clang-format off
static const char BACKDROP[] = GLSL(
uniform vec2 picture_size;
vec3 backdrop(vec2 pixel) {
    vec2 q = pixel / picture_size;
    float height = smoothstep(0.0, 1.0, q.y);
    vec3 c = mix(vec3(0.86, 0.87, 0.885), vec3(0.72, 0.765, 0.82), height);
    vec2 d = (q - vec2(0.5, 0.42)) * vec2(1.0, 0.9);
    return c * (1.0 - 0.22 * dot(d, d));
});

static const char SHADOW[] = GLSL(
uniform mat4 key_matrix;
uniform vec3 key_direction;
uniform float key_radius;
uniform float key_spread;
uniform float key_texel;
uniform sampler2D key_depth;
uniform sampler2DShadow key_compare;
uniform int blocker_count;
uniform int tap_count;
uniform vec2 blocker_disc[32];
uniform vec2 tap_disc[64];
float key_visibility(vec3 p, vec3 n, float search, bool wanted) {
    vec3 q = (key_matrix * vec4(p + n * key_texel * key_radius * 2.0, 1.0)).xyz * 0.5 + 0.5;
    vec3 m = mat3(key_matrix) * n;
    vec2 slope = clamp(m.xy / max(-m.z, 1e-4 / key_radius), vec2(-3.0), vec2(3.0));
    float reference = q.z - key_texel;
    float depth = 0.0;
    float found = 0.0;
    bool inside = wanted && q.x > 0.0 && q.y > 0.0 && q.x < 1.0 && q.y < 1.0;
    int count = inside ? blocker_count : 0;
    for (int i = 0; i < count; i++) {
        vec2 o = blocker_disc[i] * search;
        float d = textureLod(key_depth, q.xy + o, 0.0).r;
        float blocks = d < min(reference + dot(o, slope), 1.0) ? 1.0 : 0.0;
        depth += blocks * d;
        found += blocks;
    }
    float width = clamp((q.z - depth / max(found, 1.0)) * key_spread, key_texel * 1.5, search);
    float light = 0.0;
    count = found > 0.0 && found < float(blocker_count) ? tap_count : 0;
    for (int i = 0; i < count; i++) {
        vec2 o = tap_disc[i] * width;
        light += textureLod(key_compare, vec3(q.xy + o, reference + dot(o, slope)), 0.0);
    }
    return found == 0.0 ? 1.0 : light / float(tap_count);
});

static const char SKY[] = GLSL(
const int SKY_MAX = 64;
uniform int sky_count;
uniform vec4 sky_directions[SKY_MAX];
uniform mat4 sky_matrices[SKY_MAX];
uniform float sky_bias;
uniform sampler2DArrayShadow sky_maps;
float sky_visibility(vec3 p, vec3 n) {
    float light = 0.0;
    float all = 0.0;
    for (int i = 0; i < sky_count; i++) {
        float w = dot(n, sky_directions[i].xyz);
        if (w <= 0.0) continue;
        vec3 q = (sky_matrices[i] * vec4(p + n * sky_bias, 1.0)).xyz * 0.5 + 0.5;
        float v = 1.0;
        if (q.x > 0.0 && q.y > 0.0 && q.x < 1.0 && q.y < 1.0)
            v = texture(sky_maps, vec4(q.xy, float(i), min(q.z, 1.0) - 0.006));
        light += w * v;
        all += w;
    }
    return all > 0.0 ? light / all : 1.0;
});

const char* const sn_shader_depth_vertex[] = {VERSION,  GLSL(
layout(location = 0) in vec3 position;
uniform mat4 matrix;
void main() { gl_Position = matrix * vec4(position, 1.0); }), NULL};

const char* const sn_shader_depth_fragment[] = {VERSION,  GLSL(void main() {}), NULL};

const char* const sn_shader_screen_vertex[] = {VERSION,  GLSL(
out vec2 place;
void main() {
    place = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = vec4(place, 1.0, 1.0);
}), NULL};

const char* const sn_shader_backdrop_fragment[] = {VERSION, BACKDROP,  GLSL(
out vec4 colour;
void main() { colour = vec4(backdrop(gl_FragCoord.xy), 1.0); }), NULL};

const char* const sn_shader_carpet_fragment[] = {VERSION, SKY,  GLSL(
in vec2 place;
uniform vec3 carpet_centre;
uniform float carpet_radius;
out vec4 colour;
void main() {
    vec3 p = carpet_centre + vec3(place.x, 0.0, place.y) * carpet_radius;
    colour = vec4(sky_visibility(p, vec3(0.0, 1.0, 0.0)));
}), NULL};

const char* const sn_shader_body_vertex[] = {VERSION, SKY,  GLSL(
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 colour;
uniform mat4 camera_matrix;
out vec3 point;
out vec3 point_normal;
out vec4 albedo;
out vec2 sky;
out vec3 corner;
void main() {
    point = position;
    point_normal = normal;
    albedo = vec4(pow(colour.rgb, vec3(2.2)), colour.a);
    sky = vec2(sky_visibility(position, normal), sky_visibility(position, -normal));
    int k = gl_VertexID % 3;
    corner = vec3(k == 0, k == 1, k == 2);
    gl_Position = camera_matrix * vec4(position, 1.0);
}), NULL};

const char* const sn_shader_body_fragment[] = {VERSION, SHADOW,  GLSL(
in vec3 point;
in vec3 point_normal;
in vec4 albedo;
in vec2 sky;
in vec3 corner;
uniform vec3 eye;
uniform vec3 fill_direction;
uniform float wireframe;
uniform float ground_height;
uniform float ground_present;
uniform float key_search;
out vec4 colour;
void main() {
    vec3 n = normalize(point_normal) * (gl_FrontFacing ? 1.0 : -1.0);
    vec3 v = normalize(eye - point);
    float open = gl_FrontFacing ? sky.x : sky.y;
    float up = 0.5 + 0.5 * n.y;
    vec3 base = albedo.rgb;
    float facing = dot(n, key_direction);
    float visible = key_visibility(point, n, key_search, facing > 0.0);
    float key = smoothstep(-0.02, 0.12, facing) * max(facing, 0.0) * visible;
    vec3 h = normalize(v + key_direction);
    vec3 ambient = vec3(0.40, 0.45, 0.52) * (0.25 + 0.75 * up) * mix(0.25, 1.0, open * open);
    float near_ground = ground_present * exp(-max(point.y - ground_height, 0.0) / (0.35 * key_radius));
    vec3 bounce = vec3(0.30, 0.27, 0.24) * (1.0 - up) * (1.0 - 0.45 * near_ground * (1.0 - up));
    float fill = max(dot(n, fill_direction), 0.0) * (0.4 + 0.6 * open);
    vec3 light = base * (vec3(1.02, 0.985, 0.93) * key * 1.02 + ambient + bounce + vec3(0.12, 0.125, 0.14) * fill);
    float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(n, v), 0.0), 5.0);
    float gloss = pow(max(dot(n, h), 0.0), 48.0) * 0.22 * visible;
    light += vec3(gloss) + fresnel * vec3(0.42, 0.45, 0.5) * up * open * 0.35;
    if (wireframe > 0.0 && albedo.a > 0.5) {
        vec3 w = fwidth(corner);
        vec3 s = smoothstep(w * 0.35, w * 1.15, corner);
        float line = 1.0 - min(min(s.x, s.y), s.z);
        float crowd = max(max(w.x, w.y), w.z);
        light *= 1.0 - wireframe * line * clamp(1.4 - 1.6 * crowd, 0.15, 1.0);
    }
    light = mix(light, 1.0 - exp(-light * 1.25) , smoothstep(0.55, 1.3, light));
    colour = vec4(light, 1.0);
}), NULL};

const char* const sn_shader_ground_vertex[] = {VERSION,  GLSL(
uniform mat4 camera_matrix;
uniform vec3 ground_centre;
uniform float ground_radius;
out vec3 point;
void main() {
    vec2 corner = vec2(gl_VertexID % 2 == 0 ? -1.0 : 1.0, gl_VertexID < 2 ? -1.0 : 1.0);
    point = ground_centre + vec3(corner.x, 0.0, corner.y) * ground_radius;
    gl_Position = camera_matrix * vec4(point, 1.0);
}), NULL};

const char* const sn_shader_ground_fragment[] = {VERSION, BACKDROP, SHADOW,  GLSL(
in vec3 point;
uniform vec3 ground_centre;
uniform float ground_radius;
uniform vec3 carpet_centre;
uniform float carpet_radius;
uniform sampler2D carpet;
uniform vec2 grid_origin;
uniform float grid_spacing;
uniform float key_search;
out vec4 colour;
float grid(vec2 p, float spacing) {
    vec2 q = p / spacing;
    vec2 w = max(fwidth(q), vec2(0.008));
    vec2 d = abs(fract(q - 0.5) - 0.5);
    vec2 l = (1.0 - smoothstep(w * 0.4, w * 1.3, d)) * clamp(0.012 / w * 1.6, 0.0, 1.0);
    return max(l.x, l.y);
}
void main() {
    vec3 back = backdrop(gl_FragCoord.xy);
    float far = length(point.xz - ground_centre.xz) / ground_radius;
    float fade = 1.0 - smoothstep(0.25, 1.0, far);
    vec3 shade = vec3(1.0);
    shade *= 1.0 - 0.10 * fade * grid(point.xz - grid_origin, grid_spacing);
    float key = key_visibility(point, vec3(0.0, 1.0, 0.0), key_search, fade > 0.0);
    vec2 c = (point.xz - carpet_centre.xz) / carpet_radius;
    float inside = 1.0 - smoothstep(0.75, 1.0, max(abs(c.x), abs(c.y)));
    float open = mix(1.0, texture(carpet, c * 0.5 + 0.5).r, inside);
    vec3 light = vec3(0.52, 0.505, 0.49) * key + vec3(0.48, 0.495, 0.51) * open;
    shade *= mix(vec3(1.0), light, fade);
    colour = vec4(back * shade, 1.0);
}), NULL};
// clang-format on
