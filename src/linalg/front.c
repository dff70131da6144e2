// The kernels on fronts of this processor's instruction set.
#include "linalg/front.h"

#include "core/isa.h"

SN_EXTERN_OF_ISA(const SnFrontKernels, sn_front_kernels_table);
SN_EXTERN_OF_ISA(const SnSweepTable, sn_sweep_table);

const SnFrontKernels* sn_front_kernels(void)
{
    return SN_OF_ISA(&sn_front_kernels_table);
}

const SnSweepKernels* sn_sweep_kernels(bool triple, SnFactorPrecision precision)
{
    const SnSweepTable* table = SN_OF_ISA(&sn_sweep_table);
    return (triple ? table->triple : table->single)[precision];
}

const SnSweepKernels* sn_sweep_many_kernels(void)
{
    return SN_OF_ISA(&sn_sweep_table)->many;
}
