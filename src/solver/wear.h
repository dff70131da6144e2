// How long a matrix that is kept from step to step still serves: until the iterations that its age has cost are worth
// taking it anew.
#pragma once
#include <math.h>
#include <stdbool.h>

typedef struct SnWear {
    bool taken;      // the matrix has been
    int takes;       // how often, as far as this state knows
    double worth;    // what taking it anew costs, in iterations
    double applied;  // iterations since the last start
    double usual;    // iterations of the first minimisation after it was taken; negative: not known yet
    double excess;   // iterations beyond the usual, summed since
    double patience; // iterations until it is taken anew within a minimisation
} SnWear;

// What the iterations since the last start say about it.
static inline bool sn_wear_outworn(SnWear* w)
{
    if (!w->taken || w->applied > w->patience) return true;
    if (w->usual < 0) w->usual = w->applied;
    w->excess = fmax(0, w->excess + w->applied - w->usual);
    return w->excess > w->worth;
}

static inline void sn_wear_take(SnWear* w)
{
    w->taken = true, w->takes++, w->usual = -1, w->excess = 0;
}

static inline void sn_wear_start(SnWear* w, double patience)
{
    w->patience = patience;
    w->applied = 0;
}

enum { SN_WEAR_COUNTS = 5 }; // that a state remembers

static inline void sn_wear_save(const SnWear* w, double counts[SN_WEAR_COUNTS])
{
    counts[0] = w->taken, counts[1] = w->applied, counts[2] = w->usual, counts[3] = w->excess, counts[4] = w->patience;
}

static inline void sn_wear_restore(SnWear* w, const double counts[SN_WEAR_COUNTS]) // NULL: forgets
{
    static const double none[SN_WEAR_COUNTS] = {0, 0, -1, 0, 0};
    const double* from = counts ? counts : none;
    w->taken = from[0] != 0, w->applied = from[1], w->usual = from[2], w->excess = from[3], w->patience = from[4];
}
