// The program sinew-mpi.
#pragma once
#include "cli/command.h"

extern const SnCommand sn_command_mpi_run;
int sn_mpi_program_run(int argc, char** argv);
