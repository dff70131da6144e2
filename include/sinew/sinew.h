// Sinew: simulation of deformable bodies. Include this one.
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include <sinew/actuator.h>
#include <sinew/base.h>
#include <sinew/dissipation.h>
#include <sinew/field.h>
#include <sinew/load.h>
#include <sinew/material.h>
#include <sinew/mesh.h>
#include <sinew/obstacle.h>
#include <sinew/parameter.h>
#include <sinew/probe.h>
#include <sinew/run.h>
#include <sinew/scene.h>
#include <sinew/world.h>

#endif
