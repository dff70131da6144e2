// Scenes of one body each, of any size and stiffness, that nothing touches, with steps that fit its motion.
#pragma once
#include "random_scene.h"

enum { RIGHT_STEPS = 40 }; // at most

void right_scene(SnRandom* random, char text[RANDOM_SCENE_SIZE]); // without a solver
int right_steps(const char* text);                                // how many it has
