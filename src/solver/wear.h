// How long a matrix that is kept from step to step still serves.
//
// From step to step: until a minimisation with it takes more iterations, for what it divides the gradient by, than they
// have taken on average since it was made, what making it costs included; that is when the average is least. Within
// one: until the iterations to come, at the rate of those before, cost more than a new one and its iterations would, at
// the rate that new ones have had.
#pragma once
#include <math.h>

#include "solver/solver.h"

#define SN_WEAR_HORIZON 4 // minimisations over which a new one has to pay for itself

typedef struct SnWear {
    int takes;       // how often it has been taken, as far as this state knows
    double worth;    // what taking it anew costs, in iterations
    double hope;     // the rate that is expected of a fresh one as long as none has been seen
    bool stale;      // it is to be taken anew within this minimisation
    double patience; // iterations before it is doubted within a minimisation,
    double growth;   // and by how much that grows with each doubt
    // What a run remembers:
    bool taken, fresh;   // the matrix has been; at the last start
    double applied;      // iterations since the last start
    double first, goal;  // |g| then, N, and what was asked for
    double rate;         // log of what an iteration with a fresh one divides |g| by; 0: not known
    double sum, count;   // iterations since it was taken, in so many minimisations that have ended
    double logs;         // of what these divided |g| by
    double last, before; // iterations of the last of these, and of the one before,
    double slow, slower; // and by log
    double replaced;     // iterations with the one before it, at its end; 0: not known
    double doubt;        // times what it costs it has to be worth to be taken anew, as that has not helped of late
} SnWear;

#define SN_WEAR_HELPED 0.8 // of the iterations with the one before: more, and it has not helped
#define SN_WEAR_MOST 16

static inline void sn_wear_apply(SnWear* w, const SnSearch* s)
{
    w->applied += !s->again;
    w->goal = s->tolerance;
}

static inline double sn_wear_rate(const SnWear* w)
{
    return w->rate > 0 ? w->rate : w->hope;
}

// Of what the gradient is to be divided by: one iteration is always made.
static inline double sn_wear_log(double norm, double goal)
{
    return goal > 0 && norm > goal ? fmax(1, log(norm / goal)) : 1;
}

// Whether it had better be taken anew within a minimisation.
static inline bool sn_wear_stale(SnWear* w, const SnSearch* s)
{
    if (!(s->tolerance > 0) || w->applied < w->patience) return false;
    double left = log(s->norm / s->tolerance), rate = log(w->first / s->norm) / w->applied;
    double fresh = w->applied < 2 * w->patience ? sn_wear_rate(w) : fmax(w->hope, w->rate);
    w->stale = left > 0 && left > (w->worth + left / fresh) * rate;
    return w->stale;
}

// What the iterations since the last start say.
static inline void sn_wear_look_back(SnWear* w, const SnSearch* s)
{
    double factor = w->first / (w->stale ? s->norm : w->goal), rate = log(factor) / w->applied;
    if (w->fresh && factor > 1 && isfinite(rate)) w->rate = 0.5 * (sn_wear_rate(w) + rate);
    double logs = sn_wear_log(w->first, w->goal);
    w->sum += w->applied, w->count++, w->logs += logs;
    w->before = w->last, w->last = w->applied;
    w->slower = w->slow, w->slow = w->applied / logs;
    if (w->replaced == 0) return;
    bool helped = w->applied < SN_WEAR_HELPED * w->replaced;
    w->doubt = helped ? fmax(1, 0.5 * w->doubt) : fmin(2 * w->doubt, SN_WEAR_MOST);
    w->replaced = 0;
}

// The next minimisation will take what the last ones did, or as many iterations for its own gradient. Either is more
// than the average so far, or than a fresh one would take, as far as that is known, by so much that it soon pays.
static inline bool sn_wear_outworn(const SnWear* w, const SnSearch* s)
{
    if (w->count == 0) return false;
    double log = sn_wear_log(s->norm, s->tolerance), worth = w->worth * fmax(1, w->doubt);
    double next = w->count > 1 ? fmin(w->last, w->before) : w->last;
    double slow = w->count > 1 ? fmin(w->slow, w->slower) : w->slow;
    double fresh = s->tolerance > 0 ? log / sn_wear_rate(w) : INFINITY;
    return fmin(next * w->count, slow * w->logs) > worth + w->sum ||
           SN_WEAR_HORIZON * (fmin(next, slow * log) - fmax(1, fresh)) > worth;
}

static inline void sn_wear_forget(SnWear* w)
{
    w->sum = w->count = w->logs = w->last = w->before = w->slow = w->slower = 0;
}

// At the start of a minimisation, or where it is stale: whether it is to be taken at s->x.
static inline bool sn_wear_start(SnWear* w, const SnSearch* s)
{
    if (w->applied > 0) sn_wear_look_back(w, s);
    bool outworn = w->taken && !w->stale && sn_wear_outworn(w, s);
    w->fresh = !w->taken || w->stale || outworn;
    w->patience = (w->stale ? w->growth : 1) * (w->stale ? w->patience : fmax(2, 0.5 * w->growth * w->worth));
    w->replaced = outworn ? w->last : 0;
    w->doubt = fmax(1, w->doubt);
    if (w->fresh) w->taken = true, w->takes++, sn_wear_forget(w);
    w->applied = 0, w->first = s->norm, w->goal = s->tolerance, w->stale = false;
    return w->fresh;
}

enum { SN_WEAR_COUNTS = 15 }; // that a state remembers

static inline void sn_wear_save(const SnWear* w, double counts[SN_WEAR_COUNTS])
{
    double all[SN_WEAR_COUNTS] = {w->taken, w->fresh, w->applied, w->first, w->goal,   w->rate,     w->sum,  w->count,
                                  w->logs,  w->last,  w->before,  w->slow,  w->slower, w->replaced, w->doubt};
    for (int k = 0; k < SN_WEAR_COUNTS; k++) counts[k] = all[k];
}

static inline void sn_wear_restore(SnWear* w, const double counts[SN_WEAR_COUNTS]) // NULL: forgets
{
    static const double none[SN_WEAR_COUNTS] = {0};
    const double* c = counts ? counts : none;
    w->taken = c[0] != 0, w->fresh = c[1] != 0, w->applied = c[2], w->first = c[3], w->goal = c[4];
    w->rate = c[5], w->sum = c[6], w->count = c[7], w->logs = c[8], w->last = c[9], w->before = c[10];
    w->slow = c[11], w->slower = c[12], w->replaced = c[13], w->doubt = c[14];
}
