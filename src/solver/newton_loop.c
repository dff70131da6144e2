// When the true Hessian is tried, and when the numerical floor is reached.
#include "solver/newton_loop.h"

#include <math.h>

#include "solver/line_search.h"

enum { MOST_STUCK = 3 };

#define CAUTION 0.1 // see SnSearch, after a step that was projected or shortened: the minimum is not near yet

void sn_newton_start(SnNewtonLoop* loop, const SnSearch* s)
{
    loop->first_norm = loop->last_norm = s->norm;
    loop->next_try = 0, loop->patience = 1, loop->stuck = 0;
    loop->caution = 1;
}

double sn_newton_forcing(const SnNewtonLoop* loop, const SnSearch* s)
{
    return fmin(0.1, sqrt(s->norm / loop->first_norm));
}

// Where steps are too small for the energy to tell, the gradient says whether they still help; not by halves, but over
// a few of them: each is dear.
static bool at_the_floor(SnNewtonLoop* loop, const SnSearch* s)
{
    loop->stuck = s->floor_reached && s->norm > 0.8 * loop->last_norm ? loop->stuck + 1 : 0;
    return loop->stuck >= MOST_STUCK;
}

SnStatus sn_newton_iterate(SnNewtonLoop* loop, SnSearch* s, SnNewtonSolve* solve, void* self)
{
    bool usable = false, projected = false;
    loop->last_norm = s->norm;
    s->exact = true;
    if (loop->stuck >= MOST_STUCK) loop->stuck = 0; // the objective is another one since
    if (!loop->projected && s->iterations >= loop->next_try) {
        SN_TRY(solve(self, s, false, &usable));
        if (!usable) { // it is left alone for a while, each time for longer
            loop->next_try = s->iterations + loop->patience;
            loop->patience *= 2;
        }
    }
    projected = !usable;
    if (projected) SN_TRY(solve(self, s, true, &usable));
    if (!usable) {
        s->stalled = "the Hessian cannot be factored";
        return SN_OK;
    }
    if (!sn_line_search(s))
        s->stalled = "the line search found no lower energy";
    else if (at_the_floor(loop, s))
        s->stalled = "the numerical floor is reached";
    s->caution = projected || s->step < 1 ? CAUTION : loop->caution;
    return SN_OK;
}
