// Anderson's acceleration of a fixed-point iteration v -> G(v): the next v is the combination of the last G(v)s whose
// steps G(v) - v cancel best in the mean square (Anderson 1965; Walker and Ni 2011).
#pragma once
#include "core/tasks.h"

enum { SN_ANDERSON_MOST = 20 };

typedef struct SnAnderson SnAnderson;

SnStatus sn_anderson_create(int n, int window, SnAnderson** anderson); // window: 1 to SN_ANDERSON_MOST
void sn_anderson_destroy(SnAnderson* anderson);

void sn_anderson_start(SnAnderson* anderson, SnTasks* tasks, const double* v); // the first v
// v: G of the last v comes in, the next v goes out. A step that is twice as long as the last one drops the history.
void sn_anderson_next(SnAnderson* anderson, SnTasks* tasks, double* v);
