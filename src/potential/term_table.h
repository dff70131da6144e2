// The kinds of term: one row each.
#define SN_TERM_LIST(X) X(tetrahedron) X(point) X(triangle) X(edge) X(fiber) X(thread) X(hinge)
