// Parts of meshes as they were dealt out; or the first process divides the whole, and all restrict it.
#include "mpi/distribute.h"

#include <sinew/field.h>

#include "mpi/solvers.h"
#include "scene/scene.h"
#include "world/contact_filter.h"
#include "world/definitions.h"

// What everybody must know to take a part.
static SnStatus make_world(SnScene* scene, SnWorld** world)
{
    int locking = sn_scene_take_linear(scene);
    SN_TRY(sn_scene_create_world(scene, world));
    SnModel* model = &(*world)->model;
    if (locking > 0)
        sn_log(&model->def.log, SN_LOG_WARNING,
               "%d bodies have a Poisson's ratio above %g; they are of linear elements here, which bend too little",
               locking, SN_LOCKING);
    SN_TRY(sn_mpi_solver_find(&model->def.solver, &model->solver_type));
    return sn_world_check_divisible(*world);
}

static SnStatus divide(SnShared* s, SnScene* scene, int** part, int64_t* count)
{
    SnStatus status = SN_OK;
    *count = 0;
    if (s->rank == 0) {
        status = make_world(scene, &s->whole);
        if (status == SN_OK) *count = sn_world_element_count(s->whole);
        if (status == SN_OK && !SN_NEW(*part, *count, "parts")) status = SN_ERROR_MEMORY;
        if (status == SN_OK) status = sn_world_divide(s->whole, s->size, *part);
    }
    SN_TRY(sn_mpi_agree(s->comm, status));
    MPI_Bcast(count, 1, MPI_INT64_T, 0, s->comm);
    if (s->rank > 0 && !SN_NEW(*part, *count, "parts")) status = SN_ERROR_MEMORY;
    SN_TRY(sn_mpi_agree(s->comm, status));
    MPI_Bcast(*part, (int)*count, MPI_INT, 0, s->comm);
    return SN_OK;
}

static SnStatus take_part(SnShared* s, SnScene* scene, bool keep, const int* part, SnPartOf* of)
{
    if (s->rank == 0 && !keep)
        s->part = s->whole, s->whole = NULL;
    else
        SN_TRY(make_world(scene, &s->part));
    return sn_world_restrict(s->part, part, s->rank, of);
}

// On one machine one after the other.
static SnStatus take_turns(SnShared* s, SnScene* scene, bool keep, const int* part, SnPartOf* of)
{
    MPI_Comm machine;
    int here, all;
    SnStatus status = SN_OK;
    MPI_Comm_split_type(s->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &here);
    MPI_Comm_size(machine, &all);
    for (int turn = 0; turn < all; turn++) {
        if (turn == here) status = take_part(s, scene, keep, part, of);
        MPI_Barrier(machine);
    }
    MPI_Comm_free(&machine);
    return sn_mpi_agree(s->comm, status);
}

static SnStatus divide_whole(SnShared* s, SnScene* scene, bool keep, SnPartOf* of)
{
    int* part = NULL;
    int64_t count;
    SnStatus status = divide(s, scene, &part, &count);
    if (status == SN_OK) status = take_turns(s, scene, keep, part, of);
    sn_free(part);
    return status;
}

static SnStatus take_parts(SnShared* s, SnScene* scene, SnPartOf* of)
{
    SN_TRY(make_world(scene, &s->part));
    int bodies = sn_world_body_count(s->part);
    if (!SN_NEW(s->parts, bodies, "parts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < bodies; b++) s->parts[b] = sn_scene_take_part(scene, b);
    return sn_world_take_mesh_parts(s->part, s->parts, s->rank, of);
}

// What bodies and loads are in all parts together.
static SnStatus sum_parts(SnShared* s)
{
    const SnShare* share = &s->fabric->share;
    SnModel* model = &s->part->model;
    for (int b = 0; b < model->body_count; b++) {
        double sums[3] = {model->bodies[b].mass};
        sn_body_sum_edges(&model->bodies[b], sums + 1);
        share->sum(share->self, 3, sums);
        model->bodies[b].mass = sums[0];
        sn_body_set_edge(&model->bodies[b], sums + 1);
    }
    for (int l = 0; l < model->load_count; l++) {
        double counts[2] = {model->loads[l].node_count, model->loads[l].triangle_count};
        share->sum(share->self, 2, counts);
        model->loads[l].all_nodes = (int)counts[0];
        if (model->loads[l].type->on_surface && counts[1] == 0)
            return sn_fail(SN_ERROR_VALUE,
                           "load %d, of type %s, acts on no triangle of a surface as a whole; choose all corners of "
                           "some",
                           l, model->loads[l].type->name);
    }
    return SN_OK;
}

SnStatus sn_shared_create(MPI_Comm comm, SnScene* scene, bool keep, SnShared* s)
{
    SnPartOf of = {0};
    *s = (SnShared){.comm = comm};
    MPI_Comm_rank(comm, &s->rank);
    MPI_Comm_size(comm, &s->size);
    bool dealt = sn_scene_is_dealt(scene);
    SnStatus status = dealt ? sn_mpi_agree(comm, take_parts(s, scene, &of)) : divide_whole(s, scene, keep, &of);
    if (status == SN_OK) status = sn_mpi_agree(comm, sn_fabric_create(comm, &of, &s->fabric));
    sn_part_of_free(&of);
    SN_TRY(status);
    sn_tasks_set_share(s->part->model.tasks, &s->fabric->share);
    if (dealt) SN_TRY(sum_parts(s));
    return keep ? sn_gather_create(s->fabric, s->part, s->whole, (const SnMeshPart* const*)s->parts, &s->gather)
                : SN_OK;
}

void sn_shared_drop_whole(SnShared* s)
{
    sn_world_destroy(s->whole);
    s->whole = s->gather.whole = NULL;
}

void sn_shared_free(SnShared* s)
{
    for (int b = 0; s->parts && s->part && b < sn_world_body_count(s->part); b++) sn_mesh_part_destroy(s->parts[b]);
    sn_free(s->parts);
    sn_gather_free(&s->gather);
    sn_world_destroy(s->part);
    sn_world_destroy(s->whole);
    sn_fabric_destroy(s->fabric);
    *s = (SnShared){0};
}
