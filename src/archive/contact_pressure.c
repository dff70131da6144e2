#include "archive/contact_pressure.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

// Weights of the corners of a node, an edge or a triangle for its point that is near p; how far that is from p.
static double find_weights(int count, const double (*x)[3], const double p[3], double* w)
{
    double e[2][3] = {{0}}, from[3], at[3];
    sn_subtract3(p, x[0], from);
    for (int k = 1; k < count; k++) sn_subtract3(x[k], x[0], e[k - 1]);
    double a = sn_dot3(e[0], e[0]), b = sn_dot3(e[0], e[1]), c = sn_dot3(e[1], e[1]), f = sn_dot3(from, e[0]),
           g = sn_dot3(from, e[1]), det = a * c - b * b, u = 0, v = 0;
    if (count == 2 && a > 0) u = f / a;
    if (count == 3 && det > 0) u = (c * f - b * g) / det, v = (a * g - b * f) / det;
    u = fmin(fmax(u, 0), 1), v = fmin(fmax(v, 0), 1 - u);
    w[0] = 1 - u - v, w[1] = u, w[2] = v;
    for (int k = 0; k < 3; k++) at[k] = x[0][k] + u * e[0][k] + v * e[1][k];
    return sn_distance3(at, p);
}

// Nodes of the pushed body come first: as many as have the contact's point among them.
static int find_split(const SnContactInfo* c, int count, const double (*x)[3])
{
    int best = 1;
    double w[3], least = INFINITY;
    for (int split = 1; split < count && split < 4; split++) {
        double distance = find_weights(split, x, c->point, w);
        if (distance < least * (1 - 1e-9)) least = distance, best = split;
    }
    return best;
}

static void spread(const SnContactInfo* c, const double* x, double* out)
{
    double corners[SN_CONTACT_NODES][3], w[SN_CONTACT_NODES] = {0};
    int count = 0;
    while (count < SN_CONTACT_NODES && c->nodes[count] >= 0) {
        memcpy(corners[count], x + 3 * (int64_t)c->nodes[count], sizeof *corners);
        count++;
    }
    int split = c->obstacle >= 0 ? count : find_split(c, count, (const double(*)[3])corners);
    if (split > 0 && split < 4) find_weights(split, (const double(*)[3])corners, c->point, w);
    for (int k = 0; k < split; k++) out[c->nodes[k]] += c->force * w[k];
    if (split == count) return;
    find_weights(count - split, (const double(*)[3])(corners + split), c->point, w);
    for (int k = split; k < count; k++) out[c->nodes[k]] += c->force * w[k - split];
}

static void add_areas(const SnBodyInfo* body, const double* x, double* area)
{
    const double* own = x + 3 * (int64_t)body->first_node;
    for (int i = 0; i < body->surface_count; i++) {
        const int* t = body->surface + 3 * (int64_t)i;
        double third = sn_triangle_area(own + 3 * (int64_t)t[0], own + 3 * (int64_t)t[1], own + 3 * (int64_t)t[2]) / 3;
        for (int k = 0; k < 3; k++) area[body->first_node + t[k]] += third;
    }
}

void sn_contact_pressures(const SnBodyInfo* bodies, int body_count, int node_count, const double* x,
                          const SnContactInfo* contacts, int contact_count, double* area, double* out)
{
    memset(area, 0, (size_t)node_count * sizeof *area);
    memset(out, 0, (size_t)node_count * sizeof *out);
    for (int i = 0; i < body_count; i++) add_areas(&bodies[i], x, area);
    for (int i = 0; i < contact_count; i++) spread(&contacts[i], x, out);
    for (int i = 0; i < node_count; i++) out[i] = area[i] > 0 ? out[i] / area[i] : 0;
}
