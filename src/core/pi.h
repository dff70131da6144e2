// The one pi.
#pragma once

#define SN_PI 3.14159265358979323846
