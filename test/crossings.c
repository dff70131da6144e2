// Exact signs by sums of products without rounding (Shewchuk 1997), cubics in long double, and near pairs by a grid.
#include "crossings.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Exact signs ---

// a + b = sum + rest, without error.
static double two_sum(double a, double b, double* rest)
{
    double sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

// Adds b to a sum of `count` numbers that do not overlap, the smallest first.
static int grow(double* e, int count, double b)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        double rest;
        b = two_sum(b, e[i], &rest);
        if (rest != 0) e[kept++] = rest;
    }
    if (b != 0) e[kept++] = b;
    return kept;
}

// Adds a b c.
static int grow_by_product(double* e, int count, double a, double b, double c)
{
    double ab = a * b, ab_rest = fma(a, b, -ab);
    double high = ab * c, low = ab_rest * c;
    count = grow(e, count, fma(ab_rest, c, -low));
    count = grow(e, count, low);
    count = grow(e, count, fma(ab, c, -high));
    return grow(e, count, high);
}

// The determinant of [x 1] for four points: 24 products of three numbers.
static int exact_side(const double* const p[4])
{
    double e[128];
    int count = 0;
    for (int skip = 0; skip < 4; skip++) {
        const double* r[3];
        for (int i = 0, k = 0; i < 4; i++)
            if (i != skip) r[k++] = p[i];
        double sign = skip & 1 ? -1 : 1;
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            count = grow_by_product(e, count, sign * r[0][i], r[1][j], r[2][k]);
            count = grow_by_product(e, count, -sign * r[0][i], r[1][k], r[2][j]);
        }
    }
    return count == 0 ? 0 : e[count - 1] > 0 ? 1 : -1;
}

typedef struct Vector {
    long double x[3];
} Vector;

static Vector between(const double a[3], const double b[3])
{
    return (Vector){{(long double)b[0] - a[0], (long double)b[1] - a[1], (long double)b[2] - a[2]}};
}

static Vector cross(Vector a, Vector b)
{
    return (Vector){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static long double dot(Vector a, Vector b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

// a + t b.
static Vector along(Vector a, long double t, Vector b)
{
    return (Vector){{a.x[0] + t * b.x[0], a.x[1] + t * b.x[1], a.x[2] + t * b.x[2]}};
}

static long double largest(Vector a)
{
    return fmaxl(fabsl(a.x[0]), fmaxl(fabsl(a.x[1]), fabsl(a.x[2])));
}

int crossing_side(const double a[3], const double b[3], const double c[3], const double d[3])
{
    Vector u = between(a, b), v = between(a, c), w = between(a, d);
    long double value = dot(u, cross(v, w));
    // Six products of three differences, each rounded at most five times; twice that to be sure.
    long double bound = 64 * LDBL_EPSILON * largest(u) * largest(v) * largest(w);
    if (value > bound) return 1;
    if (value < -bound) return -1;
    return exact_side((const double* const[]){a, b, c, d});
}

Crossing crossing_edge_triangle(const double p[3], const double q[3], const double* const t[3])
{
    int from = crossing_side(t[0], t[1], t[2], p), to = crossing_side(t[0], t[1], t[2], q);
    if (from == to) return CROSSING_NOT; // on one side, or all in one plane
    int least = 1, most = -1;
    for (int i = 0; i < 3; i++) {
        int s = crossing_side(p, q, t[i], t[(i + 1) % 3]);
        least = s < least ? s : least;
        most = s > most ? s : most;
    }
    if (least < 0 && most > 0) return CROSSING_NOT;
    return from * to < 0 && least * most > 0 ? CROSSING_YES : CROSSING_TOUCH;
}

// --- Between two moments ---

// Three vectors that change linearly: e + t d, and the determinant of the three, a cubic in t.
typedef struct Sweep {
    Vector e[3], d[3];
    long double c[4], bound; // the cubic's coefficients, and how wrong its values may be
} Sweep;

static long double triple(const Vector* a, const Vector* b, const Vector* c)
{
    return dot(*a, cross(*b, *c));
}

static Sweep make_sweep(const double* const before[4], const double* const after[4])
{
    Sweep s;
    long double size = 1;
    for (int i = 0; i < 3; i++) {
        Vector end = between(after[0], after[i + 1]);
        s.e[i] = between(before[0], before[i + 1]);
        s.d[i] = along(end, -1, s.e[i]);
        size *= largest(s.e[i]) + largest(s.d[i]);
    }
    const Vector *e = s.e, *d = s.d;
    s.c[0] = triple(&e[0], &e[1], &e[2]);
    s.c[1] = triple(&d[0], &e[1], &e[2]) + triple(&e[0], &d[1], &e[2]) + triple(&e[0], &e[1], &d[2]);
    s.c[2] = triple(&e[0], &d[1], &d[2]) + triple(&d[0], &e[1], &d[2]) + triple(&d[0], &d[1], &e[2]);
    s.c[3] = triple(&d[0], &d[1], &d[2]);
    s.bound = 256 * LDBL_EPSILON * size;
    return s;
}

static long double cubic(const Sweep* s, long double t)
{
    return s->c[0] + t * (s->c[1] + t * (s->c[2] + t * s->c[3]));
}

// 0, 1 and the extrema in between, in order: the cubic is monotone from one to the next.
static int monotone_parts(const Sweep* s, long double t[4])
{
    long double a = 3 * s->c[3], b = s->c[2], c = s->c[1], square = b * b - a * c;
    int count = 0;
    t[count++] = 0;
    if (square > 0) {
        long double q = -(b + copysignl(sqrtl(square), b));
        long double first = q / a, second = c / q, low = fminl(first, second), high = fmaxl(first, second);
        if (low > 0 && low < 1) t[count++] = low; // NAN and infinity are not
        if (high > 0 && high < 1 && high > low) t[count++] = high;
    }
    t[count++] = 1;
    return count;
}

static long double bisect(const Sweep* s, long double low, long double high)
{
    bool rising = cubic(s, low) < 0;
    for (int i = 0; i < 100; i++) {
        long double middle = 0.5L * (low + high);
        if ((cubic(s, middle) < 0) == rising)
            low = middle;
        else
            high = middle;
    }
    return 0.5L * (low + high);
}

// Whether the pair meets at a time at which it lies in one plane: 1 well inside, 0 at a border, -1 apart.
typedef int Meets(const Sweep* s, long double t);

static int by_margin(long double least)
{
    const long double margin = 1e-9L; // of the triangle's area, or the edge's length
    return least > margin ? 1 : least >= -margin ? 0 : -1;
}

// Node 0, the origin, in the triangle of the three vectors' ends: barycentric coordinates.
static int node_meets(const Sweep* s, long double t)
{
    Vector p[3];
    for (int i = 0; i < 3; i++) p[i] = along(s->e[i], t, s->d[i]);
    Vector normal = cross(along(p[1], -1, p[0]), along(p[2], -1, p[0]));
    long double area = dot(normal, normal), least = 1;
    if (area == 0) return 0;
    for (int i = 0; i < 3; i++) least = fminl(least, dot(normal, cross(p[i], p[(i + 1) % 3])) / area);
    return by_margin(least);
}

// The edge from the origin to vector 0, and that from 1 to 2: where the lines meet in their plane.
static int edges_meet(const Sweep* s, long double t)
{
    Vector p[3];
    for (int i = 0; i < 3; i++) p[i] = along(s->e[i], t, s->d[i]);
    Vector u = p[0], v = along(p[2], -1, p[1]), normal = cross(u, v);
    long double square = dot(normal, normal);
    if (square <= 1e-24L * dot(u, u) * dot(v, v)) { // parallel: apart, but on one line
        Vector off = cross(p[1], u);
        return dot(off, off) <= 1e-24L * dot(u, u) * dot(u, u) ? 0 : -1;
    }
    long double a = dot(cross(p[1], v), normal) / square, b = dot(cross(p[1], u), normal) / square;
    return by_margin(fminl(fminl(a, 1 - a), fminl(b, 1 - b)));
}

static Crossing swept(const Sweep* s, Meets* meets)
{
    long double t[4];
    int count = monotone_parts(s, t);
    Crossing found = CROSSING_NOT;
    for (int i = 0; i < count; i++) {
        long double here = cubic(s, t[i]);
        if (fabsl(here) <= s->bound && meets(s, t[i]) >= 0) found = CROSSING_TOUCH;
        if (i == 0) continue;
        long double last = cubic(s, t[i - 1]);
        if ((last < 0) == (here < 0)) continue;
        int how = meets(s, bisect(s, t[i - 1], t[i]));
        if (how > 0 && fabsl(last) > s->bound && fabsl(here) > s->bound) return CROSSING_YES;
        if (how >= 0) found = CROSSING_TOUCH;
    }
    return found;
}

Crossing crossing_swept_node(const double* const before[4], const double* const after[4])
{
    Sweep s = make_sweep(before, after);
    return swept(&s, node_meets);
}

Crossing crossing_swept_edges(const double* const before[4], const double* const after[4])
{
    Sweep s = make_sweep(before, after);
    return swept(&s, edges_meet);
}

// The solid angle of the parallelogram of differences, edge by edge (Banchoff 1976): 4 pi for each linking.
static long double solid_angle(const double* a, const double* b, const double* c, const double* d)
{
    const double* corner[4][2] = {{a, c}, {a, d}, {b, d}, {b, c}};
    Vector n[4];
    for (int i = 0; i < 4; i++) {
        n[i] = cross(between(corner[i][0], corner[i][1]), between(corner[(i + 1) % 4][0], corner[(i + 1) % 4][1]));
        long double length = sqrtl(dot(n[i], n[i]));
        if (length == 0) return 0;
        for (int k = 0; k < 3; k++) n[i].x[k] /= length;
    }
    long double sum = 0;
    for (int i = 0; i < 4; i++) sum += asinl(fmaxl(-1, fminl(1, dot(n[i], n[(i + 1) % 4]))));
    return dot(cross(between(c, d), between(a, b)), between(a, c)) > 0 ? sum : -sum;
}

int crossing_linking(int count, const double* x, int other_count, const double* other)
{
    long double sum = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < other_count; k++)
            sum +=
                solid_angle(x + 3 * i, x + 3 * ((i + 1) % count), other + 3 * k, other + 3 * ((k + 1) % other_count));
    return (int)lroundl(sum / (4 * 3.14159265358979323846264L));
}

// --- Near pairs ---

typedef struct Box {
    double lo[3], hi[3];
} Box;

typedef void Visit(void* user, int a, int b);

typedef struct Grid {
    double lo[3], cell[3];
    int size[3];
    int *first, *items; // items of cell i: first[i] .. first[i+1]
} Grid;

static Box box_of(const double* x, const double* also, const int* nodes, int count)
{
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            double a = x[3 * nodes[i] + c], b = also[3 * nodes[i] + c];
            box.lo[c] = fmin(box.lo[c], fmin(a, b));
            box.hi[c] = fmax(box.hi[c], fmax(a, b));
        }
    return box;
}

static bool overlap(const Box* a, const Box* b)
{
    for (int c = 0; c < 3; c++)
        if (a->lo[c] > b->hi[c] || b->lo[c] > a->hi[c]) return false;
    return true;
}

static int cell_along(const Grid* grid, int c, double x)
{
    double i = floor((x - grid->lo[c]) / grid->cell[c]);
    return i < 0 ? 0 : i >= grid->size[c] ? grid->size[c] - 1 : (int)i;
}

// Cells about as large as the boxes are in the mean, but not many more of them than boxes.
static void size_grid(Grid* grid, int count, const Box* boxes)
{
    Box all = boxes[0];
    double mean = 0;
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            all.lo[c] = fmin(all.lo[c], boxes[i].lo[c]);
            all.hi[c] = fmax(all.hi[c], boxes[i].hi[c]);
            mean += (boxes[i].hi[c] - boxes[i].lo[c]) / (3.0 * count);
        }
    for (double cell = fmax(mean, 1e-12);; cell *= 1.26) {
        double cells = 1;
        for (int c = 0; c < 3; c++) {
            double n = fmin(floor((all.hi[c] - all.lo[c]) / cell) + 1, 1e6);
            grid->lo[c] = all.lo[c];
            grid->size[c] = (int)n;
            grid->cell[c] = (all.hi[c] - all.lo[c]) / n + 1e-300;
            cells *= n;
        }
        if (cells <= 4.0 * count + 64) return;
    }
}

// Calls visit(user, cell, item) for the cells of a box.
static void for_cells(const Grid* grid, const Box* box, int item, Visit* visit, void* user)
{
    int from[3], to[3], i[3];
    for (int c = 0; c < 3; c++) {
        from[c] = cell_along(grid, c, box->lo[c]);
        to[c] = cell_along(grid, c, box->hi[c]);
    }
    for (i[2] = from[2]; i[2] <= to[2]; i[2]++)
        for (i[1] = from[1]; i[1] <= to[1]; i[1]++)
            for (i[0] = from[0]; i[0] <= to[0]; i[0]++)
                visit(user, (i[2] * grid->size[1] + i[1]) * grid->size[0] + i[0], item);
}

static void count_item(void* user, int cell, int item)
{
    Grid* grid = user;
    (void)item;
    grid->first[cell + 1]++;
}

static void put_item(void* user, int cell, int item)
{
    Grid* grid = user;
    grid->items[grid->first[cell]++] = item;
}

static bool fill_grid(Grid* grid, int count, const Box* boxes)
{
    size_grid(grid, count, boxes);
    int cells = grid->size[0] * grid->size[1] * grid->size[2];
    grid->first = calloc((size_t)cells + 2, sizeof(int));
    if (!grid->first) return false;
    for (int i = 0; i < count; i++) for_cells(grid, &boxes[i], i, count_item, grid);
    for (int i = 0; i < cells; i++) grid->first[i + 1] += grid->first[i];
    grid->items = malloc(((size_t)grid->first[cells] + 1) * sizeof(int));
    if (!grid->items) return false;
    for (int i = 0; i < count; i++) for_cells(grid, &boxes[i], i, put_item, grid);
    memmove(grid->first + 1, grid->first, (size_t)cells * sizeof(int)); // each went on to where the next begins
    grid->first[0] = 0;
    return true;
}

typedef struct Query {
    const Grid* grid;
    const Box *a, *b;
    Visit* visit;
    void* user;
} Query;

static void query_cell(void* user, int cell, int a)
{
    const Query* q = user;
    const Grid* grid = q->grid;
    for (int k = grid->first[cell]; k < grid->first[cell + 1]; k++) {
        int b = grid->items[k], at[3];
        if (!overlap(&q->a[a], &q->b[b])) continue;
        // A pair is visited once: in the cell of the lower corner of what the boxes have in common.
        for (int c = 0; c < 3; c++) at[c] = cell_along(grid, c, fmax(q->a[a].lo[c], q->b[b].lo[c]));
        if ((at[2] * grid->size[1] + at[1]) * grid->size[0] + at[0] == cell) q->visit(q->user, a, b);
    }
}

static bool near_pairs(int a_count, const Box* a, int b_count, const Box* b, Visit* visit, void* user)
{
    Grid grid = {0};
    if (a_count == 0 || b_count == 0) return true;
    bool done = fill_grid(&grid, b_count, b);
    Query query = {&grid, a, b, visit, user};
    for (int i = 0; done && i < a_count; i++) for_cells(&grid, &a[i], i, query_cell, &query);
    free(grid.first);
    free(grid.items);
    return done;
}

// --- Counting ---

static int compare_edges(const void* a, const void* b)
{
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static bool find_outer(CrossingSurface* s)
{
    bool* used = calloc((size_t)s->node_count + 1, sizeof *used);
    s->outer = malloc(((size_t)s->node_count + 1) * sizeof *s->outer);
    s->outer_count = 0;
    for (int i = 0; used && i < 2 * s->edge_count; i++) used[s->edges[i]] = true;
    for (int i = 0; used && s->outer && i < s->node_count; i++)
        if (used[i]) s->outer[s->outer_count++] = i;
    bool done = used && s->outer;
    free(used);
    return done;
}

bool crossing_add_edges(CrossingSurface* s)
{
    int count = s->edge_count;
    int* edges = realloc(s->edges, ((size_t)count + 3 * (size_t)s->triangle_count + 1) * 2 * sizeof(int));
    if (!edges) return false;
    s->edges = edges;
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        int a = s->triangles[i], b = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[2 * count] = a < b ? a : b;
        edges[2 * count++ + 1] = a < b ? b : a;
    }
    qsort(edges, (size_t)count, 2 * sizeof(int), compare_edges);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (i == 0 || compare_edges(edges + 2 * i, edges + 2 * i - 2) != 0) {
            memmove(edges + 2 * kept, edges + 2 * i, 2 * sizeof(int));
            kept++;
        }
    s->edge_count = kept;
    return find_outer(s);
}

void crossing_free(CrossingSurface* s)
{
    free(s->edges);
    free(s->triangles);
    free(s->outer);
    free(s->part);
    *s = (CrossingSurface){0};
}

typedef struct Search {
    const CrossingSurface* s;
    const double *x, *y; // before and after
    CrossingCount* count;
} Search;

static bool all_boxes(const Search* search, const int* items, int corners, int count, Box** boxes)
{
    *boxes = malloc(((size_t)count + 1) * sizeof(Box));
    for (int i = 0; *boxes && i < count; i++) (*boxes)[i] = box_of(search->x, search->y, items + corners * i, corners);
    return *boxes;
}

// Four or five nodes of which the first `split` are the one item: none in common, and not both of obstacles.
static bool is_pair(const CrossingSurface* s, const int* nodes, int split, int count)
{
    for (int i = 0; i < split; i++)
        for (int k = split; k < count; k++)
            if (nodes[i] == nodes[k]) return false;
    return s->part[nodes[0]] < s->bodies || s->part[nodes[split]] < s->bodies;
}

static void note(const Search* search, Crossing how, const int* nodes, int split)
{
    CrossingCount* count = search->count;
    const int* part = search->s->part;
    if (how == CROSSING_TOUCH) count->touching++;
    if (how != CROSSING_YES) return;
    if (count->self + count->others == 0) memcpy(count->example, nodes, sizeof count->example);
    if (part[nodes[0]] == part[nodes[split]])
        count->self++;
    else
        count->others++;
}

static void visit_edge_triangle(void* user, int edge, int triangle)
{
    const Search* search = user;
    const int *e = search->s->edges + 2 * edge, *t = search->s->triangles + 3 * triangle;
    const int nodes[5] = {e[0], e[1], t[0], t[1], t[2]};
    const double *x = search->x, *corners[3] = {x + 3 * t[0], x + 3 * t[1], x + 3 * t[2]};
    if (!is_pair(search->s, nodes, 2, 5)) return;
    note(search, crossing_edge_triangle(x + 3 * e[0], x + 3 * e[1], corners), nodes, 2);
}

static void visit_swept(const Search* search, const int nodes[4], int split,
                        Crossing (*test)(const double* const*, const double* const*))
{
    const double *before[4], *after[4];
    if (!is_pair(search->s, nodes, split, 4)) return;
    for (int i = 0; i < 4; i++) {
        before[i] = search->x + 3 * nodes[i];
        after[i] = search->y + 3 * nodes[i];
    }
    note(search, test(before, after), nodes, split);
}

static void visit_node_triangle(void* user, int node, int triangle)
{
    const Search* search = user;
    const int* t = search->s->triangles + 3 * triangle;
    visit_swept(search, (const int[4]){search->s->outer[node], t[0], t[1], t[2]}, 1, crossing_swept_node);
}

static void visit_edges(void* user, int a, int b)
{
    const Search* search = user;
    const int *e = search->s->edges + 2 * a, *f = search->s->edges + 2 * b;
    if (a < b) visit_swept(search, (const int[4]){e[0], e[1], f[0], f[1]}, 2, crossing_swept_edges);
}

bool crossing_count(const CrossingSurface* s, const double* x, CrossingCount* count)
{
    Search search = {s, x, x, count};
    Box *edges = NULL, *triangles = NULL;
    *count = (CrossingCount){.example = {-1, -1, -1, -1}};
    bool done = all_boxes(&search, s->edges, 2, s->edge_count, &edges) &&
                all_boxes(&search, s->triangles, 3, s->triangle_count, &triangles) &&
                near_pairs(s->edge_count, edges, s->triangle_count, triangles, visit_edge_triangle, &search);
    free(edges);
    free(triangles);
    return done;
}

// Triangles and edges of each part, its first node, and the box of its triangles.
typedef struct Part {
    int triangles, edges, node;
    Box box;
} Part;

// A triangle's solid angle as seen from p (van Oosterom, Strackee 1983).
static long double seen_from(const double* p, const double* a, const double* b, const double* c)
{
    Vector u = between(p, a), v = between(p, b), w = between(p, c);
    long double lu = sqrtl(dot(u, u)), lv = sqrtl(dot(v, v)), lw = sqrtl(dot(w, w));
    return 2 * atan2l(triple(&u, &v, &w), lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv);
}

static bool is_inside(const CrossingSurface* s, const double* x, int part, const double* p)
{
    long double sum = 0;
    for (int i = 0; i < s->triangle_count; i++) {
        const int* t = s->triangles + 3 * i;
        if (s->part[t[0]] == part) sum += seen_from(p, x + 3 * t[0], x + 3 * t[1], x + 3 * t[2]);
    }
    return fabsl(sum) > 6.28L; // 4 pi inside, 0 outside
}

static void measure_parts(const CrossingSurface* s, const double* x, Part* parts)
{
    for (int k = s->outer_count - 1; k >= 0; k--) parts[s->part[s->outer[k]]].node = s->outer[k];
    for (int i = 0; i < s->edge_count; i++) parts[s->part[s->edges[2 * i]]].edges++;
    for (int i = 0; i < s->triangle_count; i++) {
        Part* part = &parts[s->part[s->triangles[3 * i]]];
        Box box = box_of(x, x, s->triangles + 3 * i, 3);
        if (part->triangles++ == 0) part->box = box;
        for (int c = 0; c < 3; c++) {
            part->box.lo[c] = fmin(part->box.lo[c], box.lo[c]);
            part->box.hi[c] = fmax(part->box.hi[c], box.hi[c]);
        }
    }
}

bool crossing_count_nested(const CrossingSurface* s, const double* x, int64_t* pairs)
{
    int count = 0;
    for (int i = 0; i < s->node_count; i++) count = s->part[i] >= count ? s->part[i] + 1 : count;
    Part* parts = calloc((size_t)count + 1, sizeof *parts);
    *pairs = 0;
    if (!parts) return false;
    measure_parts(s, x, parts);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            bool closed = parts[a].triangles > 0 && 3 * parts[a].triangles == 2 * parts[a].edges;
            if (a == b || !closed || (a >= s->bodies && b >= s->bodies) || s->part[parts[b].node] != b) continue;
            Box node = box_of(x, x, &parts[b].node, 1);
            if (overlap(&node, &parts[a].box)) *pairs += is_inside(s, x, a, x + 3 * parts[b].node);
        }
    free(parts);
    return true;
}

bool crossing_count_swept(const CrossingSurface* s, const double* before, const double* after, CrossingCount* count)
{
    Search search = {s, before, after, count};
    Box *nodes = NULL, *edges = NULL, *triangles = NULL;
    *count = (CrossingCount){.example = {-1, -1, -1, -1}};
    bool done = all_boxes(&search, s->outer, 1, s->outer_count, &nodes) &&
                all_boxes(&search, s->edges, 2, s->edge_count, &edges) &&
                all_boxes(&search, s->triangles, 3, s->triangle_count, &triangles) &&
                near_pairs(s->outer_count, nodes, s->triangle_count, triangles, visit_node_triangle, &search) &&
                near_pairs(s->edge_count, edges, s->edge_count, edges, visit_edges, &search);
    free(nodes);
    free(edges);
    free(triangles);
    return done;
}
