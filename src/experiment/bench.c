// The benchmarks, one row each.
#include "experiment/bench.h"

#define BENCH_LIST X(newton) X(kernels) X(solvers) X(sweeps) X(admm) X(contact) X(accuracy)

#define X(name) extern const SnBench sn_bench_##name;
BENCH_LIST
#undef X

#define X(name) &sn_bench_##name,
const SnTable sn_bench_table = {
    .noun = "benchmark", .rows = (const void* const[]){BENCH_LIST NULL}, .parameters = offsetof(SnBench, parameters)};
#undef X
