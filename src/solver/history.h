// The pairs of L-BFGS, s = x' - x and y = g' - g, the newest first, and the recursion over them (Nocedal 1980).
//
// The recursion is done on numbers: with the products s_i.y_j kept and the new ones found in one sweep, its loops need
// no vectors, and q and d are one linear combination each.
//
// Around a linear initial inverse B each body can have numbers of its own: what one body has learned is then not mixed
// with the others', which it has nothing to do with but for constraints.
#pragma once
#include "linalg/vector.h"

enum { SN_MOST_PAIRS = 100 };

// The numbers of a part of the vectors.
typedef struct SnHistoryPart {
    int first, count; // which
    double* sy;       // history x history: s_i.y_j, of pairs j that are not older than i
    double* yz;       // history x history: y_i.z_j
    double *sg, *yp;  // s_i.g, y_i.p of this iterate
    bool* curved;     // each pair has positive curvature here; others are passed over
    double scale;     // of B
} SnHistoryPart;

typedef struct SnHistory {
    SnTasks* tasks;
    int size;                                    // of the vectors
    int history;                                 // pairs kept at most
    int count;                                   // pairs there are
    double *s[SN_MOST_PAIRS], *y[SN_MOST_PAIRS]; // from `count` on, spare ones
    double* z[SN_MOST_PAIRS];                    // B y, of linear initial inverses only
    bool linear, symmetric;                      // B is
    bool scaled;                                 // by s.y / y.B y of the newest pair
    bool pending;                                // the products of the newest pair are still to be found
    double yy_over_sy;                           // of the newest pair; 0: none
    bool apart;                                  // bodies have numbers of their own
    int body_count;
    SnHistoryPart whole, *bodies;
    double* numbers; // of all of them
    bool* flags;
} SnHistory;

// body: 1 per node, the first node of the body that it belongs to; a body's nodes follow each other.
SnStatus sn_history_create(SnHistory* history, SnTasks* tasks, int node_count, const int* body);
void sn_history_free(SnHistory* history);

void sn_history_drop(SnHistory* history, bool apart); // all of them
void sn_history_add(SnHistory* history);              // s[0] and y[0] are to be filled
// The products that the recursion needs at an iterate with gradient g, p = B g; a newest pair without positive
// curvature is dropped.
void sn_history_find(SnHistory* history, const double* g, const double* p);
// d = -H^-1 g in two halves for any B: q, and d from r = B q.
void sn_history_first_half(const SnHistory* history, const double* g, double* alpha, double* q);
void sn_history_second_half(const SnHistory* history, const double* alpha, double* d);
// r = sign H^-1 q for a linear B, p = B q; of the iterate's gradient, or of any q.
void sn_history_apply(SnHistory* history, double sign, const double* p, double* r);
void sn_history_apply_to(SnHistory* history, const double* q, const double* p, double* r);
// H^-1 q = scale p + sum weights_i z_i + sum weights_(m+i) s_i of a part, where sq = s_i.q and yp = y_i.p.
void sn_history_weights(const SnHistory* history, const SnHistoryPart* part, const double* sq, const double* yp,
                        double* weights);
// The part that an entry of the vectors belongs to.
const SnHistoryPart* sn_history_part_of(const SnHistory* history, int entry);
