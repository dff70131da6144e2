// The C API as a host program might use it: calls in any order, with any numbers.
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include <sinew/sinew.h>

void fuzz_api(const uint8_t* bytes, size_t size);

static const char* pick(FuzzInput* in, const char* const* names, unsigned count)
{
    unsigned i = fuzz_below(in, count + 2);
    return i < count ? names[i] : i == count ? "nonsense" : NULL;
}
#define PICK(in, ...) \
    pick(in, (const char* const[]){__VA_ARGS__}, sizeof((const char* const[]){__VA_ARGS__}) / sizeof(char*))

static SnMesh* make_mesh(FuzzInput* in)
{
    SnMesh* mesh = NULL;
    double size[3] = {fuzz_number(in), fuzz_number(in), fuzz_number(in)};
    int cells[3] = {(int)fuzz_below(in, 3), (int)fuzz_below(in, 3), (int)fuzz_below(in, 3)};
    switch (fuzz_byte(in) % 5) {
    case 0: sn_mesh_make_box(size, cells, &mesh); break;
    case 1: sn_mesh_make_sphere(size[0], cells[0] % 2, &mesh); break;
    case 2: sn_mesh_make_cloth(size, cells, &mesh); break;
    case 3: sn_mesh_make_rope(size[0], cells[0], &mesh); break;
    default: sn_mesh_make_torus(size[0], size[1], 8, cells[0] % 2, &mesh); break;
    }
    return mesh;
}

static void set_motion(FuzzInput* in, SnMotion* m)
{
    unsigned what = fuzz_byte(in);
    if (what & 1) m->velocity[what % 3] = fuzz_number(in);
    if (what & 2) m->rotate_axis[what % 3] = fuzz_number(in), m->rotate_rate = fuzz_number(in);
    if (what & 4) m->until = fuzz_number(in);
    if (what & 8) m->release = fuzz_number(in);
    if (what & 16) m->oscillate_amplitude[0] = fuzz_number(in), m->oscillate_frequency = fuzz_number(in);
}

static void add_body(FuzzInput* in, SnWorld* world)
{
    SnMesh* mesh = make_mesh(in);
    SnBodyDef body = sn_default_body_def();
    SnDampingDef damping = sn_default_damping_def(PICK(in, "rayleigh", "drag", "strain-rate", "power-law"));
    body.mesh = mesh;
    unsigned what = fuzz_byte(in);
    if (what & 1) body.material.type = PICK(in, "stvk", "arap", "spring", "corotated", "fung");
    if (what & 2) body.material.young = fuzz_number(in);
    if (what & 4) body.material.poisson = fuzz_number(in);
    if (what & 8) body.material.density = fuzz_number(in);
    if (what & 16) body.limits.lo = fuzz_number(in), body.limits.hi = fuzz_number(in);
    if (what & 32) body.damping = &damping, body.damping_count = 1, damping.beta = fuzz_number(in);
    if (what & 64) body.material.thickness = fuzz_number(in);
    sn_world_add_body(world, &body, NULL);
    sn_mesh_destroy(mesh);
}

static void add_handle(FuzzInput* in, SnWorld* world)
{
    SnHandleDef handle = sn_default_handle_def();
    int nodes[4];
    for (int i = 0; i < 4; i++) nodes[i] = (int)fuzz_below(in, 40) - 2;
    handle.body = (int)fuzz_below(in, 4) - 1;
    handle.nodes = nodes, handle.node_count = (int)fuzz_below(in, 6) - 1;
    if (handle.node_count > 4) handle.nodes = NULL;
    handle.how = (SnHold)(fuzz_byte(in) % 3);
    if (handle.how) handle.stiffness = fuzz_number(in);
    set_motion(in, &handle.motion);
    sn_world_add_handle(world, &handle, NULL);
}

static void add_obstacle(FuzzInput* in, SnWorld* world)
{
    SnObstacleDef o = sn_default_obstacle_def();
    o.shape = sn_obstacle(PICK(in, "plane", "sphere", "box", "capsule", "cylinder", "torus", "mesh", "terrain"));
    unsigned what = fuzz_byte(in);
    if (what & 1) o.shape.radius = fuzz_number(in);
    if (what & 2) o.shape.point[1] = fuzz_number(in);
    if (what & 4) o.shape.normal[what % 3] = fuzz_number(in);
    if (what & 8) o.friction = fuzz_number(in);
    if (what & 16) o.thickness = fuzz_number(in);
    set_motion(in, &o.motion);
    sn_world_add_obstacle(world, &o, NULL);
}

static void add_slide(FuzzInput* in, SnWorld* world)
{
    SnSlideDef slide = sn_default_slide_def();
    slide.body = (int)fuzz_below(in, 4) - 1;
    slide.on_body = (int)fuzz_below(in, 4) - 1, slide.on_obstacle = (int)fuzz_below(in, 4) - 1;
    if (fuzz_byte(in) % 2) slide.distance = fuzz_number(in);
    sn_world_add_slide(world, &slide, NULL);
}

enum { NODES = 40, STEPS = 3, ONE_IN = 8 };

static void step(SnWorld* world)
{
    SnStepReport report;
    if (sn_world_node_count(world) > NODES || sn_world_step(world, &report) != SN_OK) return;
    const double *x = sn_world_positions(world), *v = sn_world_velocities(world);
    for (int i = 0; i < 3 * sn_world_node_count(world); i++) FUZZ_CHECK(isfinite(x[i]) && isfinite(v[i]));
    FUZZ_CHECK(!isnan(report.gradient) && !isnan(report.energy.numerical) && !isnan(report.energy.pins));
}

static void call(FuzzInput* in, SnWorld* world, int* steps)
{
    SnStepReport report;
    switch (fuzz_byte(in) % 8) {
    case 0:
    case 1: add_body(in, world); break;
    case 2: add_handle(in, world); break;
    case 3: add_obstacle(in, world); break;
    case 4: add_slide(in, world); break;
    case 5: sn_world_set_time_step(world, fuzz_number(in)); break;
    case 6: sn_world_measure(world, &report); break;
    default:
        if (++*steps <= STEPS) step(world);
    }
}

void fuzz_api(const uint8_t* bytes, size_t size)
{
    SnBudget budget;
    FuzzInput in = {bytes, size};
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    fuzz_begin(&budget);
    def.threads = 1, def.solver.iterations = 2, def.contact.parts = 1;
    unsigned what = fuzz_byte(&in);
    if (what & 1) def.time_step = fuzz_number(&in);
    if (what & 2) def.gravity[1] = fuzz_number(&in);
    if (what & 4) def.integrator = PICK(&in, "static", "bdf2", "tr-bdf2", "trapezoidal");
    if (what & 8) def.solver.type = PICK(&in, "newton", "lbfgs", "pd", "admm", "dot", "chebyshev");
    if (what & 16) def.contact.self = def.contact.bodies = true;
    if (what & 32) def.contact.thickness = fuzz_number(&in);
    if (sn_world_create(&def, &world) == SN_OK) {
        int steps = size % ONE_IN ? STEPS : 0; // most only define; to step is the torture's part
        for (int i = 0; i < 16 && in.left; i++) call(&in, world, &steps);
        if (steps < STEPS) step(world);
    }
    sn_world_destroy(world);
    fuzz_end(&budget);
}
