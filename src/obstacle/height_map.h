// Heights from a grey picture: 0 where it is black, 1 where it is white.
#pragma once
#include "core/memory.h"

enum { SN_TERRAIN_MOST_SIDE = 20000, SN_TERRAIN_MOST = 16 << 20 }; // heights to a side, and in all

// PNG, or PGM as text (P2) or binary (P5), of 8 or 16 bits. *heights, rows x columns from the top row on, is allocated.
SnStatus sn_height_map_load(const char* path, int* columns, int* rows, double** heights);
