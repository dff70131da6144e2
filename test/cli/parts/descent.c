// descent: d = -pace g, shortened until the energy is lower; `rounds` such steps make an iteration.
#include "core/memory.h"
#include "linalg/vector.h"
#include "solver/line_search.h"

typedef struct Own {
    double pace; // m/N
    int rounds;
} Own;
_Static_assert(sizeof(Own) <= sizeof(((SnOwn*)0)->room), "the options fit into their room");

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)objective;
    *state = sn_copy_memory(&def->own.room, 1, sizeof(Own), "the solver");
    return *state ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    const Own* own = state;
    int n = 3 * s->objective->nodes.count;
    for (int i = 0; i < own->rounds && !s->stalled; i++) {
        for (int k = 0; k < n; k++) s->d[k] = s->objective->nodes.free_index[k / 3] < 0 ? 0 : -own->pace * s->g[k];
        if (!sn_line_search(s)) s->stalled = "the line search found no lower energy";
    }
    return SN_OK;
}

static const SnParameter parameters[] = {
    {"pace", SN_NUMBER, SN_OWN(SnSolverDef, Own, pace), .value = "1e-3", .range = ">0", .unit = "m/N",
     .doc = "how far it goes for a force"},
    {"rounds", SN_INTEGER, SN_OWN(SnSolverDef, Own, rounds), .value = "2", .range = ">=1 <=10",
     .doc = "steps of an iteration"},
    {0},
};

extern const SnSolverType sn_descent;
const SnSolverType sn_descent = {
    .name = "descent",
    .summary = "steepest descent",
    .parameters = parameters,
    .create = create,
    .destroy = sn_free,
    .iterate = iterate,
};
