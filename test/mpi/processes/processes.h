// What the checks that run as several processes have in common.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "core/status.h"

void expect(bool good, const char* what, double a, double b);
void must(SnStatus status);
void check_tables(void);
