// The first process asks for a window of entries, and gets those of each process in turn.
#include "mpi/gather_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/vec3.h"
#include "mpi/mpi_program.h"

enum { TAG = 9, PIECE = 1 << 22 }; // bytes that are restored at a time

// What is asked for; MESH: an array of a body.
typedef enum What { END, GET_STATE, PUT_STATE, GET_MESH } What;
typedef struct Request {
    int what;
    int number; // of the state's piece, or of the array
    int body;
    int64_t first, count; // entries
} Request;

void sn_gather_free(SnGather* g)
{
    SN_FREE(g->bodies, g->contacts, g->lists[0], g->lists[1], g->lists[2], g->box, g->window);
    sn_constraint_set_free(&g->constraints);
    sn_saved_free(&g->saved);
    *g = (SnGather){0};
}

static void* room(char** buffer, int* capacity, int64_t size, int rank)
{
    if (!SN_GROW(*buffer, *capacity, size + 1, "a window")) sn_mpi_end_all(rank);
    return *buffer;
}

// --- entries of one process ---

// Some entries of an array of the whole, as this process has them.
typedef struct Entries {
    const SnGather* gather;
    Request request;
    int64_t count; // here
    int64_t size;  // bytes of one
    const SnStatePiece* piece;
    const SnNumbered* list; // of the state, or nodes of the body
} Entries;

static int compare_numbers(const void* a, const void* b)
{
    const SnNumbered *p = a, *q = b;
    return (p->number > q->number) - (p->number < q->number);
}

// The first of a list whose number is at least this.
static int64_t first_at(const SnNumbered* list, int64_t count, int64_t number)
{
    int64_t lo = 0, hi = count;
    while (lo < hi) {
        int64_t middle = (lo + hi) / 2;
        if (list[middle].number < number)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static int64_t mesh_size(SnRunArray array)
{
    switch (array) {
    case SN_RUN_REST: return 3 * sizeof(double);
    case SN_RUN_TETRAHEDRA: return 4 * sizeof(int);
    case SN_RUN_EDGES: return 2 * sizeof(int);
    default: return 3 * sizeof(int);
    }
}

static Entries state_entries(const SnGather* g, const SnSaved* saved, Request request)
{
    const SnStatePiece* piece = &saved->pieces[request.number];
    int per = (int)piece->per - (int)SN_PER_NODE;
    return (Entries){g, request, g->counts[per], piece->width * (int64_t)sizeof(double), piece, g->lists[per]};
}

static Entries mesh_entries(const SnGather* g, Request request)
{
    const SnMeshPart* mesh = g->meshes[request.body];
    const SnBodyInfo* body = &g->bodies[request.body];
    int64_t first = first_at(g->lists[0], g->counts[0], body->first_node),
            last = first_at(g->lists[0], g->counts[0], (int64_t)body->first_node + body->node_count),
            count = request.number == SN_RUN_REST         ? last - first
                    : request.number == SN_RUN_TETRAHEDRA ? g->part->model.bodies[request.body].tetrahedron_count
                                                          : mesh->surface_count;
    return (Entries){g, request, count, mesh_size((SnRunArray)request.number), NULL, g->lists[0] + first};
}

// Of the k-th entry here, in the whole's array.
static int64_t number_of(const Entries* e, int64_t k)
{
    const Request* r = &e->request;
    if (r->what != GET_MESH) return e->list[k].number;
    if (r->number == SN_RUN_REST) return e->list[k].number - e->gather->bodies[r->body].first_node;
    const SnMeshPart* mesh = e->gather->meshes[r->body];
    return r->number == SN_RUN_TETRAHEDRA ? mesh->elements[k] : mesh->surface_first + k;
}

static bool is_own(const Entries* e, int64_t k)
{
    bool node = e->request.what == GET_MESH ? e->request.number == SN_RUN_REST : e->piece->per == SN_PER_NODE;
    return !node || e->gather->fabric->of.own[e->list[k].at];
}

static void copy_out(const Entries* e, int64_t k, char* bytes)
{
    const Request* r = &e->request;
    if (r->what != GET_MESH) {
        memcpy(bytes, (const char*)*e->piece->values + e->size * e->list[k].at, (size_t)e->size);
        return;
    }
    const SnBody* body = &e->gather->part->model.bodies[r->body];
    const SnMeshPart* mesh = e->gather->meshes[r->body];
    if (r->number == SN_RUN_REST) {
        memcpy(bytes, body->rest + 3 * (e->list[k].at - body->first_node), (size_t)e->size);
        return;
    }
    int corners = (int)(e->size / (int64_t)sizeof(int)), named[4];
    const int* nodes = (r->number == SN_RUN_TETRAHEDRA ? body->tetrahedra : body->surface) + corners * k;
    for (int c = 0; c < corners; c++) named[c] = mesh->nodes[nodes[c]];
    memcpy(bytes, named, (size_t)e->size);
}

static int64_t first_entry(const Entries* e, int64_t number)
{
    int64_t lo = 0, hi = e->count;
    while (lo < hi) {
        int64_t middle = (lo + hi) / 2;
        if (number_of(e, middle) < number)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

// Those within the window that belong here, as (place in the window, entry).
static int64_t pack(SnGather* g, const Entries* e)
{
    int64_t first = first_entry(e, e->request.first), last = first_entry(e, e->request.first + e->request.count),
            row = (int64_t)sizeof(int64_t) + e->size, used = 0;
    char* box = room(&g->box, &g->box_capacity, row * (last - first), g->fabric->rank);
    for (int64_t k = first; k < last; k++) {
        if (!is_own(e, k)) continue;
        int64_t place = number_of(e, k) - e->request.first;
        memcpy(box + used, &place, sizeof place);
        copy_out(e, k, box + used + sizeof place);
        used += row;
    }
    return used;
}

static void unpack(const SnGather* g, const Entries* e, int64_t bytes)
{
    int64_t row = (int64_t)sizeof(int64_t) + e->size;
    for (int64_t at = 0; at + row <= bytes; at += row) {
        int64_t place;
        memcpy(&place, g->box + at, sizeof place);
        memcpy(g->window + place * e->size, g->box + at + sizeof place, (size_t)e->size);
    }
}

// --- the first process asks ---

static Entries entries_of(const SnGather* g, Request request)
{
    return request.what == GET_MESH ? mesh_entries(g, request) : state_entries(g, &g->saved, request);
}

static void ask(const SnGather* g, Request* request)
{
    MPI_Bcast(request, sizeof *request, MPI_BYTE, 0, g->fabric->comm);
}

// The window of entries is in g->window then.
static void fetch(SnGather* g, Request request)
{
    SnFabric* f = g->fabric;
    ask(g, &request);
    Entries e = entries_of(g, request);
    room(&g->window, &g->window_capacity, e.size * request.count, f->rank);
    unpack(g, &e, pack(g, &e));
    for (int r = 1; r < f->size; r++) {
        MPI_Status message;
        int bytes;
        MPI_Probe(r, TAG, f->comm, &message);
        MPI_Get_count(&message, MPI_BYTE, &bytes);
        room(&g->box, &g->box_capacity, bytes, f->rank);
        MPI_Recv(g->box, bytes, MPI_BYTE, r, TAG, f->comm, MPI_STATUS_IGNORE);
        unpack(g, &e, bytes);
    }
}

static void fetch_bytes(SnGather* g, Request request, int64_t size, int64_t first, int64_t count, char* bytes)
{
    request.first = first / size;
    request.count = (first + count + size - 1) / size - request.first;
    fetch(g, request);
    memcpy(bytes, g->window + (first - request.first * size), (size_t)count);
}

static void take(SnGather* g, const Entries* e)
{
    int64_t first = first_entry(e, e->request.first), last = first_entry(e, e->request.first + e->request.count);
    for (int64_t k = first; k < last; k++)
        memcpy((char*)*e->piece->values + e->size * e->list[k].at,
               g->window + (e->list[k].number - e->request.first) * e->size, (size_t)e->size);
}

void sn_gather_end(SnGather* g)
{
    ask(g, &(Request){.what = END});
}

void sn_gather_serve(SnGather* g)
{
    SnFabric* f = g->fabric;
    for (Request request;;) {
        ask(g, &request);
        if (request.what == END) return;
        Entries e = entries_of(g, request);
        if (request.what == PUT_STATE) {
            int64_t bytes = e.size * request.count;
            MPI_Bcast(room(&g->window, &g->window_capacity, bytes, f->rank), (int)bytes, MPI_BYTE, 0, f->comm);
            take(g, &e);
        } else {
            int64_t bytes = pack(g, &e);
            MPI_Send(g->box, (int)bytes, MPI_BYTE, 0, TAG, f->comm);
        }
    }
}

// --- as the run file asks ---

static const SnStatePiece* piece_of(const SnGather* g, double* const* values)
{
    for (int i = 0; i < g->saved.piece_count; i++)
        if (g->saved.pieces[i].values == values) return &g->saved.pieces[i];
    return NULL;
}

static const SnStatePiece* frame_piece(const SnGather* g, SnRunArray array)
{
    const SnState* state = &g->part->state;
    return piece_of(g, array == SN_RUN_POSITIONS ? &state->x : &state->v);
}

// Where the whole is at hand.
static const void* mesh_of(const SnGather* g, SnRunArray array, int body)
{
    const SnBody* b = &g->whole->model.bodies[body];
    const void* arrays[] = {b->rest, b->tetrahedra, b->triangles, b->edges, b->surface};
    return arrays[array - SN_RUN_REST];
}

static int64_t array_size(void* self, SnRunArray array, int body)
{
    const SnGather* g = self;
    if (array == SN_RUN_STATE) return g->saved.size;
    if (array < SN_RUN_STATE) return frame_piece(g, array)->size;
    const SnBodyInfo* b = &g->bodies[body];
    int64_t counts[] = {b->node_count, b->tetrahedron_count, b->triangle_count, b->edge_count, b->surface_count};
    return counts[array - SN_RUN_REST] * mesh_size(array);
}

static void read_piece(SnGather* g, const SnStatePiece* piece, int64_t first, int64_t count, char* bytes)
{
    if (piece->per == SN_PER_WORLD)
        memcpy(bytes, (const char*)piece->bytes + first, (size_t)count);
    else
        fetch_bytes(g, (Request){.what = GET_STATE, .number = (int)(piece - g->saved.pieces)},
                    piece->width * (int64_t)sizeof(double), first, count, bytes);
}

// What two ranges have in common; false: nothing.
static bool overlap(int64_t first, int64_t count, int64_t other, int64_t size, int64_t* from, int64_t* length)
{
    int64_t last = first + count < other + size ? first + count : other + size;
    *from = first > other ? first : other;
    *length = last - *from;
    return *length > 0;
}

static void read_state(SnGather* g, int64_t first, int64_t count, char* bytes)
{
    int64_t from, length;
    memset(bytes, 0, (size_t)count); // what is between members
    if (overlap(first, count, 0, g->saved.head_size, &from, &length))
        memcpy(bytes + (from - first), g->saved.head + from, (size_t)length);
    for (int i = 0; i < g->saved.piece_count; i++) {
        const SnStatePiece* piece = &g->saved.pieces[i];
        if (overlap(first, count, piece->first, piece->size, &from, &length))
            read_piece(g, piece, from - piece->first, length, bytes + (from - first));
    }
}

static SnStatus read_array(void* self, SnRunArray array, int body, int64_t first, int64_t count, void* bytes)
{
    SnGather* g = self;
    if (array == SN_RUN_STATE)
        read_state(g, first, count, bytes);
    else if (array < SN_RUN_STATE)
        read_piece(g, frame_piece(g, array), first, count, bytes);
    else if (g->whole)
        memcpy(bytes, (const char*)mesh_of(g, array, body) + first, (size_t)count);
    else
        fetch_bytes(g, (Request){.what = GET_MESH, .number = (int)array, .body = body}, mesh_size(array), first, count,
                    bytes);
    return SN_OK;
}

// --- made and freed ---

static SnStatus list_nodes(SnGather* g)
{
    const SnPartOf* of = &g->fabric->of;
    g->counts[0] = of->node_count, g->counts[1] = of->pin_count, g->counts[2] = of->shift_count;
    for (int k = 0; k < 3; k++)
        if (!SN_NEW(g->lists[k], g->counts[k], "the whole")) return SN_ERROR_MEMORY;
    for (int i = 0; i < of->node_count; i++) g->lists[0][i] = (SnNumbered){of->nodes[i], i};
    for (int i = 0; i < of->pin_count; i++) g->lists[1][i] = (SnNumbered){of->pins[i], i};
    for (int64_t i = 0; i < of->shift_count; i++) g->lists[2][i] = (SnNumbered){of->shifts[i], i};
    for (int k = 0; k < 3; k++) qsort(g->lists[k], (size_t)g->counts[k], sizeof **g->lists, compare_numbers);
    return SN_OK;
}

// Counts of the whole, from the whole itself or from what processes have of its meshes.
static SnStatus list_bodies(SnGather* g)
{
    int nodes = 0;
    g->body_count = sn_world_body_count(g->part);
    if (!SN_NEW(g->bodies, g->body_count, "the whole")) return SN_ERROR_MEMORY;
    for (int b = 0; b < g->body_count; b++) {
        SnBodyInfo* info = &g->bodies[b];
        SN_TRY(sn_world_body(g->whole ? g->whole : g->part, b, info));
        if (g->whole || !g->meshes) continue;
        info->rest = NULL, info->tetrahedra = info->surface = NULL;
        info->first_node = nodes, info->node_count = g->meshes[b]->all_nodes;
        info->tetrahedron_count = g->meshes[b]->all_elements, info->surface_count = g->meshes[b]->all_surface;
        nodes += info->node_count;
    }
    return SN_OK;
}

// m, across all nodes.
static double extent_of(const SnGather* g)
{
    double most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, size[3];
    const double* x = g->part->state.x;
    for (int64_t i = 0; i < 3 * (int64_t)g->part->model.node_count; i++) {
        most[i % 3] = fmax(most[i % 3], -x[i]);
        most[3 + i % 3] = fmax(most[3 + i % 3], x[i]);
    }
    const SnShare* share = &g->fabric->share;
    share->largest(share->self, 6, most);
    for (int c = 0; c < 3; c++) size[c] = most[c] + most[3 + c];
    double length = sn_length3(size);
    return length > 0 && isfinite(length) ? length : 1;
}

static void count_whole(SnGather* g)
{
    int64_t largest[3] = {-1, -1, -1};
    for (int k = 0; k < 3; k++)
        if (g->counts[k] > 0) largest[k] = g->lists[k][g->counts[k] - 1].number;
    MPI_Allreduce(MPI_IN_PLACE, largest, 3, MPI_INT64_T, MPI_MAX, g->fabric->comm);
    g->model = g->part->model;
    g->model.node_count = (int)g->fabric->of.all_nodes;
    g->model.pin_count = (int)largest[1] + 1, g->model.shift_count = largest[2] + 1;
}

SnStatus sn_gather_create(SnFabric* fabric, SnWorld* part, SnWorld* whole, const SnMeshPart* const* meshes, SnGather* g)
{
    *g = (SnGather){.fabric = fabric, .part = part, .whole = whole, .meshes = meshes};
    SN_TRY(sn_mpi_agree(fabric->comm, list_nodes(g)));
    SN_TRY(sn_mpi_agree(fabric->comm, list_bodies(g)));
    count_whole(g);
    g->pieces = (SnRunPieces){g, extent_of(g), array_size, read_array};
    g->run = (SnRunShared){part, g->bodies, &g->pieces, NULL, 0};
    return SN_OK;
}

// --- constraints ---

// Those that are this process's, by the nodes of the whole.
static SnStatus list_own(const SnFabric* f, const SnConstraintSet* from, SnConstraintSet* to)
{
    for (int i = 0; i < from->count; i++) {
        SnKept item = from->items[i];
        if (!f->of.own[item.constraint.at.node[0]]) continue;
        for (int k = 0; k < item.constraint.at.count; k++)
            item.constraint.at.node[k] = f->of.nodes[item.constraint.at.node[k]];
        SN_TRY(sn_constraint_set_add(to, &item));
    }
    return SN_OK;
}

static SnStatus receive_items(const SnGather* g, SnConstraintSet* to)
{
    SnStatus status = SN_OK;
    for (int r = 1; r < g->fabric->size; r++) {
        MPI_Status message;
        int bytes;
        MPI_Probe(r, TAG, g->fabric->comm, &message);
        MPI_Get_count(&message, MPI_BYTE, &bytes);
        SnKept* items = sn_allocate((size_t)bytes + 1, 1, "the whole");
        if (!items) return SN_ERROR_MEMORY;
        MPI_Recv(items, bytes, MPI_BYTE, r, TAG, g->fabric->comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < bytes / (int)sizeof *items && status == SN_OK; i++)
            status = sn_constraint_set_add(to, &items[i]);
        sn_free(items);
    }
    sn_constraint_set_sort(to);
    return status;
}

static SnStatus gather_constraints(SnGather* g)
{
    SnFabric* f = g->fabric;
    SnConstraintSet* to = &g->constraints;
    to->count = 0;
    SN_TRY(sn_mpi_agree(f->comm, list_own(f, &g->part->state.constraints, to)));
    SnStatus status = f->rank == 0 ? receive_items(g, to) : SN_OK;
    if (f->rank > 0) MPI_Send(to->items, to->count * (int)sizeof *to->items, MPI_BYTE, 0, TAG, f->comm);
    return sn_mpi_agree(f->comm, status);
}

// --- contacts ---

// Those of own nodes, by numbers of the whole.
static SnStatus list_contacts(SnGather* g, int* count)
{
    const SnFabric* f = g->fabric;
    int all = sn_world_contact_count(g->part);
    *count = 0;
    if (!SN_GROW(g->contacts, g->contact_capacity, all, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < all; i++) {
        SnContactInfo* c = &g->contacts[*count];
        SN_TRY(sn_world_contact(g->part, i, c));
        if (!f->of.own[c->nodes[0]]) continue;
        for (int k = 0; k < c->node_count; k++) c->nodes[k] = f->of.nodes[c->nodes[k]];
        ++*count;
    }
    return SN_OK;
}

static int compare_contacts(const void* a, const void* b)
{
    const SnContactInfo *p = a, *q = b;
    int left[] = {p->body, p->obstacle, p->other_body}, right[] = {q->body, q->obstacle, q->other_body};
    int order = 0;
    for (int k = 0; k < 3 && order == 0; k++) order = (left[k] > right[k]) - (left[k] < right[k]);
    for (int k = 0; k < SN_CONTACT_NODES && order == 0; k++)
        order = (p->nodes[k] > q->nodes[k]) - (p->nodes[k] < q->nodes[k]);
    return order;
}

static SnStatus gather_contacts(SnGather* g)
{
    const SnFabric* f = g->fabric;
    int mine, bytes[f->size], first[f->size], total = 0;
    SN_TRY(sn_mpi_agree(f->comm, list_contacts(g, &mine)));
    mine *= (int)sizeof *g->contacts;
    MPI_Gather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, 0, f->comm);
    for (int r = 0; r < f->size && f->rank == 0; r++) first[r] = total, total += bytes[r];
    int count = total / (int)sizeof *g->contacts;
    bool grown = SN_GROW(g->contacts, g->contact_capacity, count, "contacts");
    SN_TRY(sn_mpi_agree(f->comm, grown ? SN_OK : SN_ERROR_MEMORY));
    MPI_Gatherv(f->rank == 0 ? MPI_IN_PLACE : g->contacts, mine, MPI_BYTE, g->contacts, bytes, first, MPI_BYTE, 0,
                f->comm);
    if (count > 0) qsort(g->contacts, (size_t)count, sizeof *g->contacts, compare_contacts);
    g->run.contacts = g->contacts, g->run.contact_count = count;
    return SN_OK;
}

SnStatus sn_gather_begin(SnGather* g)
{
    sn_saved_free(&g->saved);
    SN_TRY(gather_constraints(g));
    SN_TRY(gather_contacts(g));
    return sn_mpi_agree(g->fabric->comm, sn_saved_begin(&g->model, &g->part->state, &g->constraints, &g->saved));
}

// --- back ---

// By their keys: what a saved constraint has; those who have not its nodes do not find it again.
static SnStatus spread_constraints(SnGather* g)
{
    SnConstraintSet* all = &g->constraints;
    int count = all->count;
    MPI_Bcast(&count, 1, MPI_INT, 0, g->fabric->comm);
    SnStatus status = SN_OK;
    g->part->state.constraints.count = 0;
    for (int i = 0; i < count; i++) {
        SnKept item = {0};
        if (g->fabric->rank == 0) item = all->items[i];
        MPI_Bcast(&item, sizeof item, MPI_BYTE, 0, g->fabric->comm);
        if (status == SN_OK) status = sn_constraint_set_add(&g->part->state.constraints, &item);
    }
    return sn_mpi_agree(g->fabric->comm, status);
}

// Clock and accounts, to all.
static void send_numbers(SnGather* g)
{
    SnState *part = &g->part->state, numbers = *part;
    const SnModel* model = &g->part->model;
    MPI_Bcast(&numbers, sizeof numbers, MPI_BYTE, 0, g->fabric->comm);
    numbers.accounts = part->accounts;
    MPI_Bcast(part->accounts, (int)sizeof(SnAccount) * (SN_ACCOUNT_LOSS + model->loss_count), MPI_BYTE, 0,
              g->fabric->comm);
    sn_state_copy_numbers(&numbers, model, part);
}

static SnStatus put_piece(SnGather* g, SnRunBlob* blob, const SnStatePiece* piece)
{
    if (piece->per == SN_PER_WORLD) return sn_run_blob_read(blob, piece->first, piece->size, piece->bytes);
    int64_t size = piece->width * (int64_t)sizeof(double), most = PIECE / size, entries = piece->size / size;
    for (int64_t first = 0; first < entries; first += most) {
        int64_t count = entries - first < most ? entries - first : most;
        Request request = {PUT_STATE, (int)(piece - g->saved.pieces), 0, first, count};
        char* window = room(&g->window, &g->window_capacity, size * count, g->fabric->rank);
        SN_TRY(sn_run_blob_read(blob, piece->first + size * first, size * count, window));
        ask(g, &request);
        MPI_Bcast(window, (int)(size * count), MPI_BYTE, 0, g->fabric->comm);
        Entries e = entries_of(g, request);
        take(g, &e);
    }
    return SN_OK;
}

static SnStatus put_state(SnGather* g, SnRunBlob* blob)
{
    SN_TRY(sn_run_blob_read(blob, 0, g->saved.head_size, g->saved.head));
    SN_TRY(sn_saved_constraints(&g->saved, &g->constraints));
    for (int i = 0; i < g->saved.piece_count; i++) SN_TRY(put_piece(g, blob, &g->saved.pieces[i]));
    return sn_state_check_numbers(&g->part->model, &g->part->state);
}

static SnStatus expect(SnGather* g, SnRunBlob* blob)
{
    size_t size = sn_saved_header_size();
    char header[size];
    SN_TRY(sn_run_blob_read(blob, 0, (int64_t)size, header));
    return sn_saved_expect(&g->model, &g->part->state, header, sn_run_blob_size(blob), &g->saved);
}

static SnStatus check_nodes(const SnGather* g)
{
    const SnState* state = &g->part->state;
    int x = sn_first_beyond(g->part->model.node_count, state->x),
        v = sn_first_beyond(g->part->model.node_count, state->v), node = x >= 0 ? x : v;
    if (node < 0) return SN_OK;
    return sn_fail(SN_ERROR_FORMAT, "the saved state is damaged: node %d has a place or velocity beyond what can be",
                   g->fabric->of.nodes[node]);
}

SnStatus sn_gather_restore(SnGather* g, SnRunFile* run)
{
    SnRunBlob* blob = NULL;
    SnStatus status = SN_OK;
    int rank = g->fabric->rank;
    sn_saved_free(&g->saved);
    if (rank == 0) status = sn_run_blob_open(run, SN_RUN_STATE, 0, &blob);
    if (rank == 0 && status == SN_OK) status = expect(g, blob);
    if (rank > 0) status = sn_saved_begin(&g->model, &g->part->state, &g->constraints, &g->saved);
    status = sn_mpi_agree(g->fabric->comm, status);
    if (status == SN_OK && rank == 0) status = put_state(g, blob), sn_gather_end(g);
    if (status == SN_OK && rank > 0) sn_gather_serve(g);
    sn_run_blob_close(blob);
    status = sn_mpi_agree(g->fabric->comm, status);
    if (status == SN_OK) send_numbers(g);
    if (status == SN_OK) status = sn_mpi_agree(g->fabric->comm, check_nodes(g));
    if (status != SN_OK) return rank == 0 ? sn_fail_prefix(status, "cannot resume") : status;
    return spread_constraints(g);
}
