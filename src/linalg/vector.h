// Long vectors in parallel, with sums whose bits do not depend on the number of threads.
#pragma once
#include "core/tasks.h"

double sn_vector_dot(SnTasks* tasks, int n, const double* x, const double* y);
void sn_vector_scale(SnTasks* tasks, int n, double a, double* x); // x = a x
double sn_vector_norm(SnTasks* tasks, int n, const double* x);
void sn_vector_copy(SnTasks* tasks, int n, const double* x, double* y);                            // y = x
void sn_vector_axpy(SnTasks* tasks, int n, double a, const double* x, const double* y, double* z); // z = a x + y

// Several at once, each vector read from memory a single time.
// out[k] = xs[k].ys[k]
void sn_vector_pairs(SnTasks* tasks, int n, int count, const double* const* xs, const double* const* ys, double* out);
// out[k] = xs[k].y, at most SN_VECTOR_MANY of them
enum { SN_VECTOR_MANY = 200 };
void sn_vector_dots(SnTasks* tasks, int n, int count, const double* const* xs, const double* y, double* out);
// z = a base + sum c[k] xs[k]; z may be base.
void sn_vector_combine(SnTasks* tasks, int n, double a, const double* base, int count, const double* c,
                       const double* const* xs, double* z);
