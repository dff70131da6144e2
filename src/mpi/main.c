// The program for several processes.
#include "mpi/program.h"

int main(int argc, char** argv)
{
    return sn_mpi_program_run(argc, argv);
}
