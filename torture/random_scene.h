// Scenes at random: every key that the schema knows, with values that it allows.
#pragma once
#include <stddef.h>

#include "core/random.h"

enum { RANDOM_SCENE_SIZE = 32768 };

// How strange the numbers are: near their defaults; anywhere over many powers of ten; up to the last ones there are.
typedef enum Wildness { WILD_TAME, WILD_BROAD, WILD_EXTREME } Wildness;

// The text of a scene of a few small bodies. Most can be simulated; the rest are refused for a reason that rows do not
// tell.
void random_scene(SnRandom* random, Wildness wildness, char text[RANDOM_SCENE_SIZE]);
