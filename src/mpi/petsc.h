// PETSc, without its counting of messages by macros of MPI's names.
#pragma once
#define PETSC_HAVE_BROKEN_RECURSIVE_MACRO 1
#include <petscksp.h>
