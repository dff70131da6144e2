// The benchmarks, one row each.
#include "experiment/bench.h"

#define BENCH_LIST(X) X(newton) X(kernels) X(solvers) X(sweeps) X(admm) X(contact) X(accuracy) X(elements) X(live)

#define DECLARE(name) extern const SnBench sn_bench_##name;
BENCH_LIST(DECLARE)

#define ROW(name) &sn_bench_##name,
const SnTable sn_bench_table = {.noun = "benchmark",
                                .rows = (const void* const[]){BENCH_LIST(ROW) NULL},
                                .parameters = offsetof(SnBench, parameters)};
