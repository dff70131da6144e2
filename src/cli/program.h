// What the program's own files share beside commands.
#pragma once
#include <stdio.h>

#include "cli/command.h"

void sn_print_program_help(FILE* out);
// Finds and runs the command argv names; returns the exit code.
int sn_program_run(int argc, char** argv);
