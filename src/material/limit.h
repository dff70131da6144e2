// Limits of stretch as a density: mu sum (s - clamp(s, extra[0], extra[1]))^2.
#pragma once
#include "material/material.h"

extern const SnMaterialType sn_limit;
