// Milliseconds.
#pragma once
double sn_now_ms(void);       // of wall-clock time, from a monotonic clock
double sn_processor_ms(void); // of processor time that this process has taken, all threads together
