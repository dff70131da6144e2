// Figures after Li, Gao, Langlois, Jiang, Kaufman 2019, "Decomposed optimization time integrator for large-step
// elastodynamics". All solvers stop by its rule, the characteristic norm.
#include "experiment/figures.h"
#include "experiment/paper_values.h"

#define SMALL "bodies.0.mesh={creature: {cells: 20}}", "scripts.0.width=0.06"
#define LARGE "bodies.0.mesh={creature: {cells: 44}}"
#define RULE "solver={tolerance: 1e-5, iterations: 1000, stop: characteristic, first-guess: target}" // as published
#define ITERATIONS                                                                          \
    .label = "iterations per step", .value = sn_value_iterations, .number = sn_number_mean, \
    .says = "iterations per step"
#define MS \
    .label = "milliseconds per step", .value = sn_value_ms, .number = sn_number_mean, .says = "milliseconds per step"
#define METHODS                                                                                                     \
    {"DOT", .solver = "dot:line-search=dot:subdomains=6"}, {"projected Newton", .solver = "newton:projected=true"}, \
        {"LBFGS-H", .solver = "lbfgs/hessian:line-search=dot"},                                                     \
    {                                                                                                               \
        "LBFGS-PD", .solver = "lbfgs/laplacian:line-search=dot"                                                     \
    }

// Another script of the paper, on the same creature.
#define SCRIPT(NAME, SCENE)                                                \
    {                                                                      \
        NAME, .solver = "dot:line-search=dot:subdomains=6", .scene = SCENE \
    }

const SnFigure sn_figures_dot[] = {
    {
        .name = "dot-5",
        .source = "Li et al. 2019, Fig. 5: stress tests",
        .shows = "scripts of large deformation at steps of 25 ms, by DOT",
        .expected = "every script is simulated to the tolerance with steps of the length of a frame",
        .setting = "a creature of our own; the slingshot has a rod, and its own length of time",
        .study = {.scene = "dot-bar-stretch",
                  .set = {SMALL, RULE, "time.frames=60"},
                  .full = {LARGE},
                  .variants = {SCRIPT("stretch", NULL), SCRIPT("squash", "dot-bar-squash"),
                               SCRIPT("twist", "dot-bar-twist"), SCRIPT("stretch and squash", "dot-bar-ss"),
                               SCRIPT("twist, stretch and squash", "dot-bar-tss"),
                               SCRIPT("the same, larger", "dot-bar-ltss")},
                  .quantities = {{.label = "1 where a step did not converge",
                                  .value = sn_value_unconverged,
                                  .number = sn_number_sum,
                                  .says = "steps that did not converge",
                                  .hidden = true,
                                  .claims = {{"stretch", "<", 0.5, NULL},
                                             {"squash", "<", 0.5, NULL},
                                             {"twist", "<", 0.5, NULL},
                                             {"stretch and squash", "<", 0.5, NULL},
                                             {"twist, stretch and squash", "<", 0.5, NULL},
                                             {"the same, larger", "<", 0.5, NULL}}},
                                 {ITERATIONS},
                                 {MS}},
                  .frames = {20, 40, -1}},
    },
    {
        .name = "dot-6",
        .source = "Li et al. 2019, Fig. 6",
        .shows = "iterations of DOT against the number of subdomains",
        .expected = "iterations grow slowly with the number of subdomains; one subdomain is LBFGS-H",
        .setting =
            "a creature of 1298 nodes, in the place of the horse, is stretched, squashed and twisted by nose and tail",
        .study = {.scene = "dot-bar-ltss",
                  .set = {SMALL, RULE, "time.frames=30"},
                  .full = {LARGE, "time.frames=60"},
                  .variants = {{"average", .solver = "dot:line-search=dot"},
                               {"symmetric blend", .solver = "dot:line-search=dot:blend=symmetric"}},
                  .sweep = {"solver.subdomains=%s"},
                  .values = {"1", "2", "4", "8", "16", "32"},
                  .axis = "subdomains",
                  .quantities = {{ITERATIONS, .claims = {{"average @ 8", "<", 5, "average @ 1"},
                                                         {"average @ 32", "<", 8, "average @ 1"},
                                                         {"average @ 32", ">", 1, "average @ 1"}}},
                                 {MS}}},
    },
    {
        .name = "dot-7",
        .source = "Li et al. 2019, Fig. 7",
        .shows = "convergence of DOT and others within a step, in the characteristic norm",
        .expected = "DOT needs more iterations than Newton and fewer than LBFGS-PD; ADMM-PD stagnates",
        .setting = "ADMM with constant weights, as published, goes to and fro",
        .study = {.scene = "dot-bar-ltss",
                  .set = {SMALL,
                          "solver={tolerance: 1e-9, iterations: 1000, stop: characteristic, first-guess: target}"},
                  .full = {LARGE},
                  .race_after = 25,
                  .race_view = SN_RACE_NORM,
                  .race_steps = 2,
                  .variants = {METHODS,
                               {"DOT, first step not capped", .solver = "dot:line-search=dot-uncapped:subdomains=6"},
                               {"ADMM-PD", .solver = "admm:iterations=300:adapt=false"}},
                  .quantities = {{.label = "iterations to a characteristic norm of 1e-6",
                                  .race_number = sn_race_iterations_to_norm,
                                  .level = 1e-6,
                                  .claims = {{"projected Newton", "<", 1, "DOT"}, {"DOT", "<", 1, "LBFGS-PD"}}},
                                 {.label = "milliseconds to a relative error of 1e-6",
                                  .race_number = sn_race_ms_to,
                                  .level = 1e-6}}},
    },
    {
        .name = "dot-8",
        .source = "Li et al. 2019, Fig. 8: residual and subdomains",
        .shows = "where the residual is after six iterations, and the subdomains",
        .expected = "what DOT leaves is along the seams of the subdomains; the interior of each is solved",
        .setting = "the residual of each node, four decades from dark to light; LBFGS-H, which has no seams, as it is "
                   "at the same nodes",
        .study = {.scene = "dot-bar-ltss",
                  .set = {SMALL, "time.frames=16"},
                  .full = {LARGE},
                  .variants = {{"DOT", .solver = "dot:line-search=dot:subdomains=6:iterations=6:tolerance=0"},
                               {"LBFGS-H", .solver = "lbfgs/hessian:line-search=dot:iterations=6:tolerance=0"}},
                  .subdomains = 6,
                  .quantities = {{.label = "mean residual on seams over that elsewhere",
                                  .value = sn_value_seam,
                                  .number = sn_number_mean,
                                  .claims = {{"DOT", ">", 1.5, NULL}, {"DOT", ">", 1.3, "LBFGS-H"}}}},
                  .colour = "residual",
                  .frames = {4, 8, -1}},
    },
    {
        .name = "dot-8-subdomains",
        .source = "Li et al. 2019, Fig. 8: residual and subdomains",
        .shows = "the subdomains that METIS makes of a creature: 2, 6 and 16",
        .expected = "subdomains are connected, of about the same size, and share few nodes",
        .study = {.scene = "dot-bar-ltss",
                  .set = {SMALL, RULE, "time.frames=16"},
                  .full = {LARGE},
                  .variants = {{"2", .solver = "dot:line-search=dot:subdomains=2"},
                               {"6", .solver = "dot:line-search=dot:subdomains=6"},
                               {"16", .solver = "dot:line-search=dot:subdomains=16"}},
                  .quantities = {{ITERATIONS, .claims = {{"2", "<", 1, "6"}, {"6", "<", 1, "16"}}}},
                  .colour = "subdomain",
                  .frames = {-1}},
    },
// Iterations per step of the authors' code.
#define CODE(BODY, DOT, NEWTON, H, PD)     \
    .whose = "the authors' code on " BODY, \
    .theirs = {{"DOT", DOT}, {"projected Newton", NEWTON}, {"LBFGS-H", H}, {"LBFGS-PD", PD}}
#define TABLE(NAME, SOURCE, WHAT, SCENE, SETTING, DIFFERS, CODE, FULL, ...)                                            \
    {                                                                                                                  \
        .name = NAME, .source = "Li et al. 2019" SOURCE, .shows = "iterations and time per step: " WHAT,               \
        .expected =                                                                                                    \
            "Newton needs the fewest iterations, then LBFGS-H, DOT and LBFGS-PD; DOT is the fastest or close to it",   \
        .setting = SETTING, .differs = DIFFERS,                                                                        \
        .study = {.scene = SCENE,                                                                                      \
                  .set = {__VA_ARGS__, RULE},                                                                          \
                  .full = {FULL},                                                                                      \
                  .variants = {METHODS},                                                                               \
                  .quantities = {{ITERATIONS,                                                                          \
                                  .claims = {{"projected Newton", "<", 1, "DOT"}, {"DOT", "<", 1, "LBFGS-PD"}}, CODE}, \
                                 {MS, .claims = {{"DOT", "<", 1.3, "projected Newton"}}}}},                            \
    }
#define C(...) __VA_ARGS__
#define CREATURE "a creature of 1298 nodes in the place of the paper's bodies; these by --mesh"
    TABLE("dot-twist", "", "twist", "dot-bar-twist", CREATURE,
          "where little happens in a step LBFGS-PD needs no more iterations than DOT, in the authors' code as well",
          C(CODE("a bar of 17315 nodes", 15, 2.5, 3, 9)), C(LARGE, "time.frames=60"), SMALL, "time.frames=30"),
    TABLE("dot-ss", "", "stretch and squash", "dot-bar-ss", CREATURE, NULL, .whose = NULL, C(LARGE, "time.frames=60"),
          SMALL, "time.frames=30"),
    {
        .name = "dot-table-1",
        .source = "Li et al. 2019, Table 1",
        .shows = "iterations and time against the number of nodes: a body is stretched",
        .expected =
            "DOT converges at every resolution, its iterations grow slowly, and the more nodes there are the more "
            "of Newton's time it saves",
        .setting = "a creature of 964 to 4883 nodes in the place of the horse of 7 to 136 thousand",
        .study = {.scene = "dot-bar-stretch",
                  .set = {"scripts.0.width=0.08", RULE, "time.frames=30"},
                  .full = {"time.frames=60"},
                  .variants = {METHODS},
                  .sweep = {"bodies.0.mesh={creature: {cells: %s}}"},
                  .values = {"18", "24", "32"},
                  .axis = "cells along the creature",
                  .linear_axis = true,
                  .quantities = {{ITERATIONS,
                                  .claims = {{"DOT @ 32", "<", 2, "DOT @ 18"}, {"LBFGS-H @ 32", "<", 1, "DOT @ 32"}},
                                  CODE("a horse of 7476 nodes", 20, 2.1, 9, 15)},
                                 {MS, .claims = {{"DOT @ 32", "<", 0.8, "projected Newton @ 32"}}}}},
    },
#define SWEEP(NAME, SOURCE, WHAT, KEY, CLAIM, ...)                                                        \
    {                                                                                                     \
        .name = NAME, .source = "Li et al. 2019" SOURCE, .shows = "iterations and time against " WHAT,    \
        .expected = "DOT converges for every value, and its iterations grow slowly; LBFGS-PD needs more", \
        .setting = CREATURE,                                                                              \
        .study = {.scene = "dot-bar-tss",                                                                 \
                  .set = {SMALL, RULE, "time.frames=30"},                                                 \
                  .full = {LARGE, "time.frames=60"},                                                      \
                  .variants = {METHODS},                                                                  \
                  .sweep = {KEY},                                                                         \
                  .axis = WHAT,                                                                           \
                  .quantities = {{ITERATIONS, .claims = {CLAIM}}, {MS}},                                  \
                  __VA_ARGS__},                                                                           \
    }
    SWEEP("dot-table-2-step", ", Table 2", "the step length, s", "time.step=%s",
          C({"DOT @ 0.04", "<", 6, "DOT @ 0.01"}, {"DOT @ 0.01", "<", 1, "LBFGS-PD @ 0.01"},
            {"DOT @ 0.025", "<", 1, "LBFGS-PD @ 0.025"}, {"DOT @ 0.04", "<", 1, "LBFGS-PD @ 0.04"}),
          .values = {"0.01", "0.025", "0.04"}, .linear_axis = true),
    SWEEP("dot-table-2-young", ", Table 2", "Young's modulus, Pa", "bodies.0.material.young=%s",
          C({"DOT @ 4e5", "<", 3, "DOT @ 2.5e4"}, {"DOT @ 1e7", "<", 8, "DOT @ 2.5e4"},
            {"DOT @ 2.5e4", "<", 1, "LBFGS-PD @ 2.5e4"}, {"DOT @ 1e5", "<", 1, "LBFGS-PD @ 1e5"},
            {"DOT @ 4e5", "<", 1, "LBFGS-PD @ 4e5"}, {"DOT @ 1e7", "<", 1, "LBFGS-PD @ 1e7"}),
          .values = {"2.5e4", "1e5", "4e5", "1e7"}),
    SWEEP("dot-table-2-poisson", ", Table 2", "Poisson's ratio", "bodies.0.material.poisson=%s",
          C({"DOT @ 0.45", "<", 3, "DOT @ 0.3"}, {"DOT @ 0.49", "<", 8, "DOT @ 0.3"},
            {"DOT @ 0.3", "<", 1, "LBFGS-PD @ 0.3"}, {"DOT @ 0.4", "<", 1, "LBFGS-PD @ 0.4"},
            {"DOT @ 0.45", "<", 1, "LBFGS-PD @ 0.45"}, {"DOT @ 0.49", "<", 1, "LBFGS-PD @ 0.49"}),
          .values = {"0.3", "0.4", "0.45", "0.49"}, .linear_axis = true),
    SWEEP("dot-materials", "", "the material", "bodies.0.material.type=%s",
          C({"DOT @ neo-hookean", "<", 5, "DOT @ fixed-corotated"},
            {"DOT @ fixed-corotated", "<", 1, "LBFGS-PD @ fixed-corotated"},
            {"DOT @ stable-neo-hookean", "<", 1, "LBFGS-PD @ stable-neo-hookean"},
            {"DOT @ neo-hookean", "<", 1, "LBFGS-PD @ neo-hookean"}),
          .values = {"fixed-corotated", "stable-neo-hookean", "neo-hookean"}, .linear_axis = true),
    TABLE("dot-table-3-tss", ", Table 3", "twist, stretch and squash", "dot-bar-tss", CREATURE, NULL,
          C(CODE("a monkey of 18388 nodes", 24, 3.4, 12, 37)), C(LARGE, "time.frames=60"), SMALL, "time.frames=30"),
    TABLE("dot-table-3-ltss", ", Table 3", "large twist, stretch and squash", "dot-bar-ltss",
          CREATURE ". With --mesh and the authors' bunny of 4670 nodes ours take 12.3, 6.0, 6.5 and 27", NULL,
          C(CODE("a bunny of 4670 nodes", 15, 6.8, 8, 29)), C(LARGE, "time.frames=60"), SMALL, "time.frames=30"),
    TABLE(
        "dot-table-3-slingshot", ", Table 3 and Fig. 1", "a body is pulled by its waist like a sling",
        "dot-rod-slingshot", "a rod of 1519 nodes in the place of the armadillo, with its 80 kPa",
        "while the rod is pulled, 80 of the 100 steps, DOT takes 4 iterations; let go it moves far in a step, which "
        "the "
        "Hessian of its start fits badly: DOT takes 55, LBFGS-H 26, and Newton, whose Hessian is that of each iterate, "
        "few. A factor of 1519 nodes is cheap (dot-table-1 has what more nodes change)",
        .whose = NULL, "bodies.0.mesh={box: {size: [1, 5, 1], cells: [16, 80, 16]}}",
        "bodies.0.mesh={box: {size: [1, 5, 1], cells: [6, 30, 6]}}", "bodies.0.material.young=8e4", "time.frames=100"),
    {
        .name = "dot-table-4",
        .source = "Li et al. 2019, Table 4",
        .shows = "as many subdomains as the paper's two machines have cores: 6 and 16",
        .expected = "more subdomains take more iterations, which are cheaper where there is a core for each",
        .setting = CREATURE "; one core, so that no time is won by more of them",
        .study = {.scene = "dot-bar-tss",
                  .set = {SMALL, RULE, "time.frames=30"},
                  .full = {LARGE, "time.frames=60"},
                  .variants = {{"DOT, 6", .solver = "dot:line-search=dot:subdomains=6"},
                               {"DOT, 16", .solver = "dot:line-search=dot:subdomains=16"},
                               {"projected Newton", .solver = "newton:projected=true"},
                               {"LBFGS-PD", .solver = "lbfgs/laplacian:line-search=dot"}},
                  .quantities = {{ITERATIONS, .claims = {{"DOT, 6", "<", 1, "DOT, 16"}, {"DOT, 16", "<", 3, "DOT, 6"}}},
                                 {MS}}},
    },
    {
        .name = "dot-table-5",
        .source = "Li et al. 2019, Table 5",
        .shows = "what copies of the nodes between subdomains are good for",
        .expected = "subdomains without copies of what is beside them (LBFGS-JH) need more iterations than DOT",
        .setting = CREATURE "; subdomains of about 200 nodes in the place of 1024",
        .study = {.scene = "dot-bar-tss",
                  .set = {SMALL, RULE, "time.frames=30"},
                  .full = {LARGE, "time.frames=60"},
                  .variants = {{"DOT", .solver = "dot:line-search=dot:subdomains={nodes: 200}"},
                               {"LBFGS-JH", .solver = "dot:line-search=dot:subdomains={nodes: 200}:overlap=false"},
                               {"LBFGS-HI", .solver = "lbfgs/ichol:line-search=dot"},
                               {"LBFGS-H", .solver = "lbfgs/hessian:line-search=dot"}},
                  .quantities = {{ITERATIONS, .claims = {{"LBFGS-JH", ">", 1, "DOT"}, {"LBFGS-H", "<", 1, "DOT"}}},
                                 {MS}}},
    },
    {0},
};
