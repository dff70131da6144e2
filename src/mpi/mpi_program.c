// From the words of the command line to a command; only the first process talks.
#include "mpi/mpi_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/isa.h"
#include "mpi/petsc.h"

static int loud = 2; // the standard error that every process had

void sn_mpi_end_all(int rank)
{
    dprintf(loud, "sinew-mpi: process %d: %s\n", rank, sn_last_error());
    MPI_Abort(PETSC_COMM_WORLD, SN_EXIT_FAILED);
    abort();
}

static int call(int argc, char** argv)
{
    SnStatus status = sn_isa_choose(getenv("SINEW_ISA"));
    if (status != SN_OK) return sn_exit_of(status);
    const char* word = argc > 1 ? argv[1] : NULL;
    if (word && (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0)) {
        printf("sinew-mpi %s, PETSc %d.%d.%d\n", sn_version(), PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
               PETSC_VERSION_SUBMINOR);
        return SN_EXIT_DONE;
    }
    if (word && strcmp(word, "run") == 0) return sn_command_call(&sn_command_mpi_run, argc - 2, argv + 2);
    bool help = word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0);
    fprintf(help ? stdout : stderr,
            "usage: mpirun -n N sinew-mpi run SCENE [-o RUN] [options]\n\n"
            "Simulates a scene on N processes, by PETSc; everything else is done with `sinew`.\n"
            "`sinew-mpi run --help` tells the options.\n");
    return help ? SN_EXIT_DONE : SN_EXIT_USAGE;
}

int sn_mpi_program_run(int argc, char** argv)
{
    int rank;
    PetscOptionsSetValue(NULL, "-no_signal_handler", "true");
    if (PetscInitialize(NULL, NULL, NULL, NULL)) return SN_EXIT_FAILED;
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    loud = dup(2);
    if (rank > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        MPI_Abort(PETSC_COMM_WORLD, SN_EXIT_FAILED);
    int code = call(argc, argv);
    PetscFinalize();
    return code;
}
