// The broad phase: sweeps surfaces, sees to it that those near each other have a list that holds, and looks it through.
#include "contact/pairs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/near_surfaces.h"
#include "contact/pair_list.h"

enum { GRAIN = 1024 };           // elements of a stretch
enum { CHUNKS = 64, BUNCH = 8 }; // chunks of tasks at least, if these have not one each, and tasks of one at most
#define ROUNDINGS 32.0           // of a coordinate: more than go into a box, or a sum of what was outgrown

// Elements that are swept by one task.
typedef struct Stretch {
    int surface, kind, first, last;
    SnJourney journey; // of nodes only, like the rest
    SnBox bound;
    SnOutgrown beyond;
} Stretch;

// A chunk of a list that is looked through by one task.
typedef struct Job {
    SnPairList* list;
    SnPairPart part;
    int chunk; // of the part
    SnPairRows* rows;
    SnPair* place; // where its pairs go
} Job;

struct SnPairs {
    const SnSurfaces* surfaces;
    SnSwept* swept; // of each surface
    bool* needed;   // of each surface: it is near another one
    bool* renewed;  // of each surface: one of its lists is made anew
    bool* marked;   // of each surface: it has points that changed
    int stretch_count;
    Stretch* stretches; // surface after surface, by kind
    double scale;       // m: largest coordinate seen so far
    SnSurfaceSweep sweep;
    int list_count, list_capacity, merged_capacity;
    SnPairList** lists; // increasing by surfaces
    SnPairList** merged;
    int spare_count, spare_capacity;
    SnPairList** spare;
    int job_count, job_capacity;
    Job* jobs;
    SnPairArray node_triangle[2], edge_edge[2]; // of all surfaces; of changed ones
    int shown;                                  // which of these was found last, or is wanted back
    SnPairsWork work;
    const double *x0, *x1, *radius; // of the call
    const bool* changed;            // of points; NULL: all are
};

static SnStatus list_stretches(SnPairs* p)
{
    int capacity = 0;
    for (int i = 0; i < SN_SURFACE_KINDS * p->surfaces->count; i++) {
        int kind = i % SN_SURFACE_KINDS, count = p->surfaces->items[i / SN_SURFACE_KINDS].of[kind].count;
        for (int first = 0; first < count; first += GRAIN) {
            if (!SN_GROW(p->stretches, capacity, (int64_t)p->stretch_count + 1, "pairs")) return SN_ERROR_MEMORY;
            p->stretches[p->stretch_count++] = (Stretch){.surface = i / SN_SURFACE_KINDS,
                                                         .kind = kind,
                                                         .first = first,
                                                         .last = count - first < GRAIN ? count : first + GRAIN};
        }
    }
    return SN_OK;
}

static SnStatus build(SnPairs* p)
{
    int count = p->surfaces->count;
    if (!SN_NEW(p->swept, count, "pairs") || !SN_NEW(p->needed, count, "pairs") ||
        !SN_NEW(p->renewed, count, "pairs") || !SN_NEW(p->marked, count, "pairs"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) SN_TRY(sn_swept_create(&p->surfaces->items[i], &p->swept[i]));
    SN_TRY(sn_surface_sweep_create(count, &p->sweep));
    return list_stretches(p);
}

SnStatus sn_pairs_create(const SnSurfaces* surfaces, SnPairs** out)
{
    SnPairs* p;
    *out = NULL;
    if (!SN_NEW(p, 1, "pairs")) return SN_ERROR_MEMORY;
    p->surfaces = surfaces;
    SN_FINISH(build(p), p, sn_pairs_destroy, out);
}

void sn_pairs_destroy(SnPairs* p)
{
    if (!p) return;
    for (int i = 0; i < p->surfaces->count && p->swept; i++) sn_swept_free(&p->swept[i]);
    for (int i = 0; i < p->list_count; i++) sn_pair_list_destroy(p->lists[i]);
    for (int i = 0; i < p->spare_count; i++) sn_pair_list_destroy(p->spare[i]);
    sn_surface_sweep_free(&p->sweep);
    sn_free(p->swept), sn_free(p->needed), sn_free(p->renewed), sn_free(p->marked), sn_free(p->stretches);
    sn_free(p->lists), sn_free(p->merged), sn_free(p->spare), sn_free(p->jobs);
    for (int k = 0; k < 2; k++) sn_free(p->node_triangle[k].items), sn_free(p->edge_edge[k].items);
    sn_free(p);
}

// Many are short: several together, as far as there are enough of them.
static void run(SnPairs* p, int count, SnRangeTask* task)
{
    int grain = count / CHUNKS < 1 ? 1 : count / CHUNKS < BUNCH ? count / CHUNKS : BUNCH;
    sn_tasks_for(p->surfaces->tasks, count, grain, task, p);
}

static void travel(void* context, int first, int last)
{
    SnPairs* p = context;
    for (Stretch* s = p->stretches + first; s < p->stretches + last; s++)
        if (s->kind == SN_SURFACE_NODES)
            s->journey = sn_swept_journey(&p->swept[s->surface], p->x0, p->x1, s->first, s->last);
}

static void sweep_nodes(void* context, int first, int last)
{
    SnPairs* p = context;
    for (Stretch* s = p->stretches + first; s < p->stretches + last; s++)
        if (s->kind == SN_SURFACE_NODES)
            sn_swept_nodes(&p->swept[s->surface], p->x0, p->x1, s->first, s->last, &s->bound, &s->beyond);
}

static void sweep_elements(void* context, int first, int last)
{
    SnPairs* p = context;
    for (const Stretch* s = p->stretches + first; s < p->stretches + last; s++) {
        if (!p->needed[s->surface]) continue;
        if (s->kind != SN_SURFACE_NODES) sn_swept_elements(&p->swept[s->surface], s->kind, s->first, s->last);
        if (p->changed) sn_swept_mark(&p->swept[s->surface].of[s->kind], p->changed, s->first, s->last);
    }
}

static void count_marks(void* context, int first, int last)
{
    SnPairs* p = context;
    for (int i = first; i < last; i++)
        if (p->needed[i / SN_SURFACE_KINDS])
            sn_swept_count_marks(&p->swept[i / SN_SURFACE_KINDS].of[i % SN_SURFACE_KINDS]);
}

static void refit(void* context, int first, int last)
{
    SnPairs* p = context;
    for (int i = first; i < last; i++)
        if (p->renewed[i / SN_SURFACE_KINDS]) sn_swept_refit(&p->swept[i / SN_SURFACE_KINDS].of[i % SN_SURFACE_KINDS]);
}

// Mean displacements, and radii by so much larger as boxes may be wrong by rounding.
static void gather_journeys(SnPairs* p)
{
    for (int i = 0; i < p->surfaces->count; i++) {
        memset(p->swept[i].shift, 0, sizeof p->swept[i].shift);
        p->swept[i].radius = 0;
    }
    for (int i = 0; i < p->stretch_count; i++) {
        const Stretch* s = &p->stretches[i];
        SnSwept* swept = &p->swept[s->surface];
        if (s->kind != SN_SURFACE_NODES) continue;
        for (int c = 0; c < 3; c++) swept->shift[c] += s->journey.sum[c] / swept->of[s->kind].elements->count;
        swept->radius = fmax(swept->radius, s->journey.largest);
    }
    for (int i = 0; i < p->surfaces->count; i++) {
        p->scale = fmax(p->scale, p->swept[i].radius);
        p->swept[i].radius = p->radius[i] + ROUNDINGS * DBL_EPSILON * p->swept[i].radius;
    }
}

static void gather_bounds(SnPairs* p)
{
    for (int i = 0; i < 3 * p->surfaces->count; i++) {
        SnSwept* swept = &p->swept[i / 3];
        swept->bound.lo[i % 3] = INFINITY, swept->bound.hi[i % 3] = -INFINITY;
        swept->beyond.low[i % 3] = swept->beyond.high[i % 3] = -INFINITY;
    }
    for (int i = 0; i < 3 * p->stretch_count; i++) {
        const Stretch* s = &p->stretches[i / 3];
        SnSwept* swept = &p->swept[s->surface];
        int c = i % 3;
        if (s->kind != SN_SURFACE_NODES) continue;
        swept->bound.lo[c] = fmin(swept->bound.lo[c], s->bound.lo[c] + fmin(swept->shift[c], 0));
        swept->bound.hi[c] = fmax(swept->bound.hi[c], s->bound.hi[c] + fmax(swept->shift[c], 0));
        swept->beyond.low[c] = fmax(swept->beyond.low[c], s->beyond.low[c]);
        swept->beyond.high[c] = fmax(swept->beyond.high[c], s->beyond.high[c]);
    }
}

static double rounding(const SnPairs* p)
{
    return ROUNDINGS * DBL_EPSILON * p->scale;
}

static int compare(const SnPairList* list, const SnNearSurfaces* near)
{
    return list->a != near->a ? (list->a < near->a ? -1 : 1) : (list->b > near->b) - (list->b < near->b);
}

// Room for all that is near, and spare lists for those that have none yet.
static SnStatus reserve(SnPairs* p)
{
    int64_t most = (int64_t)p->list_count + p->sweep.count, missing = 0;
    for (int i = 0, k = 0; i < p->sweep.count; i++) {
        while (k < p->list_count && compare(p->lists[k], &p->sweep.near[i]) < 0) k++;
        missing += k == p->list_count || compare(p->lists[k], &p->sweep.near[i]) > 0;
    }
    if (!SN_GROW(p->lists, p->list_capacity, most, "pairs") || !SN_GROW(p->merged, p->merged_capacity, most, "pairs") ||
        !SN_GROW(p->spare, p->spare_capacity, most + p->spare_count, "pairs"))
        return SN_ERROR_MEMORY;
    for (; p->spare_count < missing; p->spare_count++)
        if (!SN_NEW(p->spare[p->spare_count], 1, "pairs")) return SN_ERROR_MEMORY;
    return SN_OK;
}

static SnPairList* take_spare(SnPairs* p, const SnNearSurfaces* near)
{
    SnPairList* list = p->spare[--p->spare_count];
    list->a = near->a, list->b = near->b;
    list->made = false;
    return list;
}

static void mark_surfaces(SnPairs* p)
{
    const SnSurfaces* s = p->surfaces;
    for (int k = 0; k < s->count; k++) p->marked[k] = !p->changed;
    for (int i = 0; i < s->point_count && p->changed; i++)
        if (p->changed[i] && s->of_point[i] >= 0) p->marked[s->of_point[i]] = true;
}

static bool is_wanted(const SnPairs* p, const SnNearSurfaces* near)
{
    return p->marked[near->a] || p->marked[near->b];
}

// What is near and not asked for in this call keeps its list, if it has one.
static void drop_unwanted(SnPairs* p)
{
    int count = 0;
    for (int i = 0, k = 0; i < p->sweep.count; i++) {
        const SnNearSurfaces* near = &p->sweep.near[i];
        while (k < p->list_count && compare(p->lists[k], near) < 0) k++;
        bool have = k < p->list_count && compare(p->lists[k], near) == 0;
        if (have || is_wanted(p, near)) p->sweep.near[count++] = *near;
    }
    p->sweep.count = count;
}

// The lists of what is near, and those others that still hold and may be of use again.
static SnStatus match(SnPairs* p)
{
    SN_TRY(reserve(p));
    int k = 0, count = 0;
    for (int i = 0; i <= p->sweep.count; i++) {
        const SnNearSurfaces* near = i < p->sweep.count ? &p->sweep.near[i] : NULL;
        for (; k < p->list_count && (!near || compare(p->lists[k], near) < 0); k++) {
            SnPairList* list = p->lists[k];
            list->wanted = false;
            if (sn_pair_list_holds(list, p->swept, rounding(p)))
                p->merged[count++] = list;
            else
                p->spare[p->spare_count++] = list;
        }
        if (!near) break;
        bool have = k < p->list_count && compare(p->lists[k], near) == 0;
        p->merged[count] = have ? p->lists[k++] : take_spare(p, near);
        p->merged[count++]->wanted = is_wanted(p, near);
    }
    p->list_count = count;
    if (count) memcpy(p->lists, p->merged, (size_t)count * sizeof *p->lists);
    return SN_OK;
}

// Lists that do not hold are begun anew; what their surfaces outgrew since they were noted goes to the other lists.
static void renew(SnPairs* p)
{
    memset(p->needed, 0, (size_t)p->surfaces->count * sizeof *p->needed);
    memset(p->renewed, 0, (size_t)p->surfaces->count * sizeof *p->renewed);
    for (int i = 0; i < p->list_count; i++) {
        SnPairList* list = p->lists[i];
        if (!list->wanted) continue;
        p->needed[list->a] = p->needed[list->b] = true;
        list->age++;
        if (sn_pair_list_holds(list, p->swept, rounding(p))) continue;
        const SnSurface* s = p->surfaces->items;
        sn_pair_list_begin(list, p->swept, 0.5 * (s[list->a].edge + s[list->b].edge));
        p->renewed[list->a] = p->renewed[list->b] = true;
    }
    for (int i = 0; i < p->list_count; i++) {
        SnPairList* list = p->lists[i];
        if (list->made && p->renewed[list->a]) sn_pair_list_spend(list, list->a, &p->swept[list->a].beyond);
        if (list->made && p->renewed[list->b] && list->b != list->a)
            sn_pair_list_spend(list, list->b, &p->swept[list->b].beyond);
    }
    for (int i = 0; i < p->surfaces->count; i++)
        if (p->renewed[i]) sn_swept_note(&p->swept[i]);
}

static SnStatus add_jobs(SnPairs* p, SnPairList* list)
{
    list->chunk_count = 0;
    for (int k = 0; k < SN_PAIR_PARTS; k++) {
        SnPairPart part = sn_pair_part(list->a, list->b, k);
        int chunks = sn_pair_chunks(p->surfaces, &part);
        if (!SN_GROW(p->jobs, p->job_capacity, (int64_t)p->job_count + chunks, "pairs") ||
            !SN_GROW(list->chunks, list->chunk_capacity, (int64_t)list->chunk_count + chunks, "pairs"))
            return SN_ERROR_MEMORY;
        for (int c = 0; c < chunks; c++) p->jobs[p->job_count++] = (Job){.list = list, .part = part, .chunk = c};
        list->chunk_count += chunks;
    }
    for (int c = 0; c < list->chunk_count; c++) p->jobs[p->job_count - list->chunk_count + c].rows = &list->chunks[c];
    return SN_OK;
}

static void run_job(void* context, int first, int last)
{
    SnPairs* p = context;
    for (const Job* job = p->jobs + first; job < p->jobs + last; job++) {
        if (!job->list->made) sn_pair_list_make(job->list, p->swept, &job->part, job->chunk, job->rows);
        sn_pair_list_look(p->swept, &job->part, p->x0, p->x1, p->changed != NULL, job->rows);
    }
}

static void copy_found(void* context, int first, int last)
{
    const SnPairs* p = context;
    for (const Job* job = p->jobs + first; job < p->jobs + last; job++)
        if (job->rows->found.count)
            memcpy(job->place, job->rows->found.items, (size_t)job->rows->found.count * sizeof *job->place);
}

static SnStatus run_jobs(SnPairs* p)
{
    p->job_count = 0;
    for (int i = 0; i < p->list_count; i++)
        if (p->lists[i]->wanted) SN_TRY(add_jobs(p, p->lists[i]));
    run(p, p->job_count, run_job);
    for (int i = 0; i < p->job_count; i++)
        if (p->jobs[i].rows->status != SN_OK)
            return sn_fail(p->jobs[i].rows->status, "not enough memory for the pairs");
    for (int i = 0; i < p->list_count; i++) {
        if (!p->lists[i]->wanted) continue;
        p->work.lists++;
        p->work.made += !p->lists[i]->made;
        p->lists[i]->made = true;
    }
    return SN_OK;
}

static SnStatus gather(SnPairs* p)
{
    int64_t count[2] = {0, 0};
    SnPairArray* arrays[2] = {&p->node_triangle[p->shown], &p->edge_edge[p->shown]};
    for (int i = 0; i < p->job_count; i++) {
        count[p->jobs[i].part.from_kind == SN_SURFACE_EDGES] += p->jobs[i].rows->found.count;
        p->work.looked_at += p->jobs[i].rows->near_count;
    }
    for (int k = 0; k < 2; k++)
        if (!SN_GROW(arrays[k]->items, arrays[k]->capacity, count[k], "pairs")) return SN_ERROR_MEMORY;
    for (int i = 0; i < p->job_count; i++) {
        SnPairArray* to = arrays[p->jobs[i].part.from_kind == SN_SURFACE_EDGES];
        p->jobs[i].place = to->items ? to->items + to->count : NULL;
        to->count += p->jobs[i].rows->found.count;
    }
    run(p, p->job_count, copy_found);
    return SN_OK;
}

static SnStatus find(SnPairs* p, const double* x0, const double* x1, const double* radius, const bool* changed)
{
    p->x0 = x0, p->x1 = x1, p->radius = radius, p->changed = changed;
    p->shown = changed != NULL;
    p->node_triangle[p->shown].count = p->edge_edge[p->shown].count = 0;
    run(p, p->stretch_count, travel);
    gather_journeys(p);
    run(p, p->stretch_count, sweep_nodes);
    gather_bounds(p);
    SN_TRY(sn_surface_sweep_find(&p->sweep, p->surfaces, p->swept));
    mark_surfaces(p);
    if (changed) drop_unwanted(p);
    SN_TRY(match(p));
    renew(p);
    run(p, p->stretch_count, sweep_elements);
    if (changed) run(p, SN_SURFACE_KINDS * p->surfaces->count, count_marks);
    run(p, SN_SURFACE_KINDS * p->surfaces->count, refit);
    SN_TRY(run_jobs(p));
    return gather(p);
}

SnStatus sn_pairs_find(SnPairs* p, const double* x0, const double* x1, const double* radius)
{
    return find(p, x0, x1, radius, NULL);
}

SnStatus sn_pairs_find_changed(SnPairs* p, const double* x0, const double* x1, const double* radius,
                               const bool* changed)
{
    return find(p, x0, x1, radius, changed);
}

void sn_pairs_back(SnPairs* p)
{
    p->shown = 0;
}

const SnPairArray* sn_pairs_node_triangle(const SnPairs* p)
{
    return &p->node_triangle[p->shown];
}

const SnPairArray* sn_pairs_edge_edge(const SnPairs* p)
{
    return &p->edge_edge[p->shown];
}

SnPairsWork sn_pairs_work(const SnPairs* p)
{
    return p->work;
}
