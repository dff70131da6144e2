// Each thing has a cell of a grid for itself, and goes for the cell of another one.
#include "thrown_scene.h"

#include <math.h>

#include "text.h"

enum { SIDE = 2, CELLS = SIDE * SIDE * SIDE, MOST_BODIES = 5, MOST_OBSTACLES = 3 };

typedef struct Thrown {
    Text out;
    double size;               // m: half the side of a cell
    double from[3];            // m: the middle of the grid
    double step;               // s
    int cells[CELLS];          // in the order in which they are given away
    int bodies, obstacles, at; // how many there are; the cell that is next
} Thrown;

static double log_between(Text* t, double lo, double hi)
{
    return exp(between(t, log(lo), log(hi)));
}

static void centre_of(const Thrown* w, int cell, double c[3])
{
    int i[3] = {cell % SIDE, cell / SIDE % SIDE, cell / SIDE / SIDE};
    for (int a = 0; a < 3; a++) c[a] = w->from[a] + 2 * w->size * (i[a] - 0.5 * (SIDE - 1));
}

static void shuffle(Thrown* w)
{
    for (int i = 0; i < CELLS; i++) {
        int k = below(&w->out, i + 1);
        w->cells[i] = w->cells[k];
        w->cells[k] = i;
    }
}

static void put_vector(Text* t, const double v[3])
{
    put(t, "[%.9g, %.9g, %.9g]", v[0], v[1], v[2]);
}

static void put_any_axis(Text* t)
{
    double x = between(t, -1, 1), y = between(t, -1, 1), z = between(t, -1, 1);
    put(t, "%.4g, %.4g, %.4g", x, y, z + 0.01);
}

// So far in a step: from a hundredth of a cell to many of them.
static double any_speed(Thrown* w)
{
    return log_between(&w->out, 0.01, 10) * 2 * w->size / w->step;
}

// From the cell that was given away last to that of another thing, or anywhere.
static void put_velocity(Thrown* w)
{
    double from[3], to[3], length = 0, speed = any_speed(w);
    centre_of(w, w->cells[w->at - 1], from);
    centre_of(w, w->cells[below(&w->out, w->bodies + w->obstacles)], to);
    for (int a = 0; a < 3; a++) {
        to[a] += between(&w->out, -0.5, 0.5) * w->size - from[a];
        length = hypot(length, to[a]);
    }
    for (int a = 0; a < 3; a++) to[a] *= speed / length;
    put_vector(&w->out, to);
}

// Of handles and obstacles.
static void put_motion(Thrown* w)
{
    Text* t = &w->out;
    double most = chance(t, 0.1) ? 200 : 40; // degrees in a step
    switch (below(t, 4)) {
    case 0:
        put(t, "{rotate: {axis: [");
        put_any_axis(t);
        put(t, "], rate: %.5g}, velocity: ", between(t, -most, most) / w->step);
        put_velocity(w);
        put(t, "}");
        break;
    case 1:
        put(t, "{oscillate: {frequency: %.4g, amplitude: [%.4g, %.4g, %.4g]}}", between(t, 0.05, 0.4) / w->step,
            w->size * between(t, -2, 2), w->size * between(t, -2, 2), w->size * between(t, -2, 2));
        break;
    case 2:
        put(t, "{keyframes: [[0, [0, 0, 0]], [%.4g, [%.4g, %.4g, %.4g]], [%.4g, [0, 0, 0]]]}", 1.5 * w->step,
            w->size * between(t, -3, 3), w->size * between(t, -3, 3), w->size * between(t, -3, 3), 4 * w->step);
        break;
    default:
        put(t, "{velocity: ");
        put_velocity(w);
        put(t, chance(t, 0.3) ? ", release: %.4g}" : ", until: %.4g}", 3.1 * w->step);
    }
}

// Turned about a corner that is in the middle of its cell, it does not come out of that.
static void put_place(Thrown* w)
{
    double c[3];
    centre_of(w, w->cells[w->at++], c);
    put(&w->out, "place: {fit: %.4g, rotate: [", w->size * between(&w->out, 0.2, 0.57));
    put_any_axis(&w->out);
    put(&w->out, ", %.4g], move: ", chance(&w->out, 0.2) ? 0 : between(&w->out, -180, 180));
    put_vector(&w->out, c);
    put(&w->out, "}");
}

// A mesh, and whether it is made of 3, 2 or 1 dimensions.
static int put_mesh(Text* t)
{
    switch (below(t, 8)) {
    case 0:
    case 1:
        put(t, "{box: {size: [%.3g, %.3g, 1], cells: [%d, %d, %d]}}", between(t, 0.05, 1), between(t, 0.3, 1),
            1 + below(t, 3), 1 + below(t, 3), 1 + below(t, 3));
        return 3;
    case 2: put(t, "{sphere: {cells: %d}}", 1 + below(t, 2)); return 3;
    case 3: put(t, "{torus: {cells: [%d, 1]}}", 8 + below(t, 8)); return 3;
    case 4:
    case 5:
        put(t, "{cloth: {size: [%.3g, 1], cells: [%d, %d]}}", between(t, 0.2, 1), 1 + below(t, 8), 1 + below(t, 8));
        return 2;
    case 6: put(t, "{rope: {cells: %d}}", 1 + below(t, 15)); return 1;
    default: put(t, "{knot: {cells: %d}}", 50 + below(t, 20)); return 1;
    }
}

static void put_material(Thrown* w, int dimension)
{
    static const char* const types[] = {"neo-hookean", "stable-neo-hookean", "corotated", "fixed-corotated", "stvk",
                                        "arap"};
    Text* t = &w->out;
    put(t, "{type: %s, young: %.4g, density: %.4g", dimension == 1 ? "spring" : types[below(t, 6)],
        log_between(t, 1e3, 1e8), log_between(t, 100, 3000));
    if (dimension < 3) put(t, ", thickness: %.4g", w->size * log_between(t, 1e-3, 3e-2));
    if (dimension > 1) put(t, ", poisson: %.3g", between(t, 0, 0.48));
    put(t, "}");
}

static void put_body(Thrown* w, int number)
{
    Text* t = &w->out;
    put(t, "  - {name: b%d, mesh: ", number);
    int dimension = put_mesh(t);
    put(t, ", ");
    put_place(w);
    put(t, ",\n     velocity: {linear: ");
    put_velocity(w);
    put(t, ", angular: [");
    put_any_axis(t);
    put(t, "]}, material: ");
    put_material(w, dimension);
    if (chance(t, 0.2)) put(t, ", contact: {thickness: %.4g}", w->size * log_between(t, 1e-4, 0.05));
    if (dimension == 3 && chance(t, 0.15)) put(t, ", element: quadratic");
    put(t, "}\n");
}

static void put_handle(Thrown* w, int number)
{
    static const char* const where[] = {"{nodes: [0]}", "{nodes: [0, 1]}", "{x: [min, min]}", "{y: [max, max]}",
                                        "all",          "{z: [min, max]}"};
    put(&w->out, "  - {body: b%d, where: %s", number, where[below(&w->out, 6)]);
    w->at = 1 + number;
    if (chance(&w->out, 0.7)) {
        put(&w->out, ", motion: ");
        put_motion(w);
    }
    put(&w->out, "}\n");
}

static void put_mesh_obstacle(Thrown* w)
{
    Text* t = &w->out;
    if (chance(t, 0.5)) {
        put(t, "type: mesh, mesh: ");
        put(t, chance(t, 0.5) ? "{box: {cells: [1, 2, 1]}}, " : "{sphere: {cells: 1}}, ");
    } else {
        put(t, "type: mesh, rate: %.4g, repeat: true, frames: [", between(t, 0.3, 2) / w->step);
        for (int i = 0; i < 3; i++)
            put(t, "%s{box: {size: [%.3g, %.3g, 1], cells: [1, 2, 2]}}", i ? ", " : "", between(t, 0.2, 1),
                between(t, 0.2, 1));
        put(t, "], ");
    }
    put_place(w);
}

static void put_obstacle(Thrown* w)
{
    Text* t = &w->out;
    double c[3], r = w->size * between(t, 0.2, 0.9), s = r / 1.8;
    centre_of(w, w->cells[w->at], c);
    put(t, "  - {friction: %.3g, ", between(t, 0, 1));
    int kind = below(t, 7);
    if (kind < 5) w->at++;
    switch (kind) {
    case 0: put(t, "type: sphere, radius: %.4g, centre: ", r); break;
    case 1: put(t, "type: box, size: [%.4g, %.4g, %.4g], centre: ", s, s * between(t, 0.05, 1), s); break;
    case 2: put(t, "type: torus, radius: %.4g, tube: %.4g, centre: ", 0.7 * r, 0.29 * r); break;
    case 3:
    case 4:
        put(t, "type: %s, radius: %.4g, from: [%.9g, %.9g, %.9g], to: ", kind == 3 ? "capsule" : "cylinder", 0.3 * r,
            c[0] - 0.6 * r, c[1], c[2]);
        c[0] += 0.6 * r;
        break;
    default: put_mesh_obstacle(w);
    }
    if (kind < 5) put_vector(t, c);
    if (chance(t, 0.5)) {
        put(t, ", motion: ");
        put_motion(w);
    }
    put(t, "}\n");
}

// Planes on all sides of the grid.
static void put_room(Thrown* w)
{
    for (int i = 0; i < 6; i++) {
        double point[3], normal[3] = {0, 0, 0};
        for (int a = 0; a < 3; a++) point[a] = w->from[a];
        normal[i / 2] = i % 2 ? -1 : 1;
        point[i / 2] -= normal[i / 2] * SIDE * w->size;
        put(&w->out, "  - {type: plane, friction: %.3g, point: ", between(&w->out, 0, 1));
        put_vector(&w->out, point);
        put(&w->out, ", normal: ");
        put_vector(&w->out, normal);
        put(&w->out, "}\n");
    }
}

// The ground below all cells: a plane, or heights.
static void put_ground(Thrown* w)
{
    Text* t = &w->out;
    double side = 2 * SIDE * w->size, low = w->from[1] - SIDE * w->size;
    if (chance(t, 0.5)) {
        put(t, "  - {type: plane, point: [0, %.9g, 0], friction: %.3g}\n", low, between(t, 0, 1));
        return;
    }
    put(t, "  - {type: terrain, corner: [%.9g, %.9g, %.9g], size: [%.9g, %.9g, %.9g], heights: [",
        w->from[0] - 0.5 * side, low, w->from[2] - 0.5 * side, side, 0.3 * w->size, side);
    for (int i = 0; i < 4; i++)
        put(t, "%s[%.3g, %.3g, %.3g]", i ? ", " : "", between(t, -3, 0), between(t, -3, 0), between(t, -3, 0));
    put(t, "]}\n");
}

static void put_solver(Text* t)
{
    static const char* const solvers[] = {"auto", "newton", "lbfgs", "dot", "chebyshev", "pd", "admm"};
    static const char* const initials[] = {"laplacian",          "trace-laplacian", "kept-hessian", "hessian",
                                           "identity",           "ichol",           "pcg",          "dot",
                                           "warped-rest-hessian"};
    static const char* const searches[] = {"armijo", "wolfe", "dot", "none"};
    static const int limits[] = {1, 2, 3, 5, 20, 60};
    int solver = below(t, 7);
    put(t, "solver: {type: %s, iterations: %d", solvers[solver], limits[below(t, 6)]);
    if (chance(t, 0.3)) put(t, ", tolerance: %.3g", chance(t, 0.3) ? 0 : log_between(t, 1e-9, 1));
    if ((solver == 2 || solver == 4) && chance(t, 0.5)) put(t, ", initial: %s", initials[below(t, 9)]);
    if (chance(t, 0.2)) put(t, ", line-search: %s", searches[below(t, 4)]);
    put(t, "}\n");
}

static void put_contact(Thrown* w)
{
    Text* t = &w->out;
    put(t, "contact: {self: true, friction: %.3g", chance(t, 0.5) ? 0 : between(t, 0, 1));
    if (chance(t, 0.5)) put(t, ", thickness: %.4g", chance(t, 0.2) ? 0 : w->size * log_between(t, 1e-4, 0.1));
    if (chance(t, 0.5)) put(t, ", parts: %d", 1 << below(t, 4));
    if (chance(t, 0.1)) put(t, ", restitution: 1");
    if (chance(t, 0.2)) put(t, ", pairs: [{between: [b0, all], friction: %.3g}]", between(t, 0, 1));
    put(t, "}\n");
}

void thrown_scene(SnRandom* random, char text[RANDOM_SCENE_SIZE])
{
    static const char* const integrators[] = {"backward-euler", "bdf2",   "trapezoidal",
                                              "tr-bdf2",        "static", "implicit-midpoint"};
    Thrown w = {.out = {random, text, 0, RANDOM_SCENE_SIZE}};
    Text* t = &w.out;
    w.size = chance(t, 0.7) ? 0.5 : log_between(t, 1e-3, 100);
    for (int a = 0; a < 3 && chance(t, 0.2); a++) w.from[a] = w.size * between(t, -1000, 1000);
    w.step = sqrt(w.size) * log_between(t, 1e-3, 0.1);
    w.bodies = 1 + below(t, chance(t, 0.2) ? 1 : MOST_BODIES), w.obstacles = below(t, MOST_OBSTACLES + 1);
    shuffle(&w);
    put(t, "time: {step: %.6g, frames: 8}\n", w.step);
    if (chance(t, 0.5)) put(t, "gravity: [0, 0, 0]\n");
    put(t, "integrator: %s\n", integrators[chance(t, 0.4) ? 0 : below(t, 6)]);
    put_solver(t);
    put_contact(&w);
    put(t, "bodies:\n");
    for (int i = 0; i < w.bodies; i++) put_body(&w, i);
    bool ground = chance(t, 0.5), room = chance(t, 0.5);
    if (ground || room || w.obstacles) put(t, "obstacles:\n");
    if (room) put_room(&w);
    if (ground) put_ground(&w);
    for (int i = 0; i < w.obstacles; i++) put_obstacle(&w);
    if (chance(t, 0.5)) return;
    put(t, "handles:\n");
    for (int i = 0, n = 1 + below(t, w.bodies); i < n; i++) put_handle(&w, i);
}
