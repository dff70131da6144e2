// Backtracking line search: halve t until E(x + t d) <= E(x) + c t g.d (Armijo 1966).
//
// A trial outside the domain of a barrier material has infinite energy and is refused like any other, so the iterates
// stay feasible. Close to the minimum the decrease drowns in E's rounding; then a step is judged by its gradient
// instead (sn_minimize does), and the search only asks that E does not rise beyond rounding.
#include <math.h>

#include "core/timer.h"
#include "linalg/vector.h"
#include "solver/solver.h"

enum { HALVINGS = 60 };
#define ROUNDING 1e-14 // of E relative to its magnitude: sums of many terms

bool sn_line_search(SnSearch* s)
{
    const SnObjective* o = s->objective;
    int n = 3 * o->node_count;
    double slope = sn_vector_dot(o->tasks, n, s->g, s->d);
    if (!(slope < 0)) return false;
    double slack = ROUNDING * s->value.magnitude, t = 1;
    s->floor_reached = -slope <= slack;
    for (int k = 0; k < HALVINGS; k++, t *= 0.5) {
        sn_vector_axpy(o->tasks, n, t, s->d, s->x, s->trial);
        double start = sn_now_ms();
        SnObjectiveValue value = sn_objective_value(o, s->trial);
        s->evaluations++;
        s->ms.evaluate += sn_now_ms() - start;
        if (value.total <= s->value.total + s->armijo * t * slope + slack) {
            double* old = s->x;
            s->x = s->trial;
            s->trial = old;
            s->step = t;
            s->value = value;
            sn_search_evaluate_gradient(s);
            return true;
        }
    }
    return false;
}
