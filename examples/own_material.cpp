// C++: a material of one's own. psi = mu sum (s - 1)^2 + mu/2 sum (s - 1)^4.
//
//   c++ own_material.cpp $(pkg-config --cflags --libs sinew) -o own_material
#include <cstdio>
#include <cstdlib>
#include <sinew/sinew.h>
#include <vector>

// The density of one stretch and its derivatives; d = s - 1.
static double density(double d, double mu)
{
    return mu * d * d + mu / 2 * d * d * d * d;
}
static double slope(double d, double mu)
{
    return 2 * mu * d + 2 * mu * d * d * d;
}
static double curvature(double d, double mu)
{
    return 2 * mu + 6 * mu * d * d;
}

static double energy(SnStretches s, SnMaterialParameters m)
{
    return density(s.s1 - 1, m.mu) + density(s.s2 - 1, m.mu) + density(s.s3 - 1, m.mu);
}

static SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    return {slope(s.s1 - 1, m.mu), slope(s.s2 - 1, m.mu), slope(s.s3 - 1, m.mu)};
}

static SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    return {curvature(s.s1 - 1, m.mu), curvature(s.s2 - 1, m.mu), curvature(s.s3 - 1, m.mu), 0, 0, 0};
}

static void check(SnStatus status)
{
    if (status == SN_OK) return;
    std::fprintf(stderr, "%s\n", sn_last_error());
    std::exit(1);
}

int main()
{
    SnMaterialType stiffening = {};
    stiffening.name = "stiffening", stiffening.elements = SN_ON_TETRAHEDRA;
    stiffening.energy = energy, stiffening.gradient = gradient, stiffening.hessian = hessian;

    SnWorldDef def = sn_default_world_def();
    SnWorld* world = nullptr;
    check(sn_world_create(&def, &world));

    SnMesh* ball = nullptr;
    check(sn_mesh_make_sphere(0.5, 4, &ball));
    SnBodyDef body = sn_default_body_def();
    body.mesh = ball;
    body.material = sn_material("", 1e4, 0.3, 1000);
    body.material.custom = &stiffening;
    check(sn_world_add_body(world, &body, nullptr));

    SnHandleDef handle = sn_default_handle_def();
    std::vector<int> top;
    for (int i = 0; i < sn_mesh_node_count(ball); i++)
        if (sn_mesh_nodes(ball)[3 * i + 1] > 0.4) top.push_back(i);
    handle.nodes = top.data();
    handle.node_count = static_cast<int>(top.size());
    check(sn_world_add_handle(world, &handle, nullptr));

    SnStepReport report = {};
    for (int i = 0; i < 30; i++) check(sn_world_step(world, &report));
    std::printf("after %.2f s the ball stores %.2f J (%s)\n", report.time, report.energy.elastic,
                sn_outcome_name(report.outcome));
    sn_world_destroy(world);
    sn_mesh_destroy(ball);
    return 0;
}
