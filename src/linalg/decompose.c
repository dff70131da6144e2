// The decompositions of the instruction set in use.
#include "linalg/decompose.h"

SN_EXTERN_OF_ISA(const SnDecompositions, sn_decompositions);

const SnDecompositions* sn_decompositions(void)
{
    return SN_OF_ISA(&sn_decompositions);
}
