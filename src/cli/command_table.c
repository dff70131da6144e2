// The program's commands, in the order of `sinew --help`.
#include "cli/command.h"

#define COMMAND_LIST(X) \
    X(run)              \
    X(check)            \
    X(stats)            \
    X(export)           \
    X(render) X(plot) X(view) X(replay) X(sweep) X(race) X(paper) X(mesh) X(gallery) X(list) X(bench) X(completion)

#define DECLARE(name) extern const SnCommand sn_command_##name;
COMMAND_LIST(DECLARE)

#define ROW(name) &sn_command_##name,
const SnTable sn_command_table = {.noun = "command", .rows = (const void* const[]){COMMAND_LIST(ROW) NULL}};
