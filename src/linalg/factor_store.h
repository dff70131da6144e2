// Factorisations of matrices that are no more, for those that come after them.
//
// Bodies that nothing joins are parts of a matrix, each with an order and a factor of its own. When a body comes, goes
// or is held, the matrices of all are made anew, but parts whose pattern is the same are not ordered again, and parts
// whose numbers are the same are not factored again. What is found is what would have been made, bit for bit.
#pragma once
#include "linalg/cholesky_state.h"

struct SnFactorStore {
    SnCholesky** items;
    int count, capacity;
    int* next; // count: the part to look at first, as those that stay come in the same order
};

// Leaves nothing in it.
void sn_factor_store_clear(SnFactorStore* store);
// Takes over one that is no longer used, without what only solving needs; false: there is no room for it.
bool sn_factor_store_take(SnFactorStore* store, SnCholesky* c);
// The order of a part, as SnGraphPartKnown.
bool sn_factor_store_order(void* store, const SnGraphParts* parts, int part, int* order);
// Makes room for what is to be kept of one; before factoring it: the factors of parts that are there already, with the
// matrix's numbers as they are now, in the store or of the last time, are marked as such.
SnStatus sn_factor_store_expect(SnCholesky* c);
void sn_factor_store_fetch(SnFactorStore* store, SnCholesky* c, double shift);
