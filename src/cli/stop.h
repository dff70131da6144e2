// Being asked to stop: by Ctrl-C after the step that is under way, by SIGTERM within a second.
#pragma once
#include <stdbool.h>

void sn_stop_listen(const char* program); // the name that what is said begins with
bool sn_stop_wanted(void);
// From here on a step is given up where it takes too long; frames before it are in the run file at that path.
void sn_stop_may_leave(const char* path);
void sn_stop_ignore(void); // nothing is given up any more
