// What the program's own files share beside commands.
#pragma once
#include <stdio.h>

#include "cli/command.h"

void sn_print_program_help(FILE* out);
// Finds and runs the command argv names; returns the exit code.
int sn_program_run(int argc, char** argv);
// A command of a NULL-ended table by name, or NULL with a complaint that suggests the nearest.
const SnCommand* sn_command_find(const SnCommand* const* table, const char* name);
