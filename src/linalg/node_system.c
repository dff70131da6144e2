// A scalar symmetric matrix over the free nodes with its factor.
#include "linalg/node_system.h"

#include <string.h>

SnStatus sn_node_system_build(SnNodeSystem* s, int node_count, const int* free_index, SnFactorStore* store)
{
    int* places; // the node of each row
    SN_TRY(sn_cholesky_create_scalar(&s->matrix, store, &s->cholesky));
    if (!SN_NEW(s->pinned, node_count - s->matrix.n, "the Laplacian")) return SN_ERROR_MEMORY;
    if (!SN_NEW(places, s->matrix.n, "the Laplacian")) return SN_ERROR_MEMORY;
    for (int i = 0; i < node_count; i++)
        if (free_index[i] >= 0)
            places[free_index[i]] = i;
        else
            s->pinned[s->pinned_count++] = i;
    SnStatus status = sn_cholesky_set_places(s->cholesky, places);
    sn_free(places);
    return status;
}

void sn_node_system_free(SnNodeSystem* s)
{
    sn_cholesky_destroy(s->cholesky);
    sn_scalar_matrix_free(&s->matrix);
    sn_free(s->pinned);
}

SnStatus sn_node_system_solve(const SnNodeSystem* s, const double* q, double* r)
{
    SN_TRY(sn_cholesky_solve_placed(s->cholesky, q, r));
    for (int k = 0; k < s->pinned_count; k++) memset(r + 3 * (int64_t)s->pinned[k], 0, 3 * sizeof *r);
    return SN_OK;
}
