// What `sinew bench accuracy` runs: scenes of the gallery and of the papers, on meshes that leave time for all solvers,
// and cantilevers, sheets and ropes from soft to stiff. Steps of the cantilevers are a sixtieth of a period of bending.
#include "accuracy_scenes.h"

#define CANTILEVER(step, x, y, cells, section, young, poisson)                                                    \
    "time: {step: " step ", frames: 60}\nbodies:\n"                                                               \
    "  - {name: bar, mesh: {box: {size: [" x ", " y ", " y "], cells: [" cells ", " section ", " section "]}},\n" \
    "     material: {type: stable-neo-hookean, young: " young ", poisson: " poisson ", density: 1000}}\n"         \
    "handles: [{body: bar, where: {x: [min, min]}}]\n"

#define SHEET(young, bending)                                                                                      \
    "time: {step: 1/60, frames: 60}\nbodies:\n"                                                                    \
    "  - {name: sheet, mesh: {cloth: {size: [1, 1], cells: [20, 20]}},\n"                                          \
    "     material: {type: stvk, young: " young ", poisson: 0.3, density: 300, thickness: 1e-3, bending: " bending \
    "}}\n"                                                                                                         \
    "handles: [{body: sheet, where: {x: [min, min]}}]\n"

#define ROPE(young)                                                                                 \
    "time: {step: 1/60, frames: 60}\nbodies:\n"                                                     \
    "  - {name: rope, mesh: {rope: {length: 2, cells: 60}}, material: {type: spring, young: " young \
    ", density: 1000, "                                                                             \
    "thickness: 0.04}}\n"                                                                           \
    "handles: [{body: rope, where: {x: [min, min]}}]\n"

// With smaller residuals, steps that are hard are taken in parts: another motion.
#define TOUCHING "1e-8"

#define DOT_CELLS "bodies.0.mesh.box.cells=[24, 6, 6]"

// What the paper holds by springs is held exactly.
#define TWISTED                                                                                                \
    "handles=[{body: bar, where: {x: [min, min]}, motion: {rotate: {axis: [1, 0, 0], rate: -90}, until: 2}}, " \
    "{body: bar, where: {x: [max, max]}, motion: {rotate: {axis: [1, 0, 0], rate: 90}, until: 2}}]"
#define SHAKEN                                                                                     \
    "handles=[{body: bar, where: {y: [min, min+0.05*(max-min)]}, motion: {oscillate: {amplitude: " \
    "[0.02*sqrt(40^2+5^2+5^2), 0, 0], frequency: 1.5}}}]"

const AccuracyScene accuracy_scenes[] = {
    {"bar", NULL, "bodies.0.mesh.box.cells=[24, 6, 6]", 20, NULL},
    {"twist", NULL, "bodies.0.mesh.box.cells=[24, 6, 6]", 20, NULL},
    {"untwist", NULL, NULL, 20, NULL},
    {"jelly", NULL, "bodies.0.mesh.torus.cells=[24, 2]", 20, NULL},
    {"muscle", NULL,
     "bodies.0.mesh.cylinder.cells=[2, 16];bodies.1.mesh.cylinder.cells=[2, 16];bodies.2.mesh.cylinder.cells=[2, 16]",
     20, NULL},
    {"recover", NULL, "bodies.0.start={stretch: [1.5, 0.7, 0.7]};bodies.1.start={twist: 90}", 20, NULL},
    {"damping", NULL, NULL, 20, NULL},
    {"swing", NULL, NULL, 30, NULL},
    {"arch", NULL, "bodies.0.mesh.box.cells=[24, 2, 6]", 10, NULL},
    {"cloth", NULL, "bodies.0.mesh.cloth.cells=[20, 20]", 15, NULL},
    {"pile", NULL, NULL, 20, TOUCHING},
    {"cylinders", NULL, "bodies.0.mesh.box.cells=[5, 5, 5]", 30, TOUCHING},
    {"torus", NULL, "bodies.0.place.move=[0, 0.8, 0]", 20, TOUCHING},
    {"press", NULL, "bodies.0.mesh.box.cells=[5, 5, 5]", 10, TOUCHING},
    {"squeeze", NULL, "bodies.0.mesh.sphere.cells=3", 15, TOUCHING},
    {"stack", NULL, "bodies.0.copies.count=[1, 4, 1]", 20, TOUCHING},
    {"lean", NULL, NULL, 20, TOUCHING},
    {"drape", NULL, "bodies.0.mesh.cloth.cells=[14, 14]", 25, TOUCHING},
    {"flag", NULL, "bodies.0.mesh.cloth.cells=[12, 8]", 20, TOUCHING},
    {"clay", NULL, "bodies.0.mesh.sphere.cells=2;bodies.1.mesh.sphere.cells=2", 20, TOUCHING},
    {"skin", NULL, NULL, 10, TOUCHING},
    {"fold", NULL, NULL, 10, TOUCHING},
    {"solid", NULL, NULL, 10, TOUCHING},
    {"dot-bar-twist", NULL, DOT_CELLS, 20, NULL},
    {"dot-bar-stretch", NULL, DOT_CELLS, 20, NULL},
    {"dot-bar-squash", NULL, DOT_CELLS, 20, NULL},
    {"dot-bar-ss", NULL, DOT_CELLS, 20, NULL},
    {"dot-bar-tss", NULL, DOT_CELLS, 20, NULL},
    {"dot-bar-ltss", NULL, DOT_CELLS, 20, NULL},
    {"dot-rod-slingshot", NULL, "bodies.0.mesh.box.cells=[6, 30, 6]", 20, NULL},
    {"qn-bar-twist", NULL, "bodies.0.mesh.box.cells=[40, 5, 5];" TWISTED, 20, NULL},
    {"qn-bar-shake", NULL, SHAKEN, 20, NULL},
    {"qn-net", NULL, NULL, 20, NULL},
    {"qn-fiber", NULL, NULL, 1, NULL},
    {"qn-ring", NULL, "bodies.0.mesh.sphere.cells=2", 30, TOUCHING},
    {"cantilever-1mm", CANTILEVER("2.72e-5", "1e-3", "1.25e-4", "24", "3", "1e6", "0.3"), NULL, 30, NULL},
    {"cantilever-soft", CANTILEVER("8.6e-3", "0.1", "0.0125", "24", "3", "1e5", "0.49"), NULL, 30, NULL},
    {"cantilever-steel", CANTILEVER("6.1e-5", "1", "0.125", "24", "3", "2e11", "0.3"), NULL, 30, NULL},
    {"cantilever-slender", CANTILEVER("6.5e-2", "1", "0.05", "60", "3", "1e6", "0.3"), NULL, 30, NULL},
    {"cantilever-compact", CANTILEVER("2.1e-2", "1", "0.5", "16", "8", "1e5", "0.3"), NULL, 30, NULL},
    {"cantilever-large", CANTILEVER("0.163", "20", "2.5", "48", "6", "1e7", "0.3"), NULL, 30, NULL},
    {"cantilever-jelly", CANTILEVER("1.03e-2", "0.1", "0.1", "8", "8", "1e3", "0.3"), NULL, 30, NULL},
    {"sheet-soft", SHEET("1e5", "1e-5"), NULL, 20, NULL},
    {"sheet-stiff", SHEET("1e8", "1e-4"), NULL, 20, NULL},
    {"rope-soft", ROPE("1e5"), NULL, 30, NULL},
    {"rope-stiff", ROPE("1e8"), NULL, 30, NULL},
    {0},
};
