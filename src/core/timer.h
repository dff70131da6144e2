// Wall-clock milliseconds from a monotonic clock.
#pragma once
double sn_now_ms(void);
