// Symbolic Cholesky: elimination tree (Liu 1990), column counts (Gilbert, Ng & Peyton 1994), relaxed supernodes
// (Ashcraft & Grimes 1989).
#include "linalg/supernodes.h"

#include <stdlib.h>
#include <string.h>

typedef struct Analysis {
    const SnGraph* graph;
    int n, block;
    int* order;         // becomes the result's
    int* place;         // inverse of order
    int* parent;        // elimination tree of columns
    int* count;         // entries of each column of L, the diagonal included
    int *a, *b, *c, *d; // work, n each
    // Supernodes before cutting into chains
    int supernodes;
    int* first;    // n + 1
    int* length;   // n: entries of the first column
    int* of;       // n: supernode of each column
    double* zeros; // n: stored though zero
} Analysis;

static void free_analysis(Analysis* a)
{
    SN_FREE(a->order, a->place, a->parent, a->count, a->a, a->b, a->c, a->d, a->first, a->length, a->of, a->zeros);
}

static SnStatus start_analysis(Analysis* a)
{
    int64_t n = a->n + 1;
    int** arrays[] = {&a->order, &a->place, &a->parent, &a->count,  &a->a, &a->b,
                      &a->c,     &a->d,     &a->first,  &a->length, &a->of};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!SN_NEW(*arrays[k], n, "the analysis of the factor")) return SN_ERROR_MEMORY;
    return SN_NEW(a->zeros, n, "the analysis of the factor") ? SN_OK : SN_ERROR_MEMORY;
}

static void elimination_tree(Analysis* a)
{
    int* ancestor = a->a; // shortcuts to the root of each finished tree
    for (int i = 0; i < a->n; i++) {
        a->parent[i] = ancestor[i] = -1;
        int v = a->order[i];
        for (int64_t q = a->graph->start[v]; q < a->graph->start[v + 1]; q++) {
            for (int k = a->place[a->graph->to[q]], next; k != -1 && k < i; k = next) {
                next = ancestor[k];
                ancestor[k] = i;
                if (next == -1) a->parent[k] = i;
            }
        }
    }
}

// Names columns anew so that every subtree is a run; the child with the longest column comes last, next to its parent,
// where the two may become one supernode.
static void postorder(Analysis* a, bool counted)
{
    int n = a->n, *head = a->a, *next = a->b, *heavy = a->c, *stack = a->d, found = 0;
    for (int j = 0; j < n; j++) head[j] = heavy[j] = -1;
    for (int j = 0; j < n && counted; j++) {
        int p = a->parent[j];
        if (p >= 0 && (heavy[p] < 0 || a->count[heavy[p]] < a->count[j])) heavy[p] = j;
    }
    for (int j = 0; j < n; j++)
        if (heavy[j] >= 0) head[j] = heavy[j], next[heavy[j]] = -1;
    for (int j = n - 1; j >= 0; j--) {
        int p = a->parent[j];
        if (p >= 0 && heavy[p] != j) next[j] = head[p], head[p] = j;
    }
    int* post = heavy; // post[k]: the column that becomes k; heavy is needed no more
    for (int root = 0; root < n; root++) {
        if (a->parent[root] >= 0) continue;
        int top = 0;
        stack[top++] = root;
        while (top > 0) {
            int j = stack[top - 1], child = head[j];
            if (child >= 0)
                head[j] = next[child], stack[top++] = child;
            else
                post[found++] = j, top--;
        }
    }
    int *name = head, *moved = next;
    for (int k = 0; k < n; k++) name[post[k]] = k;
    for (int k = 0; k < n; k++) moved[k] = a->parent[post[k]] < 0 ? -1 : name[a->parent[post[k]]];
    memcpy(a->parent, moved, (size_t)n * sizeof *moved);
    for (int k = 0; k < n; k++) moved[k] = a->order[post[k]];
    memcpy(a->order, moved, (size_t)n * sizeof *moved);
    for (int k = 0; k < n; k++) a->place[a->order[k]] = k;
    for (int k = 0; k < n; k++) moved[k] = a->count[post[k]];
    memcpy(a->count, moved, (size_t)n * sizeof *moved);
}

static int find(int* ancestor, int j)
{
    int root = j;
    while (ancestor[root] != root) root = ancestor[root];
    while (ancestor[j] != root) {
        int next = ancestor[j];
        ancestor[j] = root, j = next;
    }
    return root;
}

// Row i of L is the tree spanned by its entries in A; a column's count is the number of such trees through it, found
// from the trees' leaves and the lowest common ancestors of consecutive leaves. Columns are in postorder.
static void column_counts(Analysis* a)
{
    int n = a->n, *first = a->a, *latest = a->b, *leaf = a->c, *ancestor = a->d;
    for (int j = 0; j < n; j++) first[j] = latest[j] = leaf[j] = -1, ancestor[j] = j;
    for (int j = 0; j < n; j++) {
        a->count[j] = first[j] < 0; // a leaf of the elimination tree counts its diagonal
        if (first[j] < 0) first[j] = j;
        int p = a->parent[j];
        if (p >= 0 && first[p] < 0) first[p] = first[j];
    }
    for (int j = 0; j < n; j++) {
        int v = a->order[j];
        if (a->parent[j] >= 0) a->count[a->parent[j]]--;
        for (int64_t q = a->graph->start[v]; q < a->graph->start[v + 1]; q++) {
            int i = a->place[a->graph->to[q]];
            if (i < j || first[j] <= latest[i]) continue; // not a leaf of row i's tree
            a->count[j]++;
            if (leaf[i] >= 0) a->count[find(ancestor, leaf[i])]--;
            latest[i] = first[j], leaf[i] = j;
        }
        if (a->parent[j] >= 0) ancestor[j] = a->parent[j];
    }
    for (int j = 0; j < n; j++)
        if (a->parent[j] >= 0) a->count[a->parent[j]] += a->count[j];
}

// Columns with the same rows, each the only child of the next.
static void fundamental_supernodes(Analysis* a)
{
    int *children = a->a, s = -1;
    for (int j = 0; j < a->n; j++) children[j] = 0;
    for (int j = 0; j < a->n; j++)
        if (a->parent[j] >= 0) children[a->parent[j]]++;
    for (int j = 0; j < a->n; j++) {
        bool joins = j > 0 && a->parent[j - 1] == j && a->count[j - 1] == a->count[j] + 1 && children[j] == 1;
        if (!joins) a->first[++s] = j, a->length[s] = a->count[j];
        a->of[j] = s;
    }
    a->supernodes = s + 1;
    a->first[s + 1] = a->n;
}

// Whether a supernode is worth merging with its parent: few columns, or few zeros among the entries.
static bool worth_merging(int columns, double fresh, double zeros, double total)
{
    static const struct {
        int columns;
        double zeros;
    } allowed[] = {{16, 0.8}, {48, 0.1}, {1 << 30, 0.05}};
    if (columns <= 4 || fresh == 0) return true;
    for (int k = 0; k < 3; k++)
        if (columns <= allowed[k].columns && zeros < allowed[k].zeros * total) return true;
    return false;
}

// Merges supernodes with the parent that begins where they end, from the last to the first.
static void relax_supernodes(Analysis* a)
{
    int *end = a->a, *into = a->b; // columns of the merged supernode; the supernode that took it in
    for (int s = 0; s < a->supernodes; s++) end[s] = a->first[s + 1], into[s] = s, a->zeros[s] = 0;
    for (int s = a->supernodes - 2; s >= 0; s--) {
        int p = a->parent[a->first[s + 1] - 1];
        if (p < 0 || find(into, a->of[p]) != s + 1) continue;
        int own = a->first[s + 1] - a->first[s], above = end[s + 1] - a->first[s + 1], columns = own + above;
        double fresh = (double)own * (own + a->length[s + 1] - a->length[s]);
        double zeros = a->zeros[s + 1] + fresh;
        double total = 0.5 * columns * (columns + 1.0) + (double)columns * (a->length[s + 1] - above);
        if (!worth_merging(a->block * columns, fresh, zeros, total)) continue;
        end[s] = end[s + 1], into[s + 1] = s;
        a->length[s] = own + a->length[s + 1];
        a->zeros[s] = zeros;
    }
    int kept = 0;
    for (int s = 0; s < a->supernodes; s++) {
        if (into[s] != s) continue;
        a->first[kept] = a->first[s], a->length[kept] = a->length[s], kept++;
    }
    a->supernodes = kept;
    a->first[kept] = a->n;
    for (int s = 0; s < kept; s++)
        for (int j = a->first[s]; j < a->first[s + 1]; j++) a->of[j] = s;
}

// Columns of a chain's first link; the others have `widest`.
static int first_link(int columns, int widest)
{
    return (columns - 1) % widest + 1;
}

static SnStatus allocate_result(const Analysis* a, int widest, SnSupernodes* out)
{
    int64_t count = 0, rows = 0;
    for (int s = 0; s < a->supernodes; s++) {
        int columns = a->first[s + 1] - a->first[s];
        for (int last = first_link(columns, widest); last <= columns; last += widest, count++)
            rows += a->length[s] - last;
    }
    out->n = a->n, out->count = (int)count;
    if (!SN_NEW(out->first, count + 1, "the supernodes") || !SN_NEW(out->parent, count, "the supernodes") ||
        !SN_NEW(out->link, count, "the supernodes") || !SN_NEW(out->row_start, count + 1, "the supernodes") ||
        !SN_NEW(out->row, rows, "the supernodes"))
        return SN_ERROR_MEMORY;
    return SN_OK;
}

// The rows of supernode s: those of A in its columns and those of its children, marked with s so that each comes once.
static int gather_rows(const Analysis* a, const SnSupernodes* out, int s, const int* last_link, const int* head,
                       const int* next, int* mark, int* rows)
{
    int found = 0, end = a->first[s + 1];
    for (int j = a->first[s]; j < end; j++) {
        int v = a->order[j];
        for (int64_t q = a->graph->start[v]; q < a->graph->start[v + 1]; q++) {
            int i = a->place[a->graph->to[q]];
            if (i >= end && mark[i] != s) mark[i] = s, rows[found++] = i;
        }
    }
    for (int child = head[s]; child >= 0; child = next[child]) {
        int link = last_link[child];
        for (int64_t k = out->row_start[link]; k < out->row_start[link + 1]; k++) {
            int i = out->row[k];
            if (i >= end && mark[i] != s) mark[i] = s, rows[found++] = i;
        }
    }
    qsort(rows, (size_t)found, sizeof *rows, sn_compare_ints);
    return found;
}

// Writes supernode s, with its rows, as links.
static int write_links(const Analysis* a, SnSupernodes* out, int s, int link, int widest, const int* rows, int found)
{
    int columns = a->first[s + 1] - a->first[s], done = 0;
    for (int last = first_link(columns, widest); last <= columns; done = last, last += widest, link++) {
        out->first[link] = a->first[s] + done;
        out->link[link] = done > 0;
        out->parent[link] = last < columns ? link + 1 : -1; // the last link's is set by its parent
        int64_t at = out->row_start[link];
        for (int j = last; j < columns; j++) out->row[at++] = a->first[s] + j;
        if (found > 0) memcpy(out->row + at, rows, (size_t)found * sizeof *rows);
        out->row_start[link + 1] = at + found;
    }
    return link;
}

static SnStatus find_rows(Analysis* a, int widest, SnSupernodes* out)
{
    int *head = a->a, *next = a->b, *mark = a->c, *rows = a->d, *last_link = a->count;
    SN_TRY(allocate_result(a, widest, out));
    for (int j = 0; j < a->n; j++) head[j] = mark[j] = -1;
    int link = 0;
    for (int s = 0; s < a->supernodes; s++) {
        int found = gather_rows(a, out, s, last_link, head, next, mark, rows), begin = link;
        for (int child = head[s]; child >= 0; child = next[child]) out->parent[last_link[child]] = begin;
        link = write_links(a, out, s, link, widest, rows, found);
        last_link[s] = link - 1;
        if (found > 0) {
            int p = a->of[rows[0]];
            next[s] = head[p], head[p] = s;
        }
    }
    out->first[link] = a->n;
    return SN_OK;
}

static void take_order(const SnGraphParts* parts, int* order)
{
    for (int p = 0; p < parts->count; p++)
        for (int k = parts->start[p]; k < parts->start[p + 1]; k++)
            order[k] = parts->node[parts->start[p] + parts->order[k]];
}

SnStatus sn_supernodes_create(const SnGraphParts* parts, int block, int widest, SnSupernodes* out)
{
    *out = (SnSupernodes){0};
    Analysis a = {.graph = &parts->graph, .n = parts->graph.n, .block = block};
    SnStatus status = start_analysis(&a);
    if (status == SN_OK) {
        take_order(parts, a.order);
        for (int k = 0; k < a.n; k++) a.place[a.order[k]] = k;
        elimination_tree(&a);
        postorder(&a, false);
        column_counts(&a);
        postorder(&a, true);
        fundamental_supernodes(&a);
        relax_supernodes(&a);
        status = find_rows(&a, widest, out);
    }
    if (status == SN_OK) out->order = a.order, a.order = NULL;
    free_analysis(&a);
    if (status != SN_OK) sn_supernodes_free(out);
    return status;
}

void sn_supernodes_free(SnSupernodes* s)
{
    SN_FREE(s->order, s->first, s->parent, s->link, s->row_start, s->row);
    *s = (SnSupernodes){0};
}
