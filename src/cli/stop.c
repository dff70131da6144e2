// What a signal may do is to leave a note. A second one finds the default action and ends the program. Who asks by
// SIGTERM will not wait for long: a step that has not ended by then is given up, as a run file may be left at any
// instant and has what came before.
#include "cli/stop.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

enum { PATIENCE = 800000 }; // us; mpirun kills its processes a second after it was told
static volatile sig_atomic_t wanted;
static char name[32] = "sinew", last_words[600];

static void note(int signal)
{
    wanted = 1;
    if (signal == SIGTERM) ualarm(PATIENCE, 0);
}

static void give_up(int signal)
{
    (void)signal;
    if (write(STDERR_FILENO, last_words, strlen(last_words)) < 0) _exit(SN_EXIT_FAILED);
    _exit(SN_EXIT_FAILED);
}

void sn_stop_listen(const char* program)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND};
    snprintf(name, sizeof name, "%s", program);
    snprintf(last_words, sizeof last_words, "%s: stopped before the first step\n", name);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = give_up}, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool sn_stop_wanted(void)
{
    return wanted;
}

void sn_stop_may_leave(const char* path)
{
    snprintf(last_words, sizeof last_words,
             "%s: stopped within a step; everything up to the last frame is in %s, and the same command with "
             "--resume goes on from there\n",
             name, path);
}

void sn_stop_ignore(void)
{
    ualarm(0, 0);
}
