// The program for several processes.
#include "mpi/mpi_program.h"

int main(int argc, char** argv)
{
    return sn_mpi_program_run(argc, argv);
}
