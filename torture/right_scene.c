// Bars, balls, sheets and ropes; held, driven, free or spinning; steps are a sixtieth of a period, or a fifteenth.
#include "right_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/pi.h"
#include "text.h"

#define WEIGHT 9.81

typedef struct Body {
    double length, young, density, period;
    char first[40], last[40]; // where its ends are
    bool thick;               // made of tetrahedra
} Body;

typedef enum Way { HELD, BOTH, FREE, SPIN } Way;

static double log_between(Text* t, double lo, double hi)
{
    return exp(between(t, log(lo), log(hi)));
}

static double any_of(Text* t, int count, const double* values)
{
    return values[below(t, count)];
}

static const char* any_name(Text* t, int count, const char* const* names)
{
    return names[below(t, count)];
}

// None is crushed by its own weight.
static void stiffen(Body* b, double times)
{
    b->young = fmax(b->young, times * b->density * WEIGHT * b->length);
}

static void put_material(Text* t, const Body* b, const char* type, double poisson)
{
    put(t, "    material: {type: %s, young: %g, poisson: %g, density: %g", type, b->young, poisson, b->density);
}

static void put_solid(Text* t, Body* b, bool bar, bool bends, double poisson)
{
    static const char* const types[] = {"stable-neo-hookean", "neo-hookean", "corotated", "fixed-corotated", "stvk",
                                        "mooney-rivlin",      "arap"};
    double speed, l = b->length;
    stiffen(b, 0.5);
    b->thick = true;
    speed = sqrt(b->young / b->density);
    b->period = 10 * l / speed;
    if (bar) {
        int aspect = 1 << below(t, 5), cells = 2 + below(t, 2), along = aspect * cells / (aspect > 4 ? 2 : 1);
        put(t, "{box: {size: [%g, %g, %g], cells: [%d, %d, %d]}}\n", l, l / aspect, l / aspect, along < 2 ? 2 : along,
            cells, cells);
        if (bends) b->period = 2 * SN_PI * l * aspect / (3.516 * speed / sqrt(12));
    } else
        put(t, "{sphere: {radius: %g, cells: 2}}\n", l / 2), snprintf(b->first, 40, "[min, min+%g]", l / 5),
            snprintf(b->last, 40, "[max-%g, max]", l / 5);
    const char* type = any_name(t, 7, types);
    put_material(t, b, type, strcmp(type, "mooney-rivlin") == 0 ? fmax(poisson, 0.3) : poisson);
}

static void put_thin(Text* t, Body* b, bool sheet, double poisson)
{
    static const char* const types[] = {"stvk", "arap", "corotated", "neo-hookean"};
    double thickness = b->length * (sheet ? (chance(t, 0.5) ? 1e-3 : 1e-2) : (chance(t, 0.5) ? 1e-2 : 3e-2));
    stiffen(b, sheet ? 2 : 3);
    b->period = (chance(t, 0.5) ? 1 : 0.3) * sqrt(b->length / WEIGHT);
    if (sheet)
        put(t, "{cloth: {size: [%g, %g], cells: [8, 8]}}\n", b->length, b->length);
    else
        put(t, "{rope: {length: %g, cells: 20}}\n", b->length);
    put_material(t, b, sheet ? any_name(t, 4, types) : "spring", fmin(poisson, 0.45));
    put(t, ", thickness: %g", thickness);
}

static Body put_body(Text* t, bool bends)
{
    static const double ratios[] = {0, 0.3, 0.3, 0.45, 0.49}, densities[] = {100, 1000, 1000, 7800};
    int kind = below(t, 6);
    Body b = {log_between(t, 1e-3, 100),
              log_between(t, 1e3, 2e11),
              any_of(t, 4, densities),
              0,
              "[min, min]",
              "[max, max]",
              false};
    double poisson = any_of(t, 5, ratios);
    put(t, "bodies:\n  - name: b\n    mesh: ");
    if (kind < 4)
        put_solid(t, &b, kind < 3, bends, poisson);
    else
        put_thin(t, &b, kind == 4, poisson);
    put(t, "}\n");
    return b;
}

static void put_start(Text* t, const Body* b, Way way, double step)
{
    if (way == FREE && b->thick)
        put(t, "    start: {stretch: [1.2, 0.95, 0.95]}\n");
    else if (way == FREE)
        put(t, "    velocity: {linear: [0, 0, 0], angular: [0, 0, %g]}\n", 1 / (60 * step));
    else if (way == SPIN)
        put(t, "    velocity: {linear: [0, %g, 0], angular: [0, 0, %g]}\n", b->length / (60 * step), 2 / (60 * step));
}

// So much of its length along x and y in all steps together.
static void put_handles(Text* t, const Body* b, Way way, double along, double across)
{
    if (way > BOTH) return;
    put(t, "handles:\n  - {body: b, where: {x: %s}}\n", b->first);
    if (way == BOTH)
        put(t, "  - {body: b, where: {x: %s}, motion: {velocity: [%g, %g, 0]}}\n", b->last, -along * b->length,
            across * b->length);
}

void right_scene(SnRandom* random, char text[RANDOM_SCENE_SIZE])
{
    static const char* const integrators[] = {"static",      "backward-euler",    "backward-euler", "bdf2",
                                              "trapezoidal", "implicit-midpoint", "tr-bdf2"};
    static const Way ways[] = {HELD, HELD, HELD, BOTH, FREE, SPIN};
    Text t = {random, text, 0, RANDOM_SCENE_SIZE};
    const char* integrator = any_name(&t, 7, integrators);
    bool still = integrator == integrators[0], driven = chance(&t, 0.5);
    Way way = ways[below(&t, still ? 4 : 6)];
    int steps = !still ? 20 << below(&t, 2) : driven && way == BOTH ? 5 : 1;
    Body b = put_body(&t, way == HELD);
    double step = still ? 1 : b.period / 60 * (chance(&t, 1.0 / 3) ? 4 : 1), duration = steps * step;
    put_start(&t, &b, way, step);
    put_handles(&t, &b, way, driven ? 0.2 / duration : 0, driven ? 0.1 / duration : 0);
    put(&t, "integrator: %s\ntime: {step: %g, frames: %d}\n", integrator, step, steps);
}

int right_steps(const char* text)
{
    const char* frames = strstr(text, "frames: ");
    int steps = frames ? atoi(frames + 8) : 0;
    return steps < RIGHT_STEPS ? steps : RIGHT_STEPS;
}
