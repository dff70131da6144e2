// From a slab to a part, in four rounds of messages:
//
// 1. each face of an element goes to the process whose slab has its lowest node, which finds those of two elements;
//    that makes the graph of elements, and what is left over is the surface;
// 2. PT-Scotch splits the graph, and elements go where they belong;
// 3. each process asks the slabs for its nodes, and hears who else has them;
// 4. members of groups go where the elements and nodes are.
#include "mpi/deal_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/elements.h"
#include "mpi/fabric.h"
#include "mpi/mpi_program.h"
#include "mpi/petsc.h"
#include "mpi/rows.h"

// --- 1: faces ---

static void face_nodes(const int* tetrahedron, int face, int nodes[3])
{
    for (int c = 0; c < 3; c++) nodes[c] = tetrahedron[sn_tetrahedron_faces[face][c]];
    for (int i = 1; i < 3; i++)
        for (int j = i; j > 0 && nodes[j] < nodes[j - 1]; j--) {
            int t = nodes[j];
            nodes[j] = nodes[j - 1], nodes[j - 1] = t;
        }
}

// Of each face that came, the element on its other side, or -1.
static SnStatus match_faces(const Deal* d, const SnPost* post, int* other)
{
    SnNodeKey* keys;
    if (!SN_NEW(keys, post->in_total, "faces")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < post->in_total; i++) keys[i] = sn_node_key(post->in + FACE * i, 3, (int)i);
    SnStatus status = sn_sort_keys(keys, post->in_total, d->slab.all_nodes);
    for (int64_t i = 0; i < post->in_total && status == SN_OK; i++) {
        bool before = i > 0 && sn_same_key(&keys[i - 1], &keys[i]),
             after = i + 1 < post->in_total && sn_same_key(&keys[i], &keys[i + 1]);
        int64_t mate = after ? i + 1 : i - 1;
        other[keys[i].item] = before || after ? post->in[FACE * (int64_t)keys[mate].item + 3] : -1;
    }
    sn_free(keys);
    return status;
}

static SnStatus send_faces(Deal* d, SnPost* post)
{
    const SnSlab* s = &d->slab;
    int nodes[3];
    for (int64_t i = 0; i < 4 * (int64_t)s->element_count; i++) {
        face_nodes(s->tetrahedra + i / 4 * 4, (int)(i % 4), nodes);
        sn_post_count(post, sn_deal_slab_of(d, nodes[0]));
    }
    SN_TRY(sn_post_open(post));
    for (int64_t i = 0; i < 4 * (int64_t)s->element_count; i++) {
        face_nodes(s->tetrahedra + i / 4 * 4, (int)(i % 4), nodes);
        int* item = sn_post_add(post, sn_deal_slab_of(d, nodes[0]));
        memcpy(item, nodes, sizeof nodes);
        item[3] = s->first_element + (int)(i / 4);
    }
    return sn_post_send(post);
}

// Answers are in the order in which faces were sent to each process.
static void take_neighbours(Deal* d, SnPost* post, const int* got)
{
    int nodes[3];
    for (int r = 0; r < d->size; r++) post->next[r] = post->out_first[r];
    for (int64_t i = 0; i < 4 * (int64_t)d->slab.element_count; i++) {
        face_nodes(d->slab.tetrahedra + i / 4 * 4, (int)(i % 4), nodes);
        d->neighbours[i] = got[post->next[sn_deal_slab_of(d, nodes[0])]++];
    }
}

static SnStatus find_neighbours(Deal* d)
{
    SnPost post;
    int *other = NULL, *got = NULL;
    SnStatus status = sn_post_begin(d->comm, FACE, &post);
    if (status == SN_OK) status = send_faces(d, &post);
    if (status == SN_OK) {
        status =
            SN_NEW(other, post.in_total, "faces") && SN_NEW(d->neighbours, 4 * (int64_t)d->slab.element_count, "faces")
                ? match_faces(d, &post, other)
                : SN_ERROR_MEMORY;
        status = sn_mpi_agree(d->comm, status);
    }
    if (status == SN_OK) status = sn_post_answer(&post, 1, other, &got);
    if (status == SN_OK) take_neighbours(d, &post, got);
    SN_FREE(other, got);
    sn_post_free(&post);
    return status;
}

// --- 2: parts ---

// As PETSc wants it; it frees both arrays with the matrix.
static SnStatus make_graph(const Deal* d, Mat* graph)
{
    PetscInt *start, *list, used = 0, n = d->slab.element_count;
    SN_PETSC(PetscMalloc1(n + 1, &start));
    SN_PETSC(PetscMalloc1(4 * n + 1, &list));
    start[0] = 0;
    for (PetscInt e = 0; e < n; e++) {
        for (int f = 0; f < 4; f++)
            if (d->neighbours[4 * e + f] >= 0 && d->neighbours[4 * e + f] != e + d->slab.first_element)
                list[used++] = d->neighbours[4 * e + f];
        start[e + 1] = used;
    }
    SN_PETSC(MatCreateMPIAdj(d->comm, n, d->slab.all_elements, start, list, NULL, graph));
    return SN_OK;
}

static SnStatus split(Deal* d, Mat graph)
{
    MatPartitioning splitting;
    IS parts;
    const PetscInt* part;
    SN_PETSC(MatPartitioningCreate(d->comm, &splitting));
    SN_PETSC(MatPartitioningSetAdjacency(splitting, graph));
    SN_PETSC(MatPartitioningSetType(splitting, MATPARTITIONINGPTSCOTCH));
    SN_PETSC(MatPartitioningSetNParts(splitting, d->size));
    SN_PETSC(MatPartitioningApply(splitting, &parts));
    SN_PETSC(ISGetIndices(parts, &part));
    for (int e = 0; e < d->slab.element_count; e++) d->target[e] = (int)part[e];
    SN_PETSC(ISRestoreIndices(parts, &part));
    SN_PETSC(ISDestroy(&parts));
    SN_PETSC(MatPartitioningDestroy(&splitting));
    return SN_OK;
}

static SnStatus divide(Deal* d)
{
    Mat graph = NULL;
    SnStatus status = SN_NEW(d->target, d->slab.element_count, "parts") ? SN_OK : SN_ERROR_MEMORY;
    SN_TRY(sn_mpi_agree(d->comm, status));
    if (d->size == 1) return SN_OK;
    setenv("SCOTCH_PTHREAD_NUMBER", "1", 1); // with threads it finds other parts every time
    status = make_graph(d, &graph);
    if (status == SN_OK) status = split(d, graph);
    if (graph) MatDestroy(&graph);
    return sn_mpi_agree(d->comm, status);
}

static SnStatus send_elements(Deal* d, SnPost* post)
{
    const SnSlab* s = &d->slab;
    for (int e = 0; e < s->element_count; e++) sn_post_count(post, d->target[e]);
    SN_TRY(sn_post_open(post));
    for (int e = 0; e < s->element_count; e++) {
        int* item = sn_post_add(post, d->target[e]);
        item[0] = s->first_element + e, item[5] = 0;
        memcpy(item + 1, s->tetrahedra + 4 * (int64_t)e, 4 * sizeof *item);
        for (int f = 0; f < 4; f++) item[5] |= (d->neighbours[4 * (int64_t)e + f] < 0) << f;
    }
    return sn_post_send(post);
}

// Slabs are in the order of processes, so that elements come in the order of their numbers.
static SnStatus move_elements(Deal* d)
{
    SnPost post;
    SnStatus status = sn_post_begin(d->comm, ELEMENT, &post);
    if (status == SN_OK) status = send_elements(d, &post);
    if (status == SN_OK) {
        d->elements = post.in, d->element_count = (int)post.in_total;
        post.in = NULL;
    }
    sn_post_free(&post);
    SN_FREE(d->neighbours, d->slab.tetrahedra);
    d->neighbours = NULL, d->slab.tetrahedra = NULL;
    SN_TRY(status);
    if (d->element_count == 0) status = sn_fail(SN_ERROR_UNSUPPORTED, "a process would have no elements");
    return sn_mpi_agree(d->comm, status);
}

// --- 3: nodes ---

static SnStatus list_nodes(Deal* d)
{
    int64_t count = 4 * (int64_t)d->element_count;
    if (!SN_NEW(d->nodes, count, "parts")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) d->nodes[i] = d->elements[i / 4 * ELEMENT + 1 + i % 4];
    qsort(d->nodes, (size_t)count, sizeof *d->nodes, sn_compare_ints);
    for (int64_t i = 0; i < count; i++)
        if (d->node_count == 0 || d->nodes[d->node_count - 1] != d->nodes[i]) d->nodes[d->node_count++] = d->nodes[i];
    int* fewer = sn_reallocate(d->nodes, (size_t)d->node_count, sizeof *d->nodes, "parts");
    if (fewer) d->nodes = fewer;
    return fewer ? SN_OK : SN_ERROR_MEMORY;
}

static void free_asked(Asked* a)
{
    SN_FREE(a->start, a->ranks, a->node, a->who);
}

// Questions come by rank, and so do ranks of a node.
static SnStatus list_asked(const Deal* d, const SnPost* post, Asked* a)
{
    int n = d->slab.node_count, *next;
    if (!SN_NEW(a->start, (int64_t)n + 1, "parts") || !SN_NEW(a->ranks, post->in_total, "parts") ||
        !SN_NEW(a->node, post->in_total, "parts") || !SN_NEW(a->who, post->in_total, "parts") ||
        !SN_NEW(next, n, "parts"))
        return SN_ERROR_MEMORY;
    for (int r = 0; r < d->size; r++)
        for (int k = 0; k < post->in_counts[r]; k++) {
            int64_t i = post->in_first[r] + (int64_t)k;
            a->node[i] = post->in[i] - d->slab.first_node, a->who[i] = r;
            a->start[a->node[i] + 1]++;
        }
    bool lone = false;
    for (int i = 0; i < n; i++) {
        lone |= a->start[i + 1] == 0;
        a->start[i + 1] += a->start[i], next[i] = a->start[i];
    }
    for (int64_t i = 0; i < post->in_total; i++) a->ranks[next[a->node[i]]++] = a->who[i];
    sn_free(next);
    return lone ? sn_fail(SN_ERROR_UNSUPPORTED, "nodes that are in no element") : SN_OK;
}

// Place, owner and number of processes that have it: of several, one or the other, so that all get about as many.
static SnStatus answer(const Deal* d, const SnPost* post, const Asked* a, int** got)
{
    int* answers;
    SnStatus status = SN_NEW(answers, NODE * post->in_total, "parts") ? SN_OK : SN_ERROR_MEMORY;
    SN_TRY(sn_mpi_agree(d->comm, status));
    for (int64_t i = 0; i < post->in_total; i++) {
        int node = a->node[i], first = a->start[node], count = a->start[node + 1] - first;
        memcpy(answers + NODE * i, d->slab.nodes + 3 * (int64_t)node, 3 * sizeof(double));
        answers[NODE * i + 6] = a->ranks[first + (node + d->slab.first_node) % count];
        answers[NODE * i + 7] = count;
    }
    status = sn_post_answer(post, NODE, answers, got);
    sn_free(answers);
    return status;
}

// To each who asked for a node that others have, too: who these are, in the order of nodes.
static SnStatus tell_sharers(const Deal* d, const SnPost* questions, const Asked* a, SnPost* post)
{
    SN_TRY(sn_post_begin(d->comm, 1, post));
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < questions->in_total; i++)
            for (int k = a->start[a->node[i]]; k < a->start[a->node[i] + 1]; k++) {
                if (a->ranks[k] == a->who[i]) continue;
                if (pass == 0)
                    sn_post_count(post, a->who[i]);
                else
                    *sn_post_add(post, a->who[i]) = a->ranks[k];
            }
        if (pass == 0) SN_TRY(sn_post_open(post));
    }
    return sn_post_send(post);
}

// Own nodes first; both in the order of the whole.
static SnStatus order_nodes(Deal* d, const int* got)
{
    SnMeshPart* p = d->part;
    int used = 0, n = d->node_count;
    if (!SN_NEW(d->order, n, "parts") || !SN_NEW(p->nodes, n, "parts") || !SN_NEW(p->owner, n, "parts") ||
        !SN_NEW(p->sharer_start, (int64_t)n + 1, "parts"))
        return SN_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++)
            if ((got[NODE * (int64_t)i + 6] == d->rank) == (pass == 0)) d->order[i] = used++;
        if (pass == 0) p->own_count = used;
    }
    for (int i = 0; i < n; i++) {
        const int* answer_of = got + NODE * (int64_t)i;
        int at = d->order[i];
        p->nodes[at] = d->nodes[i], p->owner[at] = answer_of[6];
        p->sharer_start[at + 1] = answer_of[7] - 1;
        memcpy(d->mesh->nodes + 3 * (int64_t)at, answer_of, 3 * sizeof(double));
    }
    for (int i = 0; i < n; i++) p->sharer_start[i + 1] += p->sharer_start[i];
    return SN_NEW(p->sharers, p->sharer_start[n], "parts") ? SN_OK : SN_ERROR_MEMORY;
}

static void take_sharers(const Deal* d, const int* ranks)
{
    for (int i = 0; i < d->node_count; i++) {
        int at = d->order[i], count = d->part->sharer_start[at + 1] - d->part->sharer_start[at];
        for (int k = 0; k < count; k++) d->part->sharers[d->part->sharer_start[at] + k] = *ranks++;
    }
}

static SnStatus ask_nodes(Deal* d, SnPost* questions)
{
    SN_TRY(sn_post_begin(d->comm, 1, questions));
    for (int i = 0; i < d->node_count; i++) sn_post_count(questions, sn_deal_slab_of(d, d->nodes[i]));
    SN_TRY(sn_post_open(questions));
    for (int i = 0; i < d->node_count; i++) *sn_post_add(questions, sn_deal_slab_of(d, d->nodes[i])) = d->nodes[i];
    return sn_post_send(questions);
}

static SnStatus fetch_nodes(Deal* d, const SnPost* questions, Asked* asked)
{
    SnPost sharers = {0};
    int* got = NULL;
    SN_TRY(sn_mpi_agree(d->comm, list_asked(d, questions, asked)));
    SnStatus status = answer(d, questions, asked, &got);
    if (status == SN_OK) status = tell_sharers(d, questions, asked, &sharers);
    if (status == SN_OK) status = sn_mpi_agree(d->comm, order_nodes(d, got));
    if (status == SN_OK) take_sharers(d, sharers.in);
    sn_post_free(&sharers);
    sn_free(got);
    return status;
}

// --- the part as a mesh ---

static SnStatus begin_mesh(Deal* d)
{
    SnMeshPart* p;
    SN_TRY(list_nodes(d));
    SN_TRY(sn_mesh_allocate(d->node_count, 3, d->element_count, &d->mesh));
    if (!SN_NEW(p, 1, "a part")) return SN_ERROR_MEMORY;
    d->part = d->mesh->part = p;
    p->all_nodes = d->slab.all_nodes, p->all_elements = d->slab.all_elements;
    if (!SN_NEW(p->elements, d->element_count, "a part")) return SN_ERROR_MEMORY;
    for (int e = 0; e < d->element_count; e++) p->elements[e] = d->elements[ELEMENT * (int64_t)e];
    return SN_OK;
}

static void set_tetrahedra(Deal* d)
{
    for (int e = 0; e < d->element_count; e++)
        for (int c = 0; c < 4; c++)
            d->mesh->tetrahedra[4 * (int64_t)e + c] =
                d->order[sn_deal_find(d->nodes, d->node_count, d->elements[ELEMENT * (int64_t)e + 1 + c])];
}

// All have one handedness, so that all parts turn around what one would turn around; then faces are those of it.
static void fix_handedness(Deal* d)
{
    int signs[2] = {0, 0}; // some are positive, some negative
    for (int e = 0; e < d->element_count; e++) {
        double volume = sn_tetrahedron_volume(d->mesh->nodes, d->mesh->tetrahedra + 4 * (int64_t)e);
        signs[0] |= volume > 0, signs[1] |= volume < 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, signs, 2, MPI_INT, MPI_MAX, d->comm);
    if (!signs[0] && signs[1]) sn_mesh_fix_handedness(d->mesh);
}

// By the nodes of the face, as corners may have changed places.
static void take_face(const Deal* d, int e, int face, int* triangle)
{
    const int *before = d->elements + ELEMENT * (int64_t)e + 1, *now = d->mesh->tetrahedra + 4 * (int64_t)e;
    int apart = d->order[sn_deal_find(d->nodes, d->node_count, before[face])];
    for (int f = 0; f < 4; f++)
        if (now[f] == apart)
            for (int c = 0; c < 3; c++) triangle[c] = now[sn_tetrahedron_faces[f][c]];
}

static SnStatus list_surface(Deal* d)
{
    SnMeshPart* p = d->part;
    for (int e = 0; e < d->element_count; e++)
        for (int f = 0; f < 4; f++) p->surface_count += d->elements[ELEMENT * (int64_t)e + 5] >> f & 1;
    if (!SN_NEW(p->surface, 3 * (int64_t)p->surface_count, "a surface")) return SN_ERROR_MEMORY;
    int* next = p->surface;
    for (int e = 0; e < d->element_count; e++)
        for (int f = 0; f < 4; f++)
            if (d->elements[ELEMENT * (int64_t)e + 5] >> f & 1) take_face(d, e, f, next), next += 3;
    return SN_OK;
}

static void count_surface(Deal* d)
{
    SnMeshPart* p = d->part;
    MPI_Exscan(&p->surface_count, &p->surface_first, 1, MPI_INT, MPI_SUM, d->comm);
    if (d->rank == 0) p->surface_first = 0;
    MPI_Allreduce(&p->surface_count, &p->all_surface, 1, MPI_INT, MPI_SUM, d->comm);
}

// Nodes, groups and the surface of the elements that are here.
static SnStatus complete(Deal* d)
{
    SnPost questions = {0};
    Asked asked = {0};
    SN_TRY(sn_mpi_agree(d->comm, begin_mesh(d)));
    SnStatus status = ask_nodes(d, &questions);
    if (status == SN_OK) status = fetch_nodes(d, &questions, &asked);
    if (status == SN_OK) status = sn_deal_groups(d, &asked);
    free_asked(&asked);
    sn_post_free(&questions);
    SN_TRY(status);
    set_tetrahedra(d);
    fix_handedness(d);
    SN_TRY(sn_mpi_agree(d->comm, list_surface(d)));
    count_surface(d);
    return SN_OK;
}

static SnStatus deal_slab(Deal* d)
{
    SnStatus status = d->slab.all_elements < d->size || d->slab.all_nodes < d->size
                          ? sn_fail(SN_ERROR_UNSUPPORTED, "fewer elements than processes")
                          : SN_OK;
    SN_TRY(sn_mpi_agree(d->comm, status));
    SN_TRY(find_neighbours(d));
    SN_TRY(divide(d));
    SN_TRY(move_elements(d));
    return complete(d);
}

static void sum_all(void* self, int count, double* values)
{
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, *(MPI_Comm*)self);
}

static void largest_all(void* self, int count, double* values)
{
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, *(MPI_Comm*)self);
}

static SnStatus deal(void* self, const SnMeshSource* source, SnMesh** mesh)
{
    Deal d = {.comm = *(MPI_Comm*)self};
    *mesh = NULL;
    MPI_Comm_rank(d.comm, &d.rank);
    MPI_Comm_size(d.comm, &d.size);
    d.slab.number = d.rank, d.slab.slabs = d.size;
    SnStatus status = source->shape ? sn_slab_make(source->shape, source->def, &d.slab)
                                    : sn_slab_read(source->format, source->path, &d.slab);
    status = sn_mpi_agree(d.comm, status);
    if (status == SN_OK) status = deal_slab(&d);
    if (status == SN_OK) {
        d.part->dealer = self, d.part->sum = sum_all, d.part->largest = largest_all;
        *mesh = d.mesh, d.mesh = NULL;
    }
    sn_mesh_destroy(d.mesh);
    sn_slab_free(&d.slab);
    SN_FREE(d.neighbours, d.target, d.elements, d.nodes, d.order);
    return status;
}

static SnStatus agree(void* self, SnStatus status)
{
    return sn_mpi_agree(*(MPI_Comm*)self, status);
}

static void fail(void* self)
{
    int rank;
    MPI_Comm_rank(*(MPI_Comm*)self, &rank);
    sn_mpi_end_all(rank);
}

SnMeshDealer sn_mpi_dealer(MPI_Comm* comm)
{
    return (SnMeshDealer){comm, deal, agree, fail};
}
