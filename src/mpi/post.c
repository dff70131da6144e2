#include "mpi/post.h"

#include "mpi/fabric.h"

SnStatus sn_post_begin(MPI_Comm comm, int width, SnPost* post)
{
    *post = (SnPost){.comm = comm, .width = width};
    MPI_Comm_rank(comm, &post->rank);
    MPI_Comm_size(comm, &post->size);
    bool room = SN_NEW(post->out_counts, post->size, "parts") && SN_NEW(post->in_counts, post->size, "parts") &&
                SN_NEW(post->out_first, post->size, "parts") && SN_NEW(post->in_first, post->size, "parts") &&
                SN_NEW(post->next, post->size, "parts");
    return sn_mpi_agree(comm, room ? SN_OK : SN_ERROR_MEMORY);
}

void sn_post_free(SnPost* post)
{
    SN_FREE(post->out_counts, post->in_counts, post->out_first, post->in_first, post->next, post->out, post->in);
    *post = (SnPost){0};
}

void sn_post_count(SnPost* post, int to)
{
    post->out_counts[to]++;
}

static int64_t place(int size, const int* counts, int* first)
{
    int64_t total = 0;
    for (int r = 0; r < size; r++) first[r] = (int)total, total += counts[r];
    return total;
}

static SnStatus check(int64_t items)
{
    if (items <= INT32_MAX) return SN_OK;
    return sn_fail(SN_ERROR_UNSUPPORTED, "%lld items for one process; take more processes", (long long)items);
}

SnStatus sn_post_open(SnPost* post)
{
    post->out_total = place(post->size, post->out_counts, post->out_first);
    for (int r = 0; r < post->size; r++) post->next[r] = post->out_first[r];
    SnStatus status = check(post->out_total);
    if (status == SN_OK && !SN_NEW(post->out, post->out_total * post->width, "parts")) status = SN_ERROR_MEMORY;
    return sn_mpi_agree(post->comm, status);
}

int* sn_post_add(SnPost* post, int to)
{
    return post->out + (int64_t)post->width * post->next[to]++;
}

SnStatus sn_post_send(SnPost* post)
{
    MPI_Datatype item;
    MPI_Alltoall(post->out_counts, 1, MPI_INT, post->in_counts, 1, MPI_INT, post->comm);
    post->in_total = place(post->size, post->in_counts, post->in_first);
    SnStatus status = check(post->in_total);
    if (status == SN_OK && !SN_NEW(post->in, post->in_total * post->width, "parts")) status = SN_ERROR_MEMORY;
    SN_TRY(sn_mpi_agree(post->comm, status));
    MPI_Type_contiguous(post->width, MPI_INT, &item);
    MPI_Type_commit(&item);
    MPI_Alltoallv(post->out, post->out_counts, post->out_first, item, post->in, post->in_counts, post->in_first, item,
                  post->comm);
    MPI_Type_free(&item);
    return SN_OK;
}

SnStatus sn_post_answer(const SnPost* post, int width, const int* answers, int** got)
{
    MPI_Datatype item;
    SnStatus status = SN_NEW(*got, post->out_total * width, "parts") ? SN_OK : SN_ERROR_MEMORY;
    SN_TRY(sn_mpi_agree(post->comm, status));
    MPI_Type_contiguous(width, MPI_INT, &item);
    MPI_Type_commit(&item);
    MPI_Alltoallv(answers, post->in_counts, post->in_first, item, *got, post->out_counts, post->out_first, item,
                  post->comm);
    MPI_Type_free(&item);
    return SN_OK;
}
