// The program sinew-mpi.
#pragma once
#include "cli/command.h"

extern const SnCommand sn_command_mpi_run;
// Ends all processes with the last error of this one, which is told whatever its rank.
_Noreturn void sn_mpi_end_all(int rank);
int sn_mpi_program_run(int argc, char** argv);
