// Animations of a glTF file: places of nodes and weights of morph targets between keyframes.
#include <math.h>
#include <string.h>

#include "mesh/gltf.h"

typedef enum Path { TRANSLATION, ROTATION, SCALE, WEIGHTS } Path;

typedef struct Channel {
    int node;
    Path path;
    int components; // of a key
    int key_count;
    double* times;  // key_count
    double* values; // components x key_count, or thrice that: tangents before and after
    bool step, cubic;
} Channel;

struct SnGltfMotion {
    int count;
    Channel* channels;
    double end;
};

static SnStatus check_times(const SnGltfScene* s, const SnJson* where, const Channel* c)
{
    for (int i = 0; i < c->key_count; i++)
        if (!isfinite(c->times[i]) || c->times[i] < 0 || (i > 0 && !(c->times[i] > c->times[i - 1])))
            return sn_reader_fail(&s->file.reader, where->at, SN_ERROR_FORMAT, "times of an animation must increase");
    return SN_OK;
}

static SnStatus read_sampler(const SnGltfScene* s, const SnJson* sampler, Channel* c)
{
    static const int sizes[] = {[TRANSLATION] = 3, [ROTATION] = 4, [SCALE] = 3, [WEIGHTS] = 1};
    const char* how = sn_json_text(sampler, "interpolation", "LINEAR");
    int64_t input, output;
    int values;
    c->step = strcmp(how, "STEP") == 0, c->cubic = strcmp(how, "CUBICSPLINE") == 0;
    SN_TRY(sn_json_integer(&s->file.reader, sampler, "input", 0, INT32_MAX, -1, &input));
    SN_TRY(sn_json_integer(&s->file.reader, sampler, "output", 0, INT32_MAX, -1, &output));
    SN_TRY(sn_gltf_numbers(&s->file, input, 1, &c->times, &c->key_count));
    SN_TRY(check_times(s, sampler, c));
    SN_TRY(sn_gltf_numbers(&s->file, output, sizes[c->path], &c->values, &values));
    c->components = c->path == WEIGHTS ? s->nodes[c->node].weight_count : sizes[c->path];
    int64_t wanted = (int64_t)c->key_count * (c->cubic ? 3 : 1) * (c->path == WEIGHTS ? c->components : 1);
    if (values == wanted) return SN_OK;
    return sn_reader_fail(&s->file.reader, sampler->at, SN_ERROR_FORMAT,
                          "an animation has %d values for %d times; it must have %lld", values, c->key_count,
                          (long long)wanted);
}

static SnStatus read_channel(const SnGltfScene* s, const SnJson* animation, const SnJson* json, SnGltfMotion* m)
{
    static const char* const paths[] = {"translation", "rotation", "scale", "weights", NULL};
    const SnJson* target = sn_json_find(json, "target");
    const char* path = sn_json_text(target, "path", "");
    int64_t node, sampler;
    int k = 0;
    SN_TRY(sn_json_integer(&s->file.reader, target, "node", 0, s->node_count - 1, -1, &node));
    SN_TRY(sn_json_integer(&s->file.reader, json, "sampler", 0, INT32_MAX, 0, &sampler));
    while (paths[k] && strcmp(paths[k], path) != 0) k++;
    if (node < 0 || !paths[k]) return SN_OK; // of an extension
    const SnJson* from = sn_json_item(sn_json_find(animation, "samplers"), sampler);
    if (!from) return sn_reader_fail(&s->file.reader, json->at, SN_ERROR_FORMAT, "an animation names no sampler");
    Channel* c = &m->channels[m->count++];
    c->node = (int)node, c->path = (Path)k;
    SN_TRY(read_sampler(s, from, c));
    if (c->key_count > 0) m->end = fmax(m->end, c->times[c->key_count - 1]);
    return SN_OK;
}

static SnStatus read_motion(SnGltfScene* s, SnGltfMotion* m)
{
    const SnJson *animation = sn_json_item(sn_json_find(s->file.root, "animations"), 0),
                 *channels = sn_json_find(animation, "channels");
    if (!channels || channels->kind != SN_JSON_LIST)
        return sn_fail(SN_ERROR_FORMAT, "%s: the file has no animation", s->file.reader.path);
    if (!SN_NEW(m->channels, channels->count, "an animation")) return SN_ERROR_MEMORY;
    for (const SnJson* c = channels->first; c; c = c->next) SN_TRY(read_channel(s, animation, c, m));
    for (int i = 0; i < m->count; i++)
        if (m->channels[i].path != WEIGHTS) s->nodes[m->channels[i].node].has_matrix = false;
    return SN_OK;
}

SnStatus sn_gltf_motion_create(SnGltfScene* scene, SnGltfMotion** out)
{
    SnGltfMotion* m;
    *out = NULL;
    if (!SN_NEW(m, 1, "an animation")) return SN_ERROR_MEMORY;
    SN_FINISH(read_motion(scene, m), m, sn_gltf_motion_destroy, out);
}

void sn_gltf_motion_destroy(SnGltfMotion* m)
{
    if (!m) return;
    for (int i = 0; i < m->count; i++) SN_FREE(m->channels[i].times, m->channels[i].values);
    SN_FREE(m->channels, m);
}

double sn_gltf_motion_end(const SnGltfMotion* motion)
{
    return motion->end;
}

// --- between keys ---

// The shorter way from one rotation to the next, at an even pace.
static void turn(const double* a, const double* b, double u, double out[4])
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = dot < 0 ? -1 : 1;
    dot = fmin(1, fabs(dot));
    double angle = acos(dot), whole = sin(angle);
    double from = whole > 1e-9 ? sin((1 - u) * angle) / whole : 1 - u, to = whole > 1e-9 ? sin(u * angle) / whole : u;
    for (int c = 0; c < 4; c++) out[c] = from * a[c] + sign * to * b[c];
}

static double hermite(const Channel* c, int key, int k, double u, double length)
{
    const double *a = c->values + 3 * (size_t)key * (size_t)c->components, *b = a + 3 * (size_t)c->components;
    double p = a[c->components + k], q = b[c->components + k];
    double out = length * a[2 * c->components + k], in = length * b[k], u2 = u * u, u3 = u2 * u;
    return (2 * u3 - 3 * u2 + 1) * p + (u3 - 2 * u2 + u) * out + (3 * u2 - 2 * u3) * q + (u3 - u2) * in;
}

static void sample(const Channel* c, double time, double* out)
{
    int n = c->components, key = 0;
    while (key + 1 < c->key_count && c->times[key + 1] <= time) key++;
    bool last = key + 1 >= c->key_count || time <= c->times[0];
    double length = last ? 1 : c->times[key + 1] - c->times[key],
           u = last || c->step ? 0 : (time - c->times[key]) / length;
    const double* a = c->values + (size_t)(c->cubic ? 3 * key + 1 : key) * (size_t)n;
    if (u > 0 && !c->cubic && c->path == ROTATION) {
        turn(a, a + n, u, out);
        return;
    }
    for (int k = 0; k < n; k++)
        out[k] = u <= 0 ? a[k] : c->cubic ? hermite(c, key, k, u, length) : (1 - u) * a[k] + u * a[n + k];
}

void sn_gltf_motion_apply(const SnGltfMotion* m, SnGltfScene* scene, double time)
{
    for (int i = 0; i < m->count; i++) {
        const Channel* c = &m->channels[i];
        SnGltfNode* n = &scene->nodes[c->node];
        double* const places[] = {n->translation, n->rotation, n->scale, n->weights};
        if (c->key_count > 0 && c->components > 0) sample(c, time, places[c->path]);
    }
    sn_gltf_scene_place(scene);
}
