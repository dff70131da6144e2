// Scenes of things that are thrown at each other, by any solver, integrator, tolerance, limit and step.
#pragma once
#include "random_scene.h"

// None cross at the start. May be refused for another reason, as limits that a solver does not have.
void thrown_scene(SnRandom* random, char text[RANDOM_SCENE_SIZE]);
