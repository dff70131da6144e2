// Bodies that are small are worked on side by side, large ones one after the other by all threads.
#include "solver/history.h"

#include <math.h>
#include <string.h>

#include "core/share.h"
#include "linalg/node_vector.h"

#define CURVED 1e-12 // s.y of |s| |y| from which on a pair has curvature,
#define SHARE 1e-6   // and of the largest of all bodies
enum { LARGE = 16384, MOST_PRODUCTS = 6 * SN_MOST_PAIRS + 2 };

void sn_history_free(SnHistory* l)
{
    for (int i = 0; i < l->history; i++) sn_free(l->s[i]), sn_free(l->y[i]), sn_free(l->z[i]);
    sn_free(l->bodies), sn_free(l->numbers), sn_free(l->flags);
    l->history = 0, l->bodies = NULL, l->numbers = NULL, l->flags = NULL;
}

static SnStatus make_vectors(SnHistory* l)
{
    for (int i = 0; i < l->history; i++) {
        if (!SN_NEW(l->s[i], l->size, "the history") || !SN_NEW(l->y[i], l->size, "the history"))
            return SN_ERROR_MEMORY;
        if (l->linear && !SN_NEW(l->z[i], l->size, "the history")) return SN_ERROR_MEMORY;
    }
    return SN_OK;
}

// numbers: 2 h^2 + 2 h of each part
static void set_part(const SnHistory* l, int index, SnHistoryPart* part)
{
    int64_t h = l->history, each = 2 * h * h + 2 * h;
    double* numbers = l->numbers + index * each;
    part->sy = numbers, part->yz = numbers + h * h;
    part->sg = numbers + 2 * h * h, part->yp = part->sg + h;
    part->curved = l->flags + index * h;
    part->scale = 1;
}

static void find_bodies(SnHistory* l, int node_count, const int* body)
{
    int count = 0;
    for (int i = 0; i < node_count; i++) {
        if (body[i] == i) l->bodies[count++].first = 3 * i;
        l->bodies[count - 1].count += 3;
    }
}

SnStatus sn_history_create(SnHistory* l, SnTasks* tasks, int node_count, const int* body)
{
    l->tasks = tasks;
    l->size = 3 * node_count;
    for (int i = 0; i < node_count; i++) l->body_count += body[i] == i;
    int64_t h = l->history, parts = (int64_t)l->body_count + 1;
    if (!SN_NEW(l->bodies, l->body_count, "the history") || !SN_NEW(l->flags, parts * h + 1, "the history") ||
        !SN_NEW(l->numbers, parts * (2 * h * h + 2 * h) + 1, "the history"))
        return SN_ERROR_MEMORY;
    find_bodies(l, node_count, body);
    l->whole.count = l->size;
    set_part(l, 0, &l->whole);
    for (int k = 0; k < l->body_count; k++) set_part(l, k + 1, &l->bodies[k]);
    return make_vectors(l);
}

static int part_count(const SnHistory* l)
{
    return l->apart ? l->body_count : 1;
}

static SnHistoryPart* part_at(SnHistory* l, int k)
{
    return l->apart ? &l->bodies[k] : &l->whole;
}

const SnHistoryPart* sn_history_part_of(const SnHistory* l, int entry)
{
    if (!l->apart) return &l->whole;
    int low = 0, high = l->body_count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (l->bodies[middle].first <= entry)
            low = middle;
        else
            high = middle;
    }
    return &l->bodies[low];
}

void sn_history_drop(SnHistory* l, bool apart)
{
    l->count = 0;
    l->yy_over_sy = 0;
    l->pending = false;
    l->apart = apart;
    for (int k = 0; k < part_count(l); k++) part_at(l, k)->scale = 1;
}

// The numbers of pairs from..to are moved by `by` places.
static void shift(const SnHistory* l, SnHistoryPart* part, int from, int to, int by)
{
    int h = l->history, size = to - from;
    double moved[2][SN_MOST_PAIRS];
    for (int step = 0; step < size; step++) {
        int i = by > 0 ? to - 1 - step : from + step;
        memcpy(moved[0], part->sy + (int64_t)i * h + from, (size_t)size * sizeof **moved);
        memcpy(moved[1], part->yz + (int64_t)i * h + from, (size_t)size * sizeof **moved);
        memcpy(part->sy + (int64_t)(i + by) * h + from + by, moved[0], (size_t)size * sizeof **moved);
        memcpy(part->yz + (int64_t)(i + by) * h + from + by, moved[1], (size_t)size * sizeof **moved);
        part->sg[i + by] = part->sg[i], part->yp[i + by] = part->yp[i], part->curved[i + by] = part->curved[i];
    }
}

// The oldest pair, or a spare one, comes to the front.
void sn_history_add(SnHistory* l)
{
    int last = l->count < l->history ? l->count : l->history - 1;
    double *s = l->s[last], *y = l->y[last], *z = l->z[last];
    for (int i = last; i > 0; i--) l->s[i] = l->s[i - 1], l->y[i] = l->y[i - 1], l->z[i] = l->z[i - 1];
    for (int k = 0; k < part_count(l); k++) shift(l, part_at(l, k), 0, last, 1);
    l->s[0] = s, l->y[0] = y, l->z[0] = z;
    l->count = l->count < l->history ? l->count + 1 : l->history;
    l->pending = true;
}

static void drop_newest(SnHistory* l)
{
    double *s = l->s[0], *y = l->y[0], *z = l->z[0];
    for (int i = 0; i + 1 < l->count; i++) l->s[i] = l->s[i + 1], l->y[i] = l->y[i + 1], l->z[i] = l->z[i + 1];
    for (int k = 0; k < part_count(l); k++) shift(l, part_at(l, k), 1, l->count, -1);
    l->count--;
    l->s[l->count] = s, l->y[l->count] = y, l->z[l->count] = z;
}

// A task of one part; tasks: for its vectors.
typedef struct Job {
    SnHistory* pairs;
    const double *g, *p;
    double sign;
    double* to;
    void (*work)(const struct Job* job, SnTasks* tasks, SnHistoryPart* part);
} Job;

static void small_part(void* context, int k)
{
    const Job* job = context;
    SnHistoryPart* part = part_at(job->pairs, k);
    if (part->count <= LARGE) job->work(job, NULL, part);
}

static void do_parts(Job* job)
{
    SnHistory* l = job->pairs;
    if (sn_tasks_share(l->tasks)) { // one part, of several processes
        job->work(job, l->tasks, part_at(l, 0));
        return;
    }
    for (int k = 0; k < part_count(l); k++)
        if (part_at(l, k)->count > LARGE) job->work(job, l->tasks, part_at(l, k));
    sn_tasks_run(l->tasks, part_count(l), small_part, job);
}

// Products to be found in one sweep, and where they go.
typedef struct Products {
    int count, first;
    const double *a[MOST_PRODUCTS], *b[MOST_PRODUCTS];
    double* to[MOST_PRODUCTS];
} Products;

static void want(Products* w, const double* a, const double* b, double* to)
{
    w->a[w->count] = a + w->first, w->b[w->count] = b + w->first, w->to[w->count++] = to;
}

static void find(Products* w, SnTasks* tasks, int size)
{
    double found[MOST_PRODUCTS];
    if (sn_tasks_share(tasks))
        sn_nodes_pairs(tasks, size / 3, w->count, w->a, w->b, found);
    else
        sn_vector_pairs(tasks, size, w->count, w->a, w->b, found);
    for (int k = 0; k < w->count; k++) *w->to[k] = found[k];
}

static void find_part(const Job* job, SnTasks* tasks, SnHistoryPart* part)
{
    SnHistory* l = job->pairs;
    Products w = {.count = 0, .first = part->first};
    bool linear = job->p, fresh = l->pending;
    double yy = 0, ss = 0;
    int h = l->history;
    for (int i = 0; i < l->count; i++) {
        want(&w, l->s[i], job->g, &part->sg[i]);
        if (linear) want(&w, l->y[i], job->p, &part->yp[i]);
        if (!fresh) continue;
        want(&w, l->s[i], l->y[0], &part->sy[i * h]);
        if (linear) want(&w, l->y[i], l->z[0], &part->yz[i * h]);
        if (linear && i > 0 && !l->symmetric) want(&w, l->y[0], l->z[i], &part->yz[i]);
    }
    if (fresh) want(&w, l->y[0], l->y[0], &yy), want(&w, l->s[0], l->s[0], &ss);
    find(&w, tasks, part->count);
    if (!fresh) return;
    for (int i = 1; i < l->count && linear && l->symmetric; i++) part->yz[i] = part->yz[i * h];
    double sy = part->sy[0];
    part->curved[0] = sy > CURVED * sqrt(yy * ss);
    if (part == &l->whole) l->yy_over_sy = part->curved[0] ? yy / sy : 0;
}

// Of bodies that hardly moved the newest pair is nothing but rounding. Whether it tells something of any of them.
static bool choose(SnHistory* l, bool linear)
{
    double most = 0;
    bool any = false;
    for (int k = 0; k < part_count(l); k++) most = fmax(most, part_at(l, k)->sy[0]);
    for (int k = 0; k < part_count(l); k++) {
        SnHistoryPart* part = part_at(l, k);
        double sy = part->sy[0];
        part->curved[0] &= sy > SHARE * most;
        any |= part->curved[0];
        if (linear && part->curved[0] && l->scaled) // only ever shorter steps: B is made for bodies near rest
            part->scale = part->yz[0] > 0 ? fmin(sy / part->yz[0], 1) : 1;
    }
    return any;
}

void sn_history_find(SnHistory* l, const double* g, const double* p)
{
    do_parts(&(Job){.pairs = l, .g = g, .p = p, .work = find_part});
    if (l->pending && !choose(l, p)) drop_newest(l);
    l->pending = false;
}

void sn_history_first_half(const SnHistory* l, const double* g, double* alpha, double* q)
{
    const SnHistoryPart* w = &l->whole;
    double gamma[SN_MOST_PAIRS];
    for (int i = 0; i < l->count; i++) { // newest to oldest: alpha_i = s_i.q / s_i.y_i, q -= alpha_i y_i
        double sq = w->sg[i];
        for (int j = 0; j < i; j++) sq += gamma[j] * w->sy[i * l->history + j];
        alpha[i] = sq / w->sy[i * l->history + i];
        gamma[i] = -alpha[i];
    }
    sn_vector_combine(l->tasks, l->size, 1, g, l->count, gamma, (const double* const*)l->y, q);
}

// y_i.d
static void dots_with(const SnHistory* l, const double* d, double* dots)
{
    const double* ds[SN_MOST_PAIRS];
    for (int i = 0; i < l->count; i++) ds[i] = d;
    if (sn_tasks_share(l->tasks))
        sn_nodes_pairs(l->tasks, l->size / 3, l->count, (const double* const*)l->y, ds, dots);
    else
        sn_vector_dots(l->tasks, l->size, l->count, (const double* const*)l->y, d, dots);
}

void sn_history_second_half(const SnHistory* l, const double* alpha, double* d)
{
    const SnHistoryPart* w = &l->whole;
    double gamma[SN_MOST_PAIRS], dots[SN_MOST_PAIRS];
    int m = l->count;
    dots_with(l, d, dots);
    for (int i = m - 1; i >= 0; i--) { // oldest to newest: beta_i = y_i.r / s_i.y_i, r += (alpha_i - beta_i) s_i
        double yr = dots[i];
        for (int j = i + 1; j < m; j++) yr += gamma[j] * w->sy[j * l->history + i];
        gamma[i] = alpha[i] - yr / w->sy[i * l->history + i];
    }
    for (int i = 0; i < m; i++) gamma[i] = -gamma[i];
    sn_vector_combine(l->tasks, l->size, -1, d, m, gamma, (const double* const*)l->s, d);
}

void sn_history_weights(const SnHistory* l, const SnHistoryPart* part, const double* sq, const double* yp,
                        double* weights)
{
    double alpha[SN_MOST_PAIRS], beta[SN_MOST_PAIRS];
    int m = l->count, h = l->history;
    for (int i = 0; i < m; i++) { // newest to oldest
        double sum = sq[i];
        for (int j = 0; j < i; j++) sum -= alpha[j] * part->sy[i * h + j];
        alpha[i] = part->curved[i] ? sum / part->sy[i * h + i] : 0;
    }
    for (int i = m - 1; i >= 0; i--) { // oldest to newest; y_i.r with r = scale (p - sum alpha_j z_j) + sum beta_j s_j
        double yr = yp[i];
        for (int j = 0; j < m; j++) yr -= alpha[j] * part->yz[i * h + j];
        yr *= part->scale;
        for (int j = i + 1; j < m; j++) yr += beta[j] * part->sy[j * h + i];
        beta[i] = part->curved[i] ? alpha[i] - yr / part->sy[i * h + i] : 0;
    }
    for (int i = 0; i < m; i++) weights[i] = -part->scale * alpha[i], weights[m + i] = beta[i];
}

static void combine(const Job* job, SnTasks* tasks, const SnHistoryPart* part, const double* sq, const double* yp)
{
    const SnHistory* l = job->pairs;
    double weights[2 * SN_MOST_PAIRS];
    const double* vectors[2 * SN_MOST_PAIRS];
    int m = l->count;
    sn_history_weights(l, part, sq, yp, weights);
    for (int i = 0; i < m; i++) vectors[i] = l->z[i] + part->first, vectors[m + i] = l->s[i] + part->first;
    for (int i = 0; i < 2 * m; i++) weights[i] *= job->sign;
    sn_vector_combine(tasks, part->count, job->sign * part->scale, job->p + part->first, 2 * m, weights, vectors,
                      job->to + part->first);
}

static void apply_part(const Job* job, SnTasks* tasks, SnHistoryPart* part)
{
    combine(job, tasks, part, part->sg, part->yp);
}

void sn_history_apply(SnHistory* l, double sign, const double* p, double* r)
{
    do_parts(&(Job){.pairs = l, .p = p, .sign = sign, .to = r, .work = apply_part});
}

static void apply_to_part(const Job* job, SnTasks* tasks, SnHistoryPart* part)
{
    const SnHistory* l = job->pairs;
    Products w = {.count = 0, .first = part->first};
    double sq[SN_MOST_PAIRS], yp[SN_MOST_PAIRS];
    for (int i = 0; i < l->count; i++) want(&w, l->s[i], job->g, &sq[i]), want(&w, l->y[i], job->p, &yp[i]);
    find(&w, tasks, part->count);
    combine(job, tasks, part, sq, yp);
}

void sn_history_apply_to(SnHistory* l, const double* q, const double* p, double* r)
{
    do_parts(&(Job){.pairs = l, .g = q, .p = p, .sign = 1, .to = r, .work = apply_to_part});
}
