// Clocks of the system.
#include "core/timer.h"

#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

double sn_now_ms(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double sn_processor_ms(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
