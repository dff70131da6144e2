// Loads: forces from outside on the nodes or the surface of a body.
#ifndef SINEW_LOAD_H
#define SINEW_LOAD_H

#include <sinew/parameter.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is not of the type is not looked at.
typedef struct SnLoadDef {
    const char* type; // "force", "pressure"; see `sinew list loads`
    int body;
    const int* nodes; // of the body; NULL: all. Loads on a surface act on triangles whose three corners are chosen
    int node_count;
    // 2 x count: time, s, increasing, and the factor that the load is multiplied by then, linear between them and
    // constant beyond; of wind, the velocity of the air. count 0: the factor is 1
    SnCurve ramp;
    double vector[3]; // force, N; traction, Pa; torque, N m; acceleration, m/s2; of wind: velocity of the air, m/s
    // Of a force: m, a point at rest; it acts at the nearest one of the body's surface, by its place in the triangle.
    // Then nodes are NULL. NAN: on the nodes
    double at[3];
    double pressure;    // Pa, from outside
    double gas;         // Pa, of a gas, above what is outside, at the volume at rest
    double ambient;     // Pa, of a gas: outside
    double exponent;    // of a gas: n of p V^n
    double volume;      // of a chamber of given volume: of that at rest
    double density;     // of wind: of the air, kg/m3
    double drag;        // of wind: the coefficient along the air's velocity
    double lift;        // of wind: the coefficient across it
    double gust;        // of wind: fluctuations, of the mean speed
    double length;      // of wind: m, of the longest gust
    double gradient[9]; // of wind: 1/s, row after row: how the air's velocity varies in space, from `centre` on
    double centre[3];   // of wind: m
    double turn[3];     // of wind: the axis about which it all turns with time; zero: it does not
    double period;      // of wind: s, of one such turn
    // Of wind: the air's velocity w at a place x and a time, in place of all this; NULL: none. In C alone.
    void (*field)(void* user, double time, const double x[3], double w[3]);
    void* user;
} SnLoadDef;

#ifdef __cplusplus
}
#endif
#endif
