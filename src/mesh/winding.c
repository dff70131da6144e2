// Generalised winding numbers, by a tree.
#include "mesh/winding.h"

#include "core/pi.h"
#include "linalg/vec3.h"

// Beyond this many radii a box is summed as a whole; w is off by less than 0.005 then.
static const double FAR = 3;

// The triangles below a box of the tree: N = sum of area vectors, C = sum of N_t (x_t - centre)^T.
typedef struct SnWindingBox {
    double centre[3], normal[3], first[9];
    double area, radius;
} SnWindingBox;

double sn_solid_angle(const double a[3], const double b[3], const double c[3], const double p[3])
{
    double u[3], v[3], w[3], n[3];
    sn_subtract3(a, p, u), sn_subtract3(b, p, v), sn_subtract3(c, p, w);
    double x = sn_length3(u), y = sn_length3(v), z = sn_length3(w);
    sn_cross3(v, w, n);
    double up = sn_dot3(u, n), down = x * y * z + sn_dot3(u, v) * z + sn_dot3(v, w) * x + sn_dot3(w, u) * y;
    return up == 0 ? 0 : 2 * atan2(up, down);
}

static void triangle_of(const SnWinding* w, int item, const double* corners[3])
{
    for (int k = 0; k < 3; k++) corners[k] = w->x + 3 * (int64_t)w->tree->items[3 * (int64_t)item + k];
}

static void area_vector(const double* const corners[3], double middle[3], double normal[3])
{
    double u[3], v[3];
    sn_subtract3(corners[1], corners[0], u), sn_subtract3(corners[2], corners[0], v);
    sn_cross3(u, v, normal);
    for (int c = 0; c < 3; c++) {
        normal[c] *= 0.5;
        middle[c] = (corners[0][c] + corners[1][c] + corners[2][c]) / 3;
    }
}

static void places_of(const SnTree* tree, int box, int64_t* first, int64_t* last)
{
    int level = 0;
    while ((2 << level) - 1 <= box) level++;
    int64_t shift = tree->depth - level, number = box - ((1 << level) - 1);
    *first = (number << shift) * tree->count >> tree->depth;
    *last = ((number + 1) << shift) * tree->count >> tree->depth;
}

static void sum_box(SnWinding* w, int index)
{
    SnWindingBox* box = &w->boxes[index];
    int64_t first, last;
    places_of(w->tree, index, &first, &last);
    double weight = 0;
    for (int64_t i = first; i < last; i++) {
        const double* corners[3];
        double middle[3], normal[3];
        triangle_of(w, w->tree->order[i], corners);
        area_vector(corners, middle, normal);
        double area = sn_length3(normal);
        weight += area;
        for (int c = 0; c < 3; c++) box->normal[c] += normal[c], box->centre[c] += area * middle[c];
    }
    for (int c = 0; c < 3; c++)
        box->centre[c] =
            weight > 0 ? box->centre[c] / weight : 0.5 * (w->tree->boxes[index].lo[c] + w->tree->boxes[index].hi[c]);
    box->area = weight;
    for (int64_t i = first; i < last; i++) {
        const double* corners[3];
        double middle[3], normal[3];
        triangle_of(w, w->tree->order[i], corners);
        area_vector(corners, middle, normal);
        for (int k = 0; k < 3; k++) box->radius = fmax(box->radius, sn_distance3(corners[k], box->centre));
        for (int k = 0; k < 9; k++) box->first[k] += normal[k / 3] * (middle[k % 3] - box->centre[k % 3]);
    }
}

SnStatus sn_winding_create(int triangle_count, const int* triangles, const double* x, SnWinding** out)
{
    SnWinding* w;
    *out = NULL;
    if (!SN_NEW(w, 1, "winding numbers")) return SN_ERROR_MEMORY;
    w->x = x;
    SnStatus status = sn_tree_create(triangle_count, 3, triangles, x, &w->tree);
    int count = status == SN_OK ? (2 << w->tree->depth) - 1 : 0;
    if (status == SN_OK && !SN_NEW(w->boxes, count, "winding numbers")) status = SN_ERROR_MEMORY;
    for (int k = 0; status == SN_OK && k < count; k++) sum_box(w, k);
    SN_FINISH(status, w, sn_winding_destroy, out);
}

void sn_winding_destroy(SnWinding* winding)
{
    if (!winding) return;
    sn_tree_destroy(winding->tree);
    SN_FREE(winding->boxes, winding);
}

// The solid angle of everything below a box as seen from far away: N.r/|r|^3 + C : (I/|r|^3 - 3 r r^T/|r|^5).
static double far_angle(const SnWindingBox* box, const double r[3], double square)
{
    double inverse = 1 / sqrt(square), cube = inverse * inverse * inverse, trace = 0, twice = 0;
    for (int i = 0; i < 3; i++) {
        trace += box->first[4 * i];
        for (int j = 0; j < 3; j++) twice += r[i] * box->first[3 * i + j] * r[j];
    }
    return cube * (sn_dot3(box->normal, r) + trace - 3 * twice * inverse * inverse);
}

static double leaf_angle(const SnWinding* w, int box, const double p[3])
{
    int64_t first, last;
    double sum = 0;
    places_of(w->tree, box, &first, &last);
    for (int64_t i = first; i < last; i++) {
        const double* corners[3];
        triangle_of(w, w->tree->order[i], corners);
        sum += sn_solid_angle(corners[0], corners[1], corners[2], p);
    }
    return sum;
}

double sn_winding_at(const SnWinding* w, const double p[3])
{
    int stack[64] = {0}, used = 1, leaves = (1 << w->tree->depth) - 1;
    double sum = 0;
    while (used > 0) {
        int k = stack[--used];
        const SnWindingBox* box = &w->boxes[k];
        double r[3];
        sn_subtract3(box->centre, p, r);
        double square = sn_dot3(r, r), reach = FAR * box->radius;
        if (square > reach * reach)
            sum += far_angle(box, r, square);
        else if (k >= leaves)
            sum += leaf_angle(w, k, p);
        else
            stack[used++] = 2 * k + 2, stack[used++] = 2 * k + 1;
    }
    return sum / (4 * SN_PI);
}

double sn_segment_meets(const double a[3], const double b[3], const double c[3], const double p[3], const double q[3])
{
    double u[3], v[3], n[3], d[3], s[3], m[3];
    sn_subtract3(b, a, u), sn_subtract3(c, a, v), sn_subtract3(q, p, d), sn_subtract3(p, a, s);
    sn_cross3(u, v, n);
    double down = -sn_dot3(d, n);
    if (down == 0) return -1;
    double t = sn_dot3(s, n) / down;
    if (!(t >= 0 && t <= 1)) return -1;
    sn_cross3(s, d, m);
    double beta = sn_dot3(v, m) / down, gamma = -sn_dot3(u, m) / down;
    return beta >= 0 && gamma >= 0 && beta + gamma <= 1 ? t : -1;
}
