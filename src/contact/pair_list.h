// What two surfaces, or a surface and itself, may touch of each other while neither outgrew its boxes by more than a
// margin (Verlet 1967): lists from which pairs are taken, call after call.
#pragma once
#include "contact/pairs.h"
#include "contact/swept.h"

// The elements of a chunk of blocks that are near any of the other surface, and those they are near to.
typedef struct SnPairRow {
    int item, end; // its near ones end here, and begin where those of the row before end
} SnPairRow;

typedef struct SnPairRows {
    int count, capacity;
    SnPairRow* rows;
    int near_count, near_capacity;
    int* near;
    int block_capacity, lane_capacity;
    int* blocks;     // scratch
    unsigned* lanes; // of these, which are met
    int met_capacity;
    int* met; // scratch: of a row, whose boxes meet
    SnPairArray found;
    SnStatus status;
} SnPairRows;

typedef struct SnPairList {
    int a, b;      // surfaces, a <= b
    bool made;     // it can be used
    bool wanted;   // the surfaces are near each other now
    int age;       // calls since it was made
    double margin; // m
    // m: of each axis, how much nearer the lower sides of a and the upper ones of b have come to each other, at most,
    // from when it was made to when the two surfaces were last noted; and the other way round
    double spent[2][3];
    double slide[2][3]; // m: how far the boxes of b slid up past those of a, and down, when it was made
    int notes;          // that these sums are made of: each may be wrong by rounding
    int chunk_count, chunk_capacity;
    SnPairRows* chunks;
} SnPairList;

// Whom to look up for whom: elements of surface a or b, by kind.
typedef struct SnPairPart {
    int from, from_kind, to, to_kind;
} SnPairPart;
enum { SN_PAIR_PARTS = 3 };
SnPairPart sn_pair_part(int a, int b, int part); // nodes of a, nodes of b (a != b only), edges; from < 0: none
int sn_pair_chunks(const SnSurfaces* surfaces, const SnPairPart* part);

// Does it have all pairs whose boxes meet now? Positions are right up to `rounding`.
bool sn_pair_list_holds(const SnPairList* list, const SnSwept* swept, double rounding);
// What the surface has outgrown goes to the account, because it is noted anew.
void sn_pair_list_spend(SnPairList* list, int surface, const SnOutgrown* beyond);
// Before it is made anew: a margin for which making and looking through it cost alike.
void sn_pair_list_begin(SnPairList* list, const SnSwept* swept, double edge);
void sn_pair_list_make(const SnPairList* list, const SnSwept* swept, const SnPairPart* part, int chunk,
                       SnPairRows* rows);
// Those listed whose boxes meet and that no plane keeps apart; marked: of which one element is marked.
void sn_pair_list_look(const SnSwept* swept, const SnPairPart* part, const double* x0, const double* x1, bool marked,
                       SnPairRows* rows);
void sn_pair_list_destroy(SnPairList* list);
