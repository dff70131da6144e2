// Positions go as 16-bit numbers between the corners of each body's box, and only those of nodes that are drawn.
#include "live/show.h"

#include <math.h>
#include <string.h>

#include "archive/remake.h"
#include "archive/run_file.h"
#include "core/memory.h"
#include "linalg/vec3.h"
#include "view/picture_surface.h"
#include <sinew/field.h>

// The part of a body that is drawn: nodes of its surface, or vertices of the skin that it carries.
typedef struct Drawn {
    const SnSkin* skin; // NULL: none
    int first_node, node_count;
    int* nodes; // node_count, of the run, one as often as there are creases; of a skin's vertex the one that carries
                // most of it
    double* x;  // 3 x node_count: in the frame at hand
    int triangle_count, edge_count;
    int *triangles, *edges; // by numbers among `nodes`
} Drawn;

struct SnShow {
    SnRunFile* run;
    int body_count;
    Drawn* bodies;
    double *x, *v, *start; // 3 x node_count: of the last frame that was asked for; of the first one
    double* vertices;      // of the largest obstacle
    SnScene* scene;        // for what bodies bear; NULL: nobody has asked
    SnWorld* world;
    double* borne; // node_count
};

const char* sn_show_field_name(SnShowField field)
{
    static const char* const names[SN_SHOW_FIELDS] = {"plain",     "speed",    "moved",        "residual",
                                                      "von-mises", "pressure", "volume-ratio", "energy-density"};
    return names[field];
}

// The carrier with the largest weight.
static int carrier_of(const SnSkin* skin, int64_t vertex)
{
    int64_t first = skin->carrier_count * vertex, most = first;
    for (int64_t k = first; k < first + skin->carrier_count; k++)
        if (skin->weights[k] > skin->weights[most]) most = k;
    return skin->carriers[most];
}

static SnStatus draw_skin(const SnBodyInfo* body, Drawn* d)
{
    const SnFaces* faces = &body->skin->faces;
    d->skin = body->skin, d->node_count = body->skin->vertex_count;
    d->triangle_count = sn_faces_triangle_count(faces);
    if (!SN_NEW(d->nodes, d->node_count, "a view") || !SN_NEW(d->triangles, 3 * (int64_t)d->triangle_count, "a view"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < d->node_count; i++) d->nodes[i] = body->first_node + carrier_of(body->skin, i);
    sn_faces_triangles(faces, d->triangles);
    for (int64_t i = 0; i < 3 * (int64_t)d->triangle_count; i++) d->triangles[i] = faces->corners[d->triangles[i]];
    return SN_OK;
}

// A node on an edge of its rest shape comes several times, so that the edge is seen.
static SnStatus draw_surface(const SnBodyInfo* body, Drawn* d)
{
    SnPictureSurface* surface;
    SN_TRY(sn_picture_surface_create(body->node_count, body->rest, body->surface_count, body->surface, SN_CREASE,
                                     &surface));
    d->node_count = surface->vertex_count, d->triangle_count = surface->triangle_count;
    d->nodes = surface->source, d->triangles = surface->triangles;
    surface->source = surface->triangles = NULL;
    sn_picture_surface_destroy(surface);
    for (int i = 0; i < d->node_count; i++) d->nodes[i] += body->first_node;
    return SN_OK;
}

static SnStatus draw_rope(const SnBodyInfo* body, int* number, Drawn* d)
{
    memset(number, 0, (size_t)body->node_count * sizeof *number);
    d->edge_count = body->edge_count;
    if (!SN_NEW(d->nodes, body->node_count, "a view") || !SN_NEW(d->edges, 2 * (int64_t)d->edge_count, "a view"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < 2 * body->edge_count; i++) {
        int* own = &number[body->edges[i]];
        if (*own == 0) d->nodes[d->node_count] = body->first_node + body->edges[i], *own = ++d->node_count;
        d->edges[i] = *own - 1;
    }
    return SN_OK;
}

static SnStatus draw_body(const SnBodyInfo* body, int* number, Drawn* d)
{
    d->first_node = body->first_node;
    if (body->skin && body->skin->carriers)
        SN_TRY(draw_skin(body, d));
    else
        SN_TRY(body->surface_count > 0 ? draw_surface(body, d) : draw_rope(body, number, d));
    return SN_NEW(d->x, 3 * (int64_t)d->node_count, "a view") ? SN_OK : SN_ERROR_MEMORY;
}

// Where it is, of nodes at x.
static void place(const Drawn* d, const double* x)
{
    if (d->skin) sn_skin_carry(d->skin, x + 3 * (int64_t)d->first_node, d->x);
    for (int i = 0; i < d->node_count && !d->skin; i++)
        memcpy(d->x + 3 * (int64_t)i, x + 3 * (int64_t)d->nodes[i], 3 * sizeof *x);
}

static SnStatus draw_bodies(SnShow* show)
{
    int *number, n = sn_run_file_node_count(show->run);
    const SnBodyInfo* bodies = sn_run_file_bodies(show->run);
    SnStatus status = SN_OK;
    show->body_count = sn_run_file_body_count(show->run);
    if (!SN_NEW(show->bodies, show->body_count, "a view") || !SN_NEW(number, n, "a view")) return SN_ERROR_MEMORY;
    for (int b = 0; b < show->body_count && status == SN_OK; b++)
        status = draw_body(&bodies[b], number, &show->bodies[b]);
    sn_free(number);
    return status;
}

static SnStatus fill(SnShow* show, const char* path)
{
    int most = 1;
    SN_TRY(sn_run_file_open(path, &show->run));
    int64_t n = 3 * (int64_t)sn_run_file_node_count(show->run);
    for (int i = 0; i < sn_run_file_obstacle_count(show->run); i++)
        if (sn_run_file_obstacles(show->run)[i].vertex_count > most)
            most = sn_run_file_obstacles(show->run)[i].vertex_count;
    if (!SN_NEW(show->x, n, "a view") || !SN_NEW(show->v, n, "a view") || !SN_NEW(show->start, n, "a view") ||
        !SN_NEW(show->vertices, 3 * (int64_t)most, "a view"))
        return SN_ERROR_MEMORY;
    SN_TRY(draw_bodies(show));
    return sn_run_file_frame_count(show->run) > 0 ? sn_run_file_read_frame(show->run, 0, show->start, NULL) : SN_OK;
}

SnStatus sn_show_open(const char* path, SnShow** out)
{
    SnShow* show;
    *out = NULL;
    if (!SN_NEW(show, 1, "a view")) return SN_ERROR_MEMORY;
    SN_FINISH(fill(show, path), show, sn_show_close, out);
}

void sn_show_close(SnShow* show)
{
    if (!show) return;
    for (int b = 0; b < show->body_count && show->bodies; b++)
        SN_FREE(show->bodies[b].nodes, show->bodies[b].x, show->bodies[b].triangles, show->bodies[b].edges);
    sn_run_file_destroy(show->run);
    sn_world_destroy(show->world);
    sn_scene_destroy(show->scene);
    SN_FREE(show->bodies, show->x, show->v, show->start, show->vertices, show->borne, show);
}

SnStatus sn_show_reopen(SnShow* show, const char* path)
{
    SnShow *other, before = *show;
    SN_TRY(sn_show_open(path, &other));
    *show = *other, *other = before;
    sn_show_close(other);
    return SN_OK;
}

int sn_show_frame_count(const SnShow* show)
{
    return sn_run_file_frame_count(show->run);
}

double sn_show_interval(const SnShow* show)
{
    int last = sn_show_frame_count(show) - 1;
    if (last < 1) return sn_run_file_time_step(show->run);
    return (sn_run_file_frame_time(show->run, last) - sn_run_file_frame_time(show->run, 0)) / last;
}

SnStatus sn_show_refresh(SnShow* show)
{
    return sn_run_file_refresh(show->run);
}

bool sn_show_has_grown(const SnShow* show)
{
    return sn_run_file_has_grown(show->run);
}

const char* sn_show_path(const SnShow* show)
{
    return sn_run_file_path(show->run);
}

int sn_show_body_count(const SnShow* show)
{
    return show->body_count;
}

static void add_ints(SnMessage* message, const char* name, int count, const int* items)
{
    int offset;
    int* array = sn_message_array(message, 4 * (int64_t)count, &offset);
    if (array && count) memcpy(array, items, 4 * (size_t)count);
    sn_message_print(message, ",\"%s\":{\"at\":%d,\"count\":%d}", name, offset, count);
}

static void add_floats(SnMessage* message, const char* name, int count, const double* values)
{
    int offset;
    float* array = sn_message_array(message, 4 * (int64_t)count, &offset);
    for (int i = 0; i < count && array; i++) array[i] = (float)values[i];
    sn_message_print(message, ",\"%s\":{\"at\":%d,\"count\":%d}", name, offset, count);
}

// m, across its rest shape.
static double size_of(const SnBodyInfo* body)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t k = 0; k < 3 * (int64_t)body->node_count; k++)
        low[k % 3] = fmin(low[k % 3], body->rest[k]), high[k % 3] = fmax(high[k % 3], body->rest[k]);
    return sn_distance3(low, high);
}

static void describe_body(const SnShow* show, int b, SnMessage* m)
{
    const Drawn* d = &show->bodies[b];
    sn_message_print(m, "%s{\"name\":", b ? "," : "");
    sn_message_quote(m, sn_run_file_bodies(show->run)[b].name);
    sn_message_print(m, ",\"nodes\":%d,\"first\":%d,\"size\":", d->node_count,
                     sn_run_file_bodies(show->run)[b].first_node);
    sn_message_number(m, size_of(&sn_run_file_bodies(show->run)[b]));
    add_ints(m, "triangles", 3 * d->triangle_count, d->triangles);
    add_ints(m, "edges", 2 * d->edge_count, d->edges);
    add_ints(m, "numbers", d->node_count, d->nodes);
    sn_message_print(m, "}");
}

static void describe_obstacle(SnShow* show, int k, SnMessage* m)
{
    const SnRunObstacle* o = &sn_run_file_obstacles(show->run)[k];
    sn_message_print(m, "%s{\"name\":", k ? "," : "");
    sn_message_quote(m, o->name);
    sn_message_print(m, ",\"type\":");
    sn_message_quote(m, o->type);
    sn_message_print(m, ",\"plane\":%s,\"changes\":%s,\"point\":", o->plane ? "true" : "false",
                     o->changes ? "true" : "false");
    sn_message_numbers(m, 3, o->point);
    sn_message_print(m, ",\"normal\":");
    sn_message_numbers(m, 3, o->normal);
    if (!o->plane) {
        SnStatus status = sn_run_file_read_obstacle(show->run, 0, k, NULL, show->vertices);
        if (status != SN_OK) m->status = status;
        add_floats(m, "vertices", 3 * o->vertex_count, show->vertices);
        add_ints(m, "triangles", 3 * o->triangle_count, o->triangles);
    }
    sn_message_print(m, "}");
}

void sn_show_describe(SnShow* show, SnMessage* m)
{
    sn_message_print(m, "{\"name\":");
    sn_message_quote(m, sn_run_file_name(show->run));
    sn_message_print(m, ",\"file\":");
    sn_message_quote(m, sn_run_file_path(show->run));
    sn_message_print(m, ",\"frames\":%d,\"interval\":", sn_show_frame_count(show));
    sn_message_number(m, sn_show_interval(show));
    double up[3];
    SnStatus status = sn_run_file_up(show->run, up);
    if (status != SN_OK) m->status = status;
    sn_message_print(m, ",\"up\":");
    sn_message_numbers(m, 3, up);
    sn_message_print(m, ",\"bodies\":[");
    for (int b = 0; b < show->body_count; b++) describe_body(show, b, m);
    sn_message_print(m, "],\"obstacles\":[");
    for (int k = 0; k < sn_run_file_obstacle_count(show->run); k++) describe_obstacle(show, k, m);
    sn_message_print(m, "]}");
}

// The box of the nodes; where a coordinate is not a number, they are all in a corner.
static void bound(const Drawn* d, double low[3], double size[3])
{
    double high[3];
    for (int c = 0; c < 3; c++) low[c] = INFINITY, high[c] = -INFINITY;
    for (int i = 0; i < d->node_count; i++)
        for (int c = 0; c < 3; c++) {
            double value = d->x[3 * (int64_t)i + c];
            low[c] = value < low[c] ? value : low[c];
            high[c] = value > high[c] ? value : high[c];
        }
    for (int c = 0; c < 3; c++) {
        size[c] = high[c] - low[c];
        if (!isfinite(size[c])) low[c] = 0, size[c] = 0;
    }
}

static uint16_t quantise(double value, double low, double size)
{
    double part = size > 0 ? (value - low) / size : 0;
    return part >= 0 && part <= 1 ? (uint16_t)lrint(65535 * part) : 0;
}

// FNV-1a.
static uint64_t hash(uint64_t value, const void* data, size_t size)
{
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; i++) value = (value ^ bytes[i]) * 0x100000001b3u;
    return value;
}

static double field_of(const SnShow* show, SnShowField field, int node)
{
    double d[3];
    const double *x = show->x + 3 * (int64_t)node, *start = show->start + 3 * (int64_t)node;
    if (field == SN_SHOW_SPEED) return sn_length3(show->v + 3 * (int64_t)node);
    if (field >= SN_SHOW_RESIDUAL) return show->borne[node];
    for (int c = 0; c < 3; c++) d[c] = x[c] - start[c];
    return sn_length3(d);
}

// Of a skin between what its carriers have, also where it lies outside of them: no speed is negative.
static double drawn_field(const SnShow* show, const Drawn* d, SnShowField field, int i)
{
    if (!d->skin) return field_of(show, field, d->nodes[i]);
    double sum = 0, low = INFINITY, high = -INFINITY;
    for (int64_t k = (int64_t)d->skin->carrier_count * i; k < (int64_t)d->skin->carrier_count * (i + 1); k++) {
        double value = field_of(show, field, d->first_node + d->skin->carriers[k]);
        sum += d->skin->weights[k] * value;
        low = fmin(low, value), high = fmax(high, value);
    }
    return low <= high ? fmin(fmax(sum, low), high) : sum;
}

static void add_field(const SnShow* show, const Drawn* d, SnShowField field, SnMessage* m)
{
    int at;
    float* values = sn_message_array(m, 4 * (int64_t)d->node_count, &at);
    for (int i = 0; i < d->node_count && values; i++) values[i] = (float)drawn_field(show, d, field, i);
    sn_message_print(m, ",\"field\":%d", at);
}

static void add_body(const SnShow* show, int b, const SnShowWish* wish, uint64_t* seen, SnMessage* m)
{
    const Drawn* d = &show->bodies[b];
    double low[3], size[3];
    int at, before = m->array_count;
    place(d, show->x);
    bound(d, low, size);
    uint16_t* array = sn_message_array(m, 6 * (int64_t)d->node_count, &at);
    if (!array) return;
    for (int i = 0; i < d->node_count; i++)
        for (int c = 0; c < 3; c++) array[3 * i + c] = quantise(d->x[3 * (int64_t)i + c], low[c], size[c]);
    uint64_t now = hash(hash(0xcbf29ce484222325u, low, sizeof low), size, sizeof size);
    now = hash(now + wish->field, array, 6 * (size_t)d->node_count);
    if (wish->field == SN_SHOW_PLAIN && *seen == now) { // it has not moved: the page has it
        m->array_count = before;
        return;
    }
    *seen = now;
    sn_message_print(m, "{\"body\":%d,\"at\":%d,\"low\":", b, at);
    sn_message_numbers(m, 3, low);
    sn_message_print(m, ",\"size\":");
    sn_message_numbers(m, 3, size);
    if (wish->field != SN_SHOW_PLAIN) add_field(show, d, wish->field, m);
    sn_message_print(m, "},");
}

static SnStatus add_obstacle(SnShow* show, int frame, int k, SnMessage* m)
{
    SnPose pose;
    const SnRunObstacle* o = &sn_run_file_obstacles(show->run)[k];
    SN_TRY(sn_run_file_read_obstacle(show->run, frame, k, &pose, o->changes ? show->vertices : NULL));
    sn_message_print(m, "%s{\"rotation\":", k ? "," : "");
    sn_message_numbers(m, 9, pose.rotation);
    sn_message_print(m, ",\"shift\":");
    sn_message_numbers(m, 3, pose.shift);
    if (o->changes) add_floats(m, "vertices", 3 * o->vertex_count, show->vertices);
    sn_message_print(m, "}");
    return SN_OK;
}

// Nine numbers each: where, the normal force, friction.
static SnStatus add_contacts(SnShow* show, int frame, SnMessage* m)
{
    const SnContactInfo* contacts;
    int count, at;
    SN_TRY(sn_run_file_read_contacts(show->run, frame, &contacts, &count));
    float* array = sn_message_array(m, 36 * (int64_t)count, &at);
    for (int i = 0; i < count && array; i++)
        for (int c = 0; c < 3; c++) {
            array[9 * i + c] = (float)contacts[i].point[c];
            array[9 * i + 3 + c] = (float)(contacts[i].force * contacts[i].normal[c]);
            array[9 * i + 6 + c] = (float)contacts[i].friction[c];
        }
    sn_message_print(m, ",\"contacts\":{\"at\":%d,\"count\":%d}", at, 9 * count);
    return SN_OK;
}

static SnStatus make_world(SnShow* show)
{
    if (show->world) return SN_OK;
    sn_scene_destroy(show->scene);
    SnStatus status = sn_remake_scene(show->run, &show->scene);
    if (status == SN_OK) status = sn_remake_world(show->run, show->scene, &show->world);
    if (status == SN_OK) return SN_OK;
    sn_scene_destroy(show->scene); // also one with mistakes
    show->scene = NULL;
    return status;
}

// What nodes bear where they are now, or what was left over there.
static SnStatus find_borne(SnShow* show, int frame, SnShowField field)
{
    if (!show->borne && !SN_NEW(show->borne, sn_run_file_node_count(show->run), "a view")) return SN_ERROR_MEMORY;
    if (field == SN_SHOW_RESIDUAL) return sn_run_file_read_residuals(show->run, frame, show->borne);
    SN_TRY(make_world(show));
    SN_TRY(sn_remake_go(show->run, show->scene, &show->world, frame, show->x, show->v));
    return sn_world_field(show->world, sn_show_field_name(field), SN_FIELD_NODES, show->borne);
}

SnStatus sn_show_frame(SnShow* show, int frame, const SnShowWish* wish, uint64_t* seen, SnMessage* m)
{
    double time = sn_run_file_frame_time(show->run, frame);
    bool still = wish->field == SN_SHOW_PLAIN || wish->field == SN_SHOW_MOVED;
    SN_TRY(sn_run_file_read_frame(show->run, frame, show->x, still ? NULL : show->v));
    if (wish->field >= SN_SHOW_RESIDUAL) SN_TRY(find_borne(show, frame, wish->field));
    sn_message_print(m, "{\"frame\":%d,\"step\":%lld,\"time\":", frame,
                     (long long)sn_run_file_frame_step(show->run, frame));
    sn_message_number(m, time);
    sn_message_print(m, ",\"bodies\":[");
    for (int b = 0; b < show->body_count; b++) add_body(show, b, wish, &seen[b], m);
    sn_message_print(m, "null],\"obstacles\":[");
    for (int k = 0; k < sn_run_file_obstacle_count(show->run); k++) SN_TRY(add_obstacle(show, frame, k, m));
    sn_message_print(m, "]");
    if (wish->contacts) SN_TRY(add_contacts(show, frame, m));
    sn_message_print(m, "}");
    return m->status;
}

static double number_of(const SnRunStep* step, const SnRunColumn* column)
{
    const void* member = (const char*)step + column->offset;
    if (column->type == SN_COLUMN_INT64) return (double)*(const int64_t*)member;
    if (column->type == SN_COLUMN_INT) return *(const int*)member;
    return *(const double*)member;
}

SnStatus sn_show_steps(SnShow* show, int64_t after, SnMessage* m)
{
    const SnRunStep* steps;
    int count, width, at;
    SN_TRY(sn_run_file_read_steps(show->run, after, &steps, &count));
    const SnRunColumn* columns = sn_run_columns(&width);
    sn_message_print(m, "{\"count\":%d,\"columns\":[", count);
    for (int c = 0, first = 1; c < width; c++) {
        if (columns[c].type == SN_COLUMN_TEXT || columns[c].type == SN_COLUMN_NODES) continue;
        float* values = sn_message_array(m, 4 * (int64_t)count, &at);
        for (int i = 0; i < count && values; i++) values[i] = (float)number_of(&steps[i], &columns[c]);
        sn_message_print(m, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"at\":%d}", first ? "" : ",", columns[c].name,
                         columns[c].unit, at);
        first = 0;
    }
    sn_message_print(m, "],\"outcomes\":[");
    for (int i = 0; i < count; i++) {
        if (i) sn_message_print(m, ",");
        sn_message_quote(m, steps[i].outcome);
    }
    sn_message_print(m, "]}");
    return m->status;
}
