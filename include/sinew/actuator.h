// Actuators: what changes by itself within a body: elements that grow, swell with heat, fibers that contract.
#ifndef SINEW_ACTUATOR_H
#define SINEW_ACTUATOR_H

#include <sinew/parameter.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is not of the type is not looked at.
typedef struct SnActuatorDef {
    const char* type; // "growth", "heat", "stretch", "tension"; see `sinew list actuators`
    int body;
    const int* elements; // of the body: its tetrahedra, without these its triangles, without these its edges; NULL: all
    int element_count;
    // 2 x count: time, s, increasing, and the factor that the actuator is multiplied by then, linear between them and
    // constant beyond. count 0: the factor is 1
    SnCurve ramp;
    // Of growth: strains along the axes of the rest shape; of a sheet along warp, weft and through it; of a rope along
    // it and, twice, across.
    double growth[3];
    double heat;      // K, of heat
    double expansion; // 1/K, of heat
    double stretch;   // of stretch: what fibers or ropes are as long at as they were at rest, of that length
    double tension;   // Pa, of tension: what fibers or ropes pull with besides their stiffness
} SnActuatorDef;

#ifdef __cplusplus
}
#endif
#endif
