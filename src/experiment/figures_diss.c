// Figures after Brown, Overby, Forootaninia, Narain 2018, "Accurate dissipative forces in optimization integrators".
#include "experiment/figures.h"
#include "experiment/paper_values.h"

#define ENERGY_LEFT .label = "part of the energy that is left", .value = sn_value_energy_left

#define MS \
    .label = "milliseconds per step", .value = sn_value_ms, .number = sn_number_mean, .says = "milliseconds per step"

// What is of first order when dissipation is.
#define FIRST_ORDER                                       \
    {"BDF2, dissipation of first order", "order", 1},     \
    {                                                     \
        "TR-BDF2, dissipation of first order", "order", 1 \
    }

// Damping that depends on the stretch: hardly any near rest.
#define CURVE "curve: [[0.5, 20], [0.8, 2], [0.92, 0.1], [1, 0.1], [1.08, 0.1], [1.2, 2], [1.5, 20]]"

const SnFigure sn_figures_diss[] = {
    {
        .name = "diss-1",
        .source = "Brown et al. 2018, Fig. 1",
        .shows = "bodies come down a rough terrain with friction 0, 0.15 and 0.45",
        .expected = "the more friction, the less far they get; with none they slide to the bottom",
        .setting = "three soft blocks on a terrain of our own, whose slope is about 1 in 3",
        .study = {.scene = "diss-terrain",
                  .full = {"bodies.0.mesh.box.cells=[10, 5, 10]"},
                  .variants = {{"0", {"obstacles.0.friction=0"}},
                               {"0.15", {"obstacles.0.friction=0.15"}},
                               {"0.45", {"obstacles.0.friction=0.45"}}},
                  .quantities = {{.label = "way of the middle, m",
                                  .value = sn_value_travel,
                                  .claims = {{"0", ">", 1.2, "0.15"}, {"0.15", ">", 2, "0.45"}}}},
                  .frames = {20, 50, -1}},
    },
    {
        .name = "diss-2",
        .source = "Brown et al. 2018, Fig. 2",
        .shows = "a cloth swings by its upper edge with three integrators",
        .expected = "backward Euler calms the motion down by itself; BDF2 and TR-BDF2 keep it alive",
        .setting = "a cloth that is let go level, 1.5 s; a second later backward Euler has lost 2.2 of its 2.9 J and "
                   "has little left to lose, TR-BDF2 1.3",
        .study = {.scene = "diss-swing",
                  .set = {"time.frames=90"},
                  .full = {"bodies.0.mesh.cloth.cells=[60, 60]"},
                  .variants = {{"backward Euler", {"integrator=backward-euler"}},
                               {"BDF2", {"integrator=bdf2"}},
                               {"TR-BDF2", {"integrator=tr-bdf2"}}},
                  .quantities = {{.label = "kinetic energy, J",
                                  .value = sn_value_kinetic,
                                  .number = sn_number_mean,
                                  .says = "mean kinetic energy, J",
                                  .claims = {{"BDF2", ">", 1.1, "backward Euler"},
                                             {"TR-BDF2", ">", 1.2, "backward Euler"}}},
                                 {.label = "loss to the integrator, J",
                                  .value = sn_value_numerical,
                                  .claims = {{"BDF2", "<", 0.8, "backward Euler"},
                                             {"TR-BDF2", "<", 0.6, "backward Euler"}}}},
                  .frames = {15, 40, 80, -1}},
    },
    {
        .name = "diss-3",
        .source = "Brown et al. 2018, Fig. 3",
        .shows = "power laws of damping with exponents 0, 1 and 2",
        .expected = "p = 0 comes to rest in finite time, p = 1 decays exponentially, p = 2 slower and slower",
        .setting = "a bar that is clamped, stretched and let go takes the place of the pendulum",
        .study = {.scene = "diss-pull",
                  .variants = {{"p = 0", {"bodies.bar.damping=[{type: fast-power-law, exponent: 0, strength: 6000}]"}},
                               {"p = 1", {"bodies.bar.damping=[{type: fast-power-law, exponent: 1, strength: 1000}]"}},
                               {"p = 2", {"bodies.bar.damping=[{type: fast-power-law, exponent: 2, strength: 1000}]"}}},
                  .quantities = {{ENERGY_LEFT, .number = sn_number_slowing,
                                  .says = "decay of the energy at first over that towards the end", .logarithmic = true,
                                  .floor = 1e-7, .claims = {{"p = 1", "<", 1.5, NULL}, {"p = 2", ">", 1.5, NULL}}},
                                 {.label = "kinetic energy, J",
                                  .value = sn_value_kinetic,
                                  .logarithmic = true,
                                  .floor = 1e-9,
                                  .says = "kinetic energy at the end, J",
                                  .claims = {{"p = 0", "<", 1e-4, "p = 1"}}}},
                  .frames = {8, 40, -1}},
    },
    {
        .name = "diss-4",
        .source = "Brown et al. 2018, Fig. 4",
        .shows = "a box slides over a floor with friction and stops",
        .expected = "it is slowed down by friction times gravity and comes to rest after v^2/(2 mu g)",
        .setting = "3 m/s and a friction of 0.3: 1.529 m; 0.6: 0.7645 m",
        .quick = true,
        .study = {.scene = "diss-slide",
                  .variants = {{"backward Euler, 0.3", {"integrator=backward-euler"}},
                               {"TR-BDF2, 0.3", {"integrator=tr-bdf2"}},
                               {"TR-BDF2, 0.6", {"integrator=tr-bdf2", "obstacles.0.friction=0.6"}}},
                  .quantities = {{.label = "way of the middle, m",
                                  .value = sn_value_travel,
                                  .claims = {{"backward Euler, 0.3", ">", 0.95 * 1.529, NULL},
                                             {"backward Euler, 0.3", "<", 1.05 * 1.529, NULL},
                                             {"TR-BDF2, 0.3", ">", 0.97 * 1.529, NULL},
                                             {"TR-BDF2, 0.3", "<", 1.03 * 1.529, NULL},
                                             {"TR-BDF2, 0.6", ">", 0.95 * 0.7645, NULL},
                                             {"TR-BDF2, 0.6", "<", 1.05 * 0.7645, NULL}}},
                                 {.label = "speed, m/s",
                                  .value = sn_value_speed,
                                  .claims = {{"backward Euler, 0.3", "<", 0.03, NULL},
                                             {"TR-BDF2, 0.3", "<", 0.03, NULL}}}},
                  .frames = {20, 40, -1}},
    },
    {
        .name = "diss-5",
        .source = "Brown et al. 2018, Fig. 5",
        .shows = "a spinning ball is set down on a floor with friction",
        .expected = "friction turns spin into speed until it rolls; without friction it spins on the spot",
        .setting = "20 rad/s, radius 0.25 m: a rigid ball ends rolling at 2/7 of 5 m/s, 1.43 m/s; a soft polyhedron "
                   "loses some "
                   "of that at its corners",
        .study = {.scene = "diss-roll",
                  .full = {"bodies.0.mesh.sphere.cells=10"},
                  .variants = {{"0", {"obstacles.0.friction=0"}},
                               {"0.2", {"obstacles.0.friction=0.2"}},
                               {"0.5", {"obstacles.0.friction=0.5"}}},
                  .quantities = {{.label = "speed, m/s",
                                  .value = sn_value_speed,
                                  .number = sn_number_most,
                                  .says = "largest speed, m/s",
                                  .claims = {{"0", "<", 0.05, NULL},
                                             {"0.2", ">", 0.6 * 1.43, NULL},
                                             {"0.2", "<", 1.15 * 1.43, NULL},
                                             {"0.5", ">", 0.6 * 1.43, NULL},
                                             {"0.5", "<", 1.15 * 1.43, NULL}}},
                                 {.label = "way of the middle, m", .value = sn_value_travel}},
                  .frames = {10, 40, -1}},
    },
    {
        .name = "diss-6",
        .source = "Brown et al. 2018, Fig. 6",
        .shows = "energy and angular momentum that integrators lose on a stretched, spinning beam",
        .expected = "at the same number of solves backward Euler loses most of both, BDF2 less, TR-BDF2 least",
        .setting = "methods with one solve make half steps",
        .quick = true,
        .study = {.scene = "diss-spin",
                  .full = {"bodies.0.mesh.box.cells=[32, 8, 8]"},
                  .variants = {{"backward Euler", {"integrator=backward-euler", "time.step=1/120", "time.frames=240"}},
                               {"BDF2", {"integrator=bdf2", "time.step=1/120", "time.frames=240"}},
                               {"TR-BDF2", {"integrator=tr-bdf2"}}},
                  .quantities = {{ENERGY_LEFT, .says = "part of the energy that is left after 2 s",
                                  .claims = {{"backward Euler", "<", 1, "BDF2"}, {"BDF2", "<", 1, "TR-BDF2"}}},
                                 {.label = "part of the angular momentum that is left",
                                  .value = sn_value_spin_left,
                                  .claims = {{"backward Euler", "<", 1, "BDF2"}, {"BDF2", "<", 1, "TR-BDF2"}}}},
                  .frames = {-1}},
    },
    {
        .name = "diss-7",
        .source = "Brown et al. 2018, Fig. 7",
        .shows = "Rayleigh damping of a spinning beam with and without conservation of momentum",
        .expected = "plain Rayleigh damping slows the rotation down; corrected it does not, and damps all the same",
        .quick = true,
        .study = {.scene = "diss-spin",
                  .full = {"bodies.0.mesh.box.cells=[32, 8, 8]"},
                  .variants = {{"no damping", {"integrator=tr-bdf2"}},
                               {"Rayleigh", {"bodies.beam.damping=[{type: rayleigh, beta: 0.05}]"}},
                               {"by velocity gradient",
                                {"bodies.beam.damping=[{type: rayleigh, beta: 0.05, conserve-momentum: true}]"}},
                               {"by projector",
                                {"bodies.beam.damping=[{type: rayleigh, beta: 0.05, conserve-momentum: projector}]"}}},
                  .quantities = {{.label = "part of the angular momentum that is left",
                                  .value = sn_value_spin_left,
                                  .claims = {{"Rayleigh", "<", 0.95, NULL},
                                             {"by velocity gradient", ">", 0.995, NULL},
                                             {"by projector", ">", 0.995, NULL}}},
                                 {.label = "part of the energy that damping took",
                                  .value = sn_value_viscous_part,
                                  .claims = {{"by velocity gradient", ">", 0.02, NULL},
                                             {"by projector", ">", 0.02, NULL}}}},
                  .frames = {20, 60, -1}},
    },
#define C(...) __VA_ARGS__
#define ORDERS(NAME, PANEL, WHAT, DAMPING, QUICK, FIRST)                                                              \
    {                                                                                                                 \
        .name = NAME, .source = "Brown et al. 2018, Fig. 8, " PANEL,                                                  \
        .shows = "order of accuracy of integrators on a block with " WHAT,                                            \
        .expected = "backward Euler is of first order; BDF2 and TR-BDF2 of second, provided that dissipation is too", \
        .setting = "RK4 with 16 times shorter steps is the reference, as in the paper", .quick = QUICK,               \
        .study = {                                                                                                    \
            .scene = "diss-sway",                                                                                     \
            .set = {DAMPING},                                                                                         \
            .variants = {{"TR-BDF2", {"integrator={type: tr-bdf2, dissipation-order: 2}"}},                           \
                         {"BDF2", {"integrator={type: bdf2, dissipation-order: 2}"}},                                 \
                         {"TR-BDF2, dissipation of first order",                                                      \
                          {"integrator={type: tr-bdf2, dissipation-order: 1}"}},                                      \
                         {"BDF2, dissipation of first order", {"integrator={type: bdf2, dissipation-order: 1}"}},     \
                         {"backward Euler", {"integrator=backward-euler"}}},                                          \
            .sweep = {"time.step=0.4/%s", "time.frames=%s"},                                                          \
            .values = {"16", "32", "64", "128"},                                                                      \
            .axis = "steps in 0.4 s",                                                                                 \
            .reference = {"time.step=0.4/2048", "time.frames=2048"},                                                  \
            .rk4 = true,                                                                                              \
            .quantities = {                                                                                           \
                {.label = "distance to the reference, m",                                                             \
                 .value = sn_value_distance,                                                                          \
                 .logarithmic = true,                                                                                 \
                 .floor = 1e-9,                                                                                       \
                 .claims = {{"backward Euler", "order", 1}, {"BDF2", "order", 2}, {"TR-BDF2", "order", 2}, FIRST}}}}, \
    }
    ORDERS("diss-8", "left", "viscosity by the rate of strain",
           "bodies.block.damping=[{type: strain-rate, shear: 4000, bulk: 4000}]", true, {0}),
    ORDERS("diss-8-rayleigh", "Rayleigh", "Rayleigh damping", "bodies.block.damping=[{type: rayleigh, beta: 0.1}]",
           false, C(FIRST_ORDER)),
    ORDERS("diss-8-stretch", "principal stretches", "damping by principal stretches",
           C("bodies.block.damping=[{type: principal-stretch, beta: 0.1}]",
             "bodies.block.start={gradient: [[1.15, 0, 0], [0, 1, 0], [0, 0, 0.87]]}"),
           false, C(FIRST_ORDER)),
    {
        .name = "diss-8-none",
        .source = "Brown et al. 2018, Fig. 8, no dissipation",
        .shows = "order of accuracy of integrators on a block without damping",
        .expected = "backward Euler is of first order, BDF2 and TR-BDF2 of second, TR-BDF2 with the smaller error",
        .setting = "RK4 with 16 times shorter steps is the reference, as in the paper",
        .study = {.scene = "diss-sway",
                  .set = {"bodies.block.damping=[]"},
                  .variants = {{"TR-BDF2", {"integrator=tr-bdf2"}},
                               {"BDF2", {"integrator=bdf2"}},
                               {"backward Euler", {"integrator=backward-euler"}}},
                  .sweep = {"time.step=0.4/%s", "time.frames=%s"},
                  .values = {"16", "32", "64", "128"},
                  .axis = "steps in 0.4 s",
                  .reference = {"time.step=0.4/2048", "time.frames=2048"},
                  .rk4 = true,
                  .quantities = {{.label = "distance to the reference, m",
                                  .value = sn_value_distance,
                                  .logarithmic = true,
                                  .floor = 1e-9,
                                  .claims = {{"backward Euler", "order", 1},
                                             {"BDF2", "order", 2},
                                             {"TR-BDF2", "order", 2},
                                             {"TR-BDF2 @ 128", "<", 1, "BDF2 @ 128"}}}}},
    },
    {
        .name = "diss-9",
        .source = "Brown et al. 2018, Fig. 9",
        .shows = "a board leans on a wall: does friction hold it?",
        .expected = "with friction mu at both ends it stays where tan(angle to the floor) >= (1 - mu^2)/(2 mu)",
        .setting = "60 degrees to the floor, tan = 1.73: it stays from mu = 0.268 on. The paper states the "
                   "bound the wrong "
                   "way round",
        .study = {.scene = "diss-lean",
                  .variants = {{"0.15", {"obstacles.0.friction=0.15", "obstacles.1.friction=0.15"}},
                               {"0.22", {"obstacles.0.friction=0.22", "obstacles.1.friction=0.22"}},
                               {"0.32", {"obstacles.0.friction=0.32", "obstacles.1.friction=0.32"}},
                               {"0.45", {"obstacles.0.friction=0.45", "obstacles.1.friction=0.45"}}},
                  .quantities = {{.label = "the middle has come down, m",
                                  .value = sn_value_sink,
                                  .claims = {{"0.15", ">", 0.1, NULL},
                                             {"0.22", ">", 0.05, NULL},
                                             {"0.32", "<", 0.01, NULL},
                                             {"0.45", "<", 0.01, NULL}}}},
                  .frames = {-1}},
    },
    {
        .name = "diss-10",
        .source = "Brown et al. 2018, Fig. 10",
        .shows = "a cloth falls on a ball, with and without friction",
        .expected = "with friction the cloth stays on the ball, without it slides off",
        .study = {.scene = "diss-drape",
                  .full = {"bodies.0.mesh.cloth.cells=[80, 80]"},
                  .variants = {{"0", {"obstacles.0.friction=0"}},
                               {"0.2", {"obstacles.0.friction=0.2"}},
                               {"0.6", {"obstacles.0.friction=0.6"}}},
                  .quantities = {{.label = "height of the middle, m",
                                  .value = sn_value_height,
                                  .claims = {{"0", "<", -0.1, NULL}, {"0.6", ">", 0.1, NULL}}}},
                  .frames = {20, 40, -1}},
    },
    {
        .name = "diss-11",
        .source = "Brown et al. 2018, Fig. 11",
        .shows = "a body of clay (p = 0) and a viscous one (p = 1) hit the floor",
        .expected = "clay stays as it was dented, the viscous body springs back",
        .setting = "a ball in the place of the bunny",
        .study =
            {.scene = "diss-clay",
             .full = {"bodies.0.mesh.sphere.cells=10"},
             .variants = {{"p = 0", {"bodies.0.damping=[{type: fast-power-law, exponent: 0, strength: 10000}]"}},
                          {"p = 1", {"bodies.0.damping=[{type: fast-power-law, exponent: 1, strength: 60}]"}}},
             .quantities = {{.label = "width, m", .value = sn_value_width, .claims = {{"p = 0", ">", 1.05, "p = 1"}}},
                            {.label = "kinetic energy, J",
                             .value = sn_value_kinetic,
                             .logarithmic = true,
                             .floor = 1e-8,
                             .claims = {{"p = 0", "<", 0.02, "p = 1"}}}},
             .frames = {10, 20, -1}},
    },
    {
        .name = "diss-11-shake",
        .source = "Brown et al. 2018, Fig. 11, shaken",
        .shows = "bodies of clay (p = 0), viscous (p = 1) and undamped are shaken by their foot",
        .expected = "clay follows until its yield stress is reached, and keeps what was done to it; the others go on "
                    "moving when the shaking is over",
        .setting = "a column in the place of the bunny, shaken for half a second",
        .study = {.scene = "diss-shake",
                  .variants = {{"p = 0", {"bodies.0.damping=[{type: fast-power-law, exponent: 0, strength: 10000}]"}},
                               {"p = 1", {"bodies.0.damping=[{type: fast-power-law, exponent: 1, strength: 60}]"}},
                               {"none"}},
                  .quantities = {{.label = "kinetic energy, J",
                                  .value = sn_value_kinetic,
                                  .logarithmic = true,
                                  .floor = 1e-8,
                                  .says = "kinetic energy at the end, J",
                                  .claims = {{"p = 0", "<", 0.02, "p = 1"}, {"p = 1", "<", 1, "none"}}},
                                 {MS}},
                  .frames = {10, 20, -1}},
    },
    {
        .name = "diss-12",
        .source = "Brown et al. 2018, Fig. 12",
        .shows = "damping by principal stretches, and the same with a factor that is a spline of the stretch",
        .expected = "a spline that is low near rest damps large stretches fast and leaves small "
                    "vibrations; a constant "
                    "does not",
        .setting = "a stretched bar in the place of the dragon",
        .study = {.scene = "diss-pull",
                  .variants = {{"constant", {"bodies.bar.damping=[{type: principal-stretch, beta: 0.01}]"}},
                               {"spline, largest factor",
                                {"bodies.bar.damping=[{type: spline, beta: 0.01, " CURVE "}]"}},
                               {"spline, per stretch",
                                {"bodies.bar.damping=[{type: spline, beta: 0.01, per-stretch: true, " CURVE "}]"}}},
                  .quantities = {{ENERGY_LEFT, .number = sn_number_slowing,
                                  .says = "decay of the energy at first over that towards the end", .logarithmic = true,
                                  .floor = 1e-6,
                                  .claims = {{"constant", "<", 1.5, NULL},
                                             {"spline, largest factor", ">", 2, NULL},
                                             {"spline, per stretch", ">", 2, NULL}}}},
                  .frames = {5, 50, -1}},
    },
    {
        .name = "diss-table-2",
        .source = "Brown et al. 2018, Table 2",
        .shows = "cost of a step by ADMM with each dissipation",
        .expected = "dissipation in the local step costs little more than the elastic step alone",
        .setting = "a bar, 20 iterations per step",
        .differs =
            "our local step of an element with damping is an exact minimisation in its nine numbers and takes six to "
            "nine elastic ones (the power law, which is no quadratic form, twelve; the fast one, whose local step is "
            "one "
            "root and a few turns, five), as these are in three numbers and some ten times faster than the paper's. "
            "One "
            "iteration in it (`local-iterations: 1`) costs less and leaves the same energies to five digits, but for "
            "the "
            "power law's, to 0.2 %",
        .study = {.scene = "diss-pull",
                  .set = {"solver={type: admm, iterations: 20, tolerance: 0, adapt: false}", "time.frames=10",
                          "integrator=backward-euler"},
                  .full = {"bodies.0.mesh.box.cells=[20, 5, 5]"},
                  .variants = {{"none", {"bodies.bar.damping=[]"}},
                               {"strain rate", {"bodies.bar.damping=[{type: strain-rate, shear: 500}]"}},
                               {"Rayleigh", {"bodies.bar.damping=[{type: rayleigh, beta: 0.01}]"}},
                               {"principal stretch", {"bodies.bar.damping=[{type: principal-stretch, beta: 0.01}]"}},
                               {"power law", {"bodies.bar.damping=[{type: power-law, exponent: 2}]"}},
                               {"fast power law", {"bodies.bar.damping=[{type: fast-power-law, exponent: 2}]"}}},
                  .quantities = {{.label = "milliseconds per step",
                                  .value = sn_value_ms,
                                  .number = sn_number_mean,
                                  .claims = {{"fast power law", "<", 5, "none"},
                                             {"principal stretch", "<", 5, "none"},
                                             {"strain rate", "<", 10, "none"}}}}},
    },
    {0},
};
