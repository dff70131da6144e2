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

#define DOT_CELLS "bodies.0.mesh.box.cells=[24, 6, 6]"

const AccuracyScene accuracy_scenes[] = {
    {"bar", NULL, "bodies.0.mesh.box.cells=[24, 6, 6]", 20},
    {"twist", NULL, "bodies.0.mesh.box.cells=[24, 6, 6]", 20},
    {"untwist", NULL, NULL, 20},
    {"jelly", NULL, "bodies.0.mesh.torus.cells=[24, 2]", 20},
    {"muscle", NULL,
     "bodies.0.mesh.cylinder.cells=[2, 16];bodies.1.mesh.cylinder.cells=[2, 16];bodies.2.mesh.cylinder.cells=[2, 16]",
     20},
    {"damping", NULL, NULL, 20},
    {"swing", NULL, NULL, 30},
    {"arch", NULL, "bodies.0.mesh.box.cells=[24, 2, 6]", 10},
    {"pile", NULL, NULL, 20},
    {"dot-bar-twist", NULL, DOT_CELLS, 20},
    {"dot-bar-stretch", NULL, DOT_CELLS, 20},
    {"dot-bar-squash", NULL, DOT_CELLS, 20},
    {"dot-bar-ss", NULL, DOT_CELLS, 20},
    {"dot-bar-tss", NULL, DOT_CELLS, 20},
    {"dot-bar-ltss", NULL, DOT_CELLS, 20},
    {"dot-rod-slingshot", NULL, "bodies.0.mesh.box.cells=[6, 30, 6]", 20},
    {"qn-bar-twist", NULL, "bodies.0.mesh.box.cells=[40, 5, 5]", 20},
    {"qn-bar-shake", NULL, NULL, 20},
    {"cantilever-1mm", CANTILEVER("2.72e-5", "1e-3", "1.25e-4", "24", "3", "1e6", "0.3"), NULL, 30},
    {"cantilever-soft", CANTILEVER("8.6e-3", "0.1", "0.0125", "24", "3", "1e5", "0.49"), NULL, 30},
    {"cantilever-steel", CANTILEVER("6.1e-5", "1", "0.125", "24", "3", "2e11", "0.3"), NULL, 30},
    {"cantilever-slender", CANTILEVER("6.5e-2", "1", "0.05", "60", "3", "1e6", "0.3"), NULL, 30},
    {"cantilever-compact", CANTILEVER("2.1e-2", "1", "0.5", "16", "8", "1e5", "0.3"), NULL, 30},
    {"cantilever-large", CANTILEVER("0.163", "20", "2.5", "48", "6", "1e7", "0.3"), NULL, 30},
    {"cantilever-jelly", CANTILEVER("1.03e-2", "0.1", "0.1", "8", "8", "1e3", "0.3"), NULL, 30},
    {"sheet-soft", SHEET("1e5", "1e-5"), NULL, 20},
    {"sheet-stiff", SHEET("1e8", "1e-4"), NULL, 20},
    {"rope-soft", ROPE("1e5"), NULL, 30},
    {"rope-stiff", ROPE("1e8"), NULL, 30},
    {0},
};
