// GLSL. Light is linear throughout; the frame buffer encodes sRGB. Positions are relative to the picture's origin.
//
// Key light: percentage-closer soft shadows (Fernando 2005), blockers and filter on Vogel discs, with the receiver's
// plane as depth bias, turned from pixel to pixel by interleaved gradient noise (Jimenez 2014). Discs turn by the
// golden angle step by step: indexed uniforms are slow on processors. Sky: irradiance from a set of
// directions, each with a small shadow map of its own, evaluated per vertex and, for the ground, per texel of a small
// "carpet". The key's shadow on the ground is found per texel of another one, the "shade".
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
uniform int blocker_count;
uniform int tap_count;
const mat2 GOLDEN = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);
float key_visibility(vec3 p, vec3 n, float search, bool wanted) {
    vec3 q = (key_matrix * vec4(p + n * key_texel * key_radius * 2.0, 1.0)).xyz * 0.5 + 0.5;
    vec3 m = mat3(key_matrix) * n;
    vec2 slope = clamp(m.xy / max(-m.z, 1e-4 / key_radius), vec2(-3.0), vec2(3.0));
    float reference = q.z - 2.0 * key_texel;
    float depth = 0.0;
    float found = 0.0;
    bool inside = wanted && q.x > 0.0 && q.y > 0.0 && q.x < 1.0 && q.y < 1.0;
    int count = inside ? blocker_count : 0;
    float spin = 2.0 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 1.0;
    vec2 start = vec2(1.0 - spin * spin, 2.0 * spin) / (1.0 + spin * spin);
    vec2 turn = start * search / sqrt(float(blocker_count));
    for (int i = 0; i < count; i++) {
        vec2 o = turn * sqrt(float(i) + 0.5);
        turn = GOLDEN * turn;
        float d = textureLod(key_depth, q.xy + o, 0.0).r;
        float blocks = d < min(reference + dot(o, slope), 1.0) ? 1.0 : 0.0;
        depth += blocks * d;
        found += blocks;
    }
    float width = clamp((q.z - depth / max(found, 1.0)) * key_spread, key_texel * 1.5, search);
    float light = 0.0;
    count = found > 0.0 && found < float(blocker_count) ? tap_count : 0;
    turn = start * width / sqrt(float(tap_count));
    for (int i = 0; i < count; i++) {
        vec2 o = turn * sqrt(float(i) + 0.5);
        turn = GOLDEN * turn;
        light += textureLod(key_depth, q.xy + o, 0.0).r < min(reference + dot(o, slope), 1.0) ? 0.0 : 1.0;
    }
    return found == 0.0 ? 1.0 : light / float(tap_count);
});

static const char SKY[] = GLSL(
uniform int sky_count;
uniform vec2 sky_heights;
uniform vec3 sky_centre;
uniform float sky_radius;
uniform float sky_bias;
uniform sampler2DArrayShadow sky_maps;
const mat2 GOLDEN_SKY = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);
vec2 sky_visibility(vec3 p, vec3 n) {
    vec2 light = vec2(0.0);
    vec2 all = vec2(1e-6);
    vec2 turn = vec2(1.0, 0.0);
    for (int i = 0; i < sky_count; i++) {
        float height = mix(sky_heights.x, sky_heights.y, (float(i) + 0.5) / float(sky_count));
        float ring = sqrt(1.0 - height * height);
        vec3 d = vec3(ring * turn.x, height, ring * turn.y);
        vec3 right = vec3(turn.y, 0.0, -turn.x);
        float w = dot(n, d);
        vec3 x = (p + n * (w > 0.0 ? sky_bias : -sky_bias) - sky_centre) / sky_radius;
        vec3 q = vec3(dot(x, right), dot(x, cross(d, right)), -dot(x, d)) * 0.5 + 0.5;
        float v = texture(sky_maps, vec4(q.xy, float(i), min(q.z, 1.0) - 0.006));
        if (q.x < 0.0 || q.y < 0.0 || q.x > 1.0 || q.y > 1.0) v = 1.0;
        vec2 sides = vec2(max(w, 0.0), max(-w, 0.0));
        light += sides * v;
        all += sides;
        turn = GOLDEN_SKY * turn;
    }
    return sky_count > 0 ? light / all : vec2(1.0);
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

const char* const sn_shader_tile_vertex[] = {VERSION,  GLSL(
layout(location = 0) in vec2 corner;
uniform vec2 picture_size;
uniform vec3 ground_depths;
void main() {
    vec2 place = corner / picture_size * 2.0 - 1.0;
    gl_Position = vec4(place, dot(ground_depths, vec3(place, 1.0)), 1.0);
}), NULL};

const char* const sn_shader_carpet_fragment[] = {VERSION, SKY,  GLSL(
in vec2 place;
uniform vec3 carpet_centre;
uniform float carpet_radius;
out vec4 colour;
void main() {
    vec3 p = carpet_centre + vec3(place.x, 0.0, place.y) * carpet_radius;
    colour = vec4(sky_visibility(p, vec3(0.0, 1.0, 0.0)).x);
}), NULL};

const char* const sn_shader_shade_fragment[] = {VERSION, SHADOW,  GLSL(
in vec2 place;
uniform vec3 shade_centre;
uniform float shade_radius;
uniform float key_search;
out vec4 colour;
void main() {
    vec3 p = shade_centre + vec3(place.x, 0.0, place.y) * shade_radius;
    colour = vec4(key_visibility(p, vec3(0.0, 1.0, 0.0), key_search, true));
}), NULL};

// Bodies are first drawn into layers of two words, colour and sky light, normal and edge line, and a depth
// buffer. Normals are folded onto an octahedron, 12 bits each way.
const char* const sn_shader_body_vertex[] = {VERSION, SKY, GLSL(
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 colour;
layout(location = 3) in vec3 uv;
uniform mat4 camera_matrix;
out vec3 point_normal;
out vec3 texture_place;
out vec4 albedo;
out vec2 sky;
out vec3 corner;
void main() {
    point_normal = normal;
    texture_place = uv;
    albedo = colour;
    sky = sky_visibility(position, normal);
    int k = gl_VertexID % 3;
    corner = vec3(k == 0, k == 1, k == 2);
    gl_Position = camera_matrix * vec4(position, 1.0);
}), NULL};

static const char BODY[] = GLSL(
in vec3 point_normal;
in vec3 texture_place;
in vec4 albedo;
in vec2 sky;
in vec3 corner;
float squares(vec2 p) {
    vec2 w = max(fwidth(p), vec2(1e-6));
    vec2 i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
    return 0.5 - 0.5 * i.x * i.y;
}
layout(location = 0) out uvec4 layers;
void main() {
    vec3 n = point_normal * (gl_FrontFacing ? 1.0 : -1.0);
    float dark = checker > 0.0 ? texture_place.z * squares(texture_place.xy * checker) : 0.0;
    uvec3 c = uvec3(clamp(albedo.rgb, 0.0, 1.0) * mix(1.0, 0.55, dark) * 255.0 + 0.5);
    vec2 fold = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
    vec2 around = (1.0 - abs(fold.yx)) * vec2(fold.x < 0.0 ? -1.0 : 1.0, fold.y < 0.0 ? -1.0 : 1.0);
    uvec2 m = uvec2((n.z < 0.0 ? around : fold) * 2047.0 + 2048.0);
    float open = clamp(gl_FrontFacing ? sky.x : sky.y, 0.0, 1.0);
    vec3 w = fwidth(corner);
    vec3 s = smoothstep(w * 0.35, w * 1.15, corner);
    float line = 1.0 - min(min(s.x, s.y), s.z);
    float crowd = max(max(w.x, w.y), w.z);
    line *= wireframe * albedo.a * clamp(1.4 - 1.6 * crowd, 0.15, 1.0);
    layers.x = c.x | (c.y << 8u) | (c.z << 16u) | (uint(open * 255.0) << 24u);
    layers.y = m.x | (m.y << 12u) | (uint(line * 255.0) << 24u);
    layers.z = floatBitsToUint(gl_FragCoord.z);
    layers.w = 0u;
});

const char* const sn_shader_body_fragment[] = {VERSION, GLSL(
uniform float wireframe;
uniform float checker;
), BODY, NULL};

// What is constant costs nothing.
const char* const sn_shader_plain_fragment[] = {VERSION, GLSL(
const float wireframe = 0.0;
const float checker = 0.0;
), BODY, NULL};

// Then pixels are lit.
static const char LIGHT[] = GLSL(
uniform vec3 eye;
uniform vec3 view_forward;
uniform vec3 view_right;
uniform vec3 view_up;
uniform vec3 fill_direction;
uniform float ground_height;
uniform float ground_present;
uniform vec3 ground_centre;
uniform float ground_radius;
uniform vec3 carpet_centre;
uniform float carpet_radius;
uniform sampler2D carpet;
uniform vec3 shade_centre;
uniform float shade_radius;
uniform sampler2D shade;
uniform vec2 grid_origin;
uniform float grid_spacing;
uniform float key_search;
vec3 view_ray(vec2 pixel) {
    vec2 q = pixel / picture_size * 2.0 - 1.0;
    return view_forward + q.x * view_right + q.y * view_up;
}
float ground_depth(vec3 ray) { return (ground_height - eye.y) / min(ray.y, -1e-5); }
float grid(vec2 p, vec2 spread) {
    vec2 q = p / grid_spacing;
    vec2 w = max(spread / grid_spacing, vec2(0.006));
    vec2 d = abs(fract(q - 0.5) - 0.5);
    vec2 l = (1.0 - smoothstep(w * 0.4, w * 1.3, d)) * clamp(0.02 / w, 0.0, 1.0);
    return max(l.x, l.y);
}
struct Ground {
    vec3 point;
    vec2 spread;
    float depth;
    float fade;
};
Ground find_ground(vec3 ray) {
    Ground ground;
    ground.depth = ground_depth(ray);
    ground.point = eye + ray * ground.depth;
    ground.spread = fwidth(ground.point.xz);
    float fade = 1.0 - smoothstep(0.25, 1.0, length(ground.point.xz - ground_centre.xz) / ground_radius);
    ground.fade = ray.y > -1e-4 ? 0.0 : fade * ground_present;
    return ground;
}
float ground_key(vec3 p) {
    return textureLod(shade, (p.xz - shade_centre.xz) / shade_radius * 0.5 + 0.5, 0.0).r;
}
vec3 ground_colour(vec3 p) {
    vec2 c = (p.xz - carpet_centre.xz) / carpet_radius;
    float inside = 1.0 - smoothstep(0.75, 1.0, max(abs(c.x), abs(c.y)));
    float open = mix(1.0, 0.16 + 0.84 * textureLod(carpet, c * 0.5 + 0.5, 0.0).r, inside);
    return vec3(0.52, 0.505, 0.49) * ground_key(p) + vec3(0.48, 0.495, 0.51) * open;
}
uniform float transparent;
vec4 ground_light(Ground ground, vec2 pixel) {
    vec3 light = ground_colour(ground.point);
    if (transparent > 0.0) return vec4(0.0, 0.0, 0.0, ground.fade * (1.0 - dot(light, vec3(1.0 / 3.0))));
    light *= 1.0 - 0.10 * grid(ground.point.xz - grid_origin, ground.spread);
    return vec4(backdrop(pixel) * mix(vec3(1.0), light, ground.fade), 1.0);
}
vec3 body_light(vec3 p, vec3 n, vec3 ray, vec3 base, float key, float open, float line) {
    vec3 v = -normalize(ray);
    float up = 0.5 + 0.5 * n.y;
    float facing = dot(n, key_direction);
    float lambert = smoothstep(-0.02, 0.12, facing) * max(facing, 0.0) * key;
    vec3 ambient = vec3(0.40, 0.45, 0.52) * (0.25 + 0.75 * up) * mix(0.25, 1.0, open * open);
    float near_ground = ground_present * exp(-max(p.y - ground_height, 0.0) / (0.35 * key_radius));
    vec3 bounce = vec3(0.30, 0.27, 0.24) * (1.0 - up) * (1.0 - 0.45 * near_ground * (1.0 - up));
    float fill = max(dot(n, fill_direction), 0.0) * (0.4 + 0.6 * open);
    vec3 light = base * (vec3(1.04, 1.0, 0.95) * lambert + ambient + bounce + vec3(0.12, 0.125, 0.14) * fill);
    float rim = 1.0 - clamp(dot(n, v), 0.0, 1.0);
    float fresnel = 0.04 + 0.96 * rim * rim * rim * rim * rim;
    float gloss = max(dot(n, normalize(v + key_direction)), 0.0);
    for (int i = 0; i < 6; i++) gloss *= gloss;
    gloss *= 0.15 * key;
    light += vec3(gloss) + fresnel * vec3(0.42, 0.45, 0.5) * up * open * 0.35;
    light *= 1.0 - line;
    return mix(light, 1.0 - exp(-light * 1.25), smoothstep(0.55, 1.3, light));
});

// Where no body can be, there is only ground.
const char* const sn_shader_ground_fragment[] = {VERSION, BACKDROP, SHADOW, LIGHT, GLSL(
out vec4 colour;
void main() {
    colour = ground_light(find_ground(view_ray(gl_FragCoord.xy)), gl_FragCoord.xy);
}), NULL};

static const char LAYERS[] = GLSL(
uniform vec2 depth_range;
out vec4 colour;
vec3 unpack_normal(uint m) {
    vec2 f = (vec2(uvec2(m, m >> 12u) & 4095u) - 2047.5) / 2047.0;
    vec3 n = vec3(f, 1.0 - abs(f.x) - abs(f.y));
    float under = max(-n.z, 0.0);
    n.x += n.x < 0.0 ? under : -under;
    n.y += n.y < 0.0 ? under : -under;
    return normalize(n);
}
float distance_of(float d) {
    return depth_range.x * depth_range.y / (depth_range.y - d * (depth_range.y - depth_range.x));
}
vec3 layer_light(uvec2 a, float depth, vec3 ray) {
    vec3 n = unpack_normal(a.y);
    vec3 p = eye + ray * distance_of(depth);
    float key = key_visibility(p, n, key_search, dot(n, key_direction) > 0.0);
    vec3 code = vec3(uvec3(a.x, a.x >> 8u, a.x >> 16u) & 255u) / 255.0;
    vec3 base = code * (code * (code * 0.3053 + 0.6822) + 0.0125);
    return body_light(p, n, ray, base, key, float(a.x >> 24u) / 255.0, float(a.y >> 24u) / 255.0);
});

// Where each pixel has one sample, and the ground is not before it.
static const char PIXEL[] = GLSL(
uniform usampler2D layers;
void main() {
    uvec3 a = texelFetch(layers, ivec2(gl_FragCoord.xy), 0).xyz;
    colour = vec4(layer_light(a.xy, uintBitsToFloat(a.z), view_ray(gl_FragCoord.xy)), 1.0);
});

// Where it has several: once for each different surface among them, and the results are averaged. llvmpipe has no
// branches, and goes through the body of a loop once even if no pixel wants it, and once more where the condition
// stands before it: so it stands behind it, and what is rarely wanted is not in a loop of its own.
static const char PIXELS[] = GLSL(
uniform usampler2DMS layers;
uniform sampler2DMS depths;
float depth_of(float w) { return depth_range.y * (1.0 - depth_range.x / w) / (depth_range.y - depth_range.x); }
bool are_alike(uvec2 a, uvec2 b) {
    ivec2 near = abs(ivec2(uvec2(a.y, a.y >> 12u) & 4095u) - ivec2(uvec2(b.y, b.y >> 12u) & 4095u));
    int open = abs(int(a.x >> 24u) - int(b.x >> 24u));
    return ((a.x ^ b.x) & 0xffffffu) == 0u && open < 16 && near.x + near.y < 300;
}
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec3 ray = view_ray(gl_FragCoord.xy);
    Ground ground = find_ground(ray);
    float behind = ground.fade > 0.0 ? min(depth_of(ground.depth * 1.0001), 1.0) : 1.0;
    float d[SAMPLES];
    int todo = 0;
    float bare = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        d[i] = texelFetch(depths, pixel, i).r;
        todo |= d[i] < behind ? 1 << i : 0;
        bare += d[i] < behind ? 0.0 : 1.0;
    }
    vec4 sum = bare * ground_light(ground, gl_FragCoord.xy);
    uvec2 s[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) s[i] = texelFetch(layers, pixel, i).xy;
    do {
        uvec2 a = s[0];
        float depth = d[0];
        for (int i = SAMPLES - 1; i >= 0; i--) {
            bool left = (todo & (1 << i)) != 0;
            a = left ? s[i] : a;
            depth = left ? d[i] : depth;
        }
        float same = 0.0;
        for (int i = 0; i < SAMPLES; i++) {
            bool alike = (todo & (1 << i)) != 0 && are_alike(a, s[i]);
            same += alike ? 1.0 : 0.0;
            todo &= alike ? ~(1 << i) : -1;
        }
        vec3 light = layer_light(a, depth, ray);
        sum += same > 0.0 ? same * vec4(light, 1.0) : vec4(0.0);
    } while (todo != 0);
    colour = vec4(sum.rgb / max(sum.a, 1e-4), sum.a / float(SAMPLES));
});

// Loops of a known length are unrolled.
#define LIGHT_OF(samples, main) \
    {VERSION, "const int SAMPLES = " #samples ";\n", BACKDROP, SHADOW, LIGHT, LAYERS, main, NULL}
const char* const sn_shader_light_fragments[4][8] = {LIGHT_OF(1, PIXEL), LIGHT_OF(2, PIXELS), LIGHT_OF(4, PIXELS),
                                                     LIGHT_OF(8, PIXELS)};
// clang-format on
