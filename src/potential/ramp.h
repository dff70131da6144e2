// Ramps: factors over time.
#pragma once
#include <sinew/parameter.h>

#include "core/status.h"

double sn_ramp_at(const SnCurve* ramp, double time); // 1 where it has no points
SnStatus sn_ramp_check(const SnCurve* ramp, const char* of);
