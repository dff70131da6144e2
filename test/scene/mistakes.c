// A good scene, and one row per kind of mistake: the line that is replaced, by what, and what the message must say.
#include "scenes.h"

typedef struct Mistake {
    int line;
    const char* text;
    const char* words[3];
    int column; // 0: any
    int at;     // the line of the message; 0: the replaced one
} Mistake;

#define BODY2 "    material: stvk\n"

static const Mistake mistake_rows[] = {
    // contacts
    {15, "contact: {method: uzawa}", {"'method: uzawa'", "admm", "newton"}, 19, 0},
    {5,
     "contact: {method: uzawa}\nsolver: {type: admm, constraints: gauss-seidel}",
     {"disagree", "gauss-seidel"},
     19,
     0},
    // copies
    {9, "    copies: {count: [2, 0, 1]}", {"'count' in copies of body 'bar' must be >= 1", "'0'"}, 0, 0},
    {9, "    copies: {count: [2, 1, 1], rotate: [0, 0, 0, 5]}", {"'rotate' in copies needs an axis"}, 0, 0},
    {9, "    copies: {count: [1000, 1000, 1000]}", {"more than 10000 bodies"}, 0, 1},
    {14, "  - {body: bar 1, where: all}", {"unknown body 'bar 1'"}, 0, 0},
    // keys
    {1,
     "nmae: test",
     {"unknown key 'nmae' in the scene", "did you mean 'name'?", "valid keys: name, units, up, time"},
     1,
     0},
    {12, "    materail: {young: 1}", {"unknown key 'materail' in body 'bar'", "did you mean 'material'?"}, 5, 0},
    {12, "    material: {yung: 1}", {"unknown key 'yung' in material of body 'bar'", "'young'"}, 16, 0},
    {2, "time: {step: 1/30, colour: red}", {"unknown key 'colour' in time", "valid keys: step, frames"}, 20, 0},
    {9,
     "    place: {shift: [0, 0, 0]}",
     {"unknown key 'shift' in place of body 'bar'", "valid keys: turn, fit, scale"},
     0,
     0},
    {14, "  - {body: bar, wher: all}", {"unknown key 'wher' in handle 0", "did you mean 'where'?"}, 17, 0},
    {2, "time: {step: 1, step: 2}", {"'step' is here a second time"}, 17, 0},
    // elements
    {12, "    element: cubic", {"unknown element 'cubic'", "body 'bar'", "linear-bbar"}, 0, 0},
    {12, "    material: arap\n    element: linear-bbar", {"body 'bar'", "'arap'", "stable-neo-hookean"}, 0, 13},
    // limits and slides
    {11,
     "    limits: {stretch: [1.1, 1.2]}",
     {"'stretch' in limits of body 'bar' is [1.1, 1.2]", "between 0 and 1"},
     0,
     0},
    {11, "    limits: {stretch: [0.9, 0.95]}", {"is [0.9, 0.95]", "at least 1, as in [0.95, 1.05]"}, 0, 0},
    {11, "    limits: {mode: warp-weft}", {"'mode: warp-weft' is for sheets", "tetrahedra", "'mode: isotropic'"}, 0, 0},
    {11, "    limits: {strech: [0.9, 1.1]}", {"unknown key 'strech' in limits of body 'bar'", "'stretch'"}, 0, 0},
    {11, "    limits: {stretch: [-1, 1]}", {"stretch"}, 0, 0},
    {15, "slides: [{body: bar, on: bar}]", {"body 'bar' slides on itself", "another body or an obstacle"}, 0, 0},
    {15, "slides: [{body: bar, on: floor}]", {"floor"}, 0, 0},
    {15, "slides: [{body: rod, on: bar}]", {"rod"}, 0, 0},
    {15, "slides: [{body: bar}]", {"'on'", "slide 0"}, 0, 0},
    {15, "slides: [{body: bar, on: bar, distence: 1}]", {"unknown key 'distence' in slide 0", "'distance'"}, 0, 0},
    // axes
    {14, "  - {body: bar, where: all, axes: x}", {"'axes' in handle 0"}, 0, 0},
    {14, "  - {body: bar, where: all, axes: []}", {"'axes' in handle 0 has 0 directions"}, 0, 0},
    {14, "  - {body: bar, where: all, axes: [w]}", {"'axes' in handle 0 is a list of x, y, z or vectors", "'w'"}, 0, 0},
    {14, "  - {body: bar, where: all, axes: [[1, 0]]}", {"'axes' in handle 0"}, 0, 0},
    // hinges
    {14,
     "  - {body: bar, where: all, hinge: {axis: [0, 0, 0]}}",
     {"'axis' in hinge of handle 0 must not be zero"},
     0,
     0},
    {14, "  - {body: bar, where: all, hinge: {}, axes: [x]}", {"'hinge' in handle 0 does not go with 'axes'"}, 0, 0},
    {14, "  - {body: bar, where: all, hinge: {}, how: energy}", {"does not go with 'how: energy'"}, 0, 0},
    {14, "  - {body: bar, where: all, hinge: {about: [0, 0, 1]}}", {"unknown key 'about' in hinge"}, 0, 0},
    {14,
     "  - {body: bar, where: all, axes: [x], how: energy}",
     {"'axes' in handle 0 is of no use to 'how: energy'"},
     0,
     0},
    // attachments
    {15, "attach: [{from: {body: bar}}]", {"'to'"}, 0, 0},
    {15, "attach: [{from: {where: all}, to: {body: bar}}]", {"'from' of attachment 0 names no body"}, 0, 0},
    {15, "attach: [{from: {body: bra}, to: {body: bar}}]", {"unknown body 'bra'", "'bar'"}, 0, 0},
    {15, "attach: [{from: {body: bar}, to: {body: bar}, break: 0}]", {"'break' in attachment 0 must be > 0"}, 0, 0},
    {15, "attach: [{from: {body: bar}, to: {body: bar}, brake: 1}]", {"unknown key 'brake'", "'break'"}, 0, 0},
    // probes
    {15, "measure: [{name: a}]", {"'what'"}, 0, 0},
    {15, "measure: [{name: a, body: bar, what: displacment}]", {"displacment", "'displacement'"}, 0, 0},
    {15, "measure: [{name: a, what: displacement}]", {"probe 'a'", "needs 'body'"}, 0, 0},
    {15, "measure: [{body: bar, what: distance}]", {"probe 0", "needs 'to'"}, 0, 0},
    {15,
     "measure: [{body: bar, what: volume, where: all}]",
     {"'where' in probe 0 is of no use to 'what: volume'"},
     0,
     0},
    {15, "measure: [{body: bar, what: volume, take: max}]", {"'take' in probe 0 is of no use"}, 0, 0},
    {15, "measure: [{of: handel 0, what: force}]", {"'handel 0'", "handle 0"}, 0, 0},
    {15, "measure: [{of: [bar, bra], what: force}]", {"unknown body 'bra'"}, 0, 0},
    {15, "measure: [{of: {a: 1}, what: force}]", {"'of' in probe 0 is a name, or two bodies"}, 0, 0},
    {15, "measure: [{body: bar, of: handle 0, what: position}]", {"'of' in probe 0 is of no use"}, 0, 0},
    {15,
     "measure: [{name: a, of: handle 0, what: force}, {name: a, of: handle 0, what: reaction}]",
     {"another probe 'a'"},
     0,
     0},
    {15, "measure: [{body: bar, where: {x: [9, 9]}, what: position}]", {"'where' of probe 0", "selects no node"}, 0, 0},
    // loads
    {15, "loads: [{body: bar}]", {"load 0 has no kind of load", "it must have one of force"}, 0, 0},
    {15, "loads: [{body: bra, wind: [1, 0, 0]}]", {"unknown body 'bra' in load 0", "'bar'"}, 0, 0},
    {15, "loads: [{body: bar, force: [1, 0, 0], at: [0, 0, 0], where: all}]", {"load 0 has 'at' and 'where'"}, 0, 0},
    {15, "loads: [{body: bar, wnid: [1, 0, 0]}]", {"unknown key 'wnid' in load 0", "did you mean 'wind'?"}, 0, 0},
    {15, "loads: [{body: bar, wind: 5}]", {"'wind' in load 0 must be a list of 3 numbers", "'5'"}, 0, 0},
    {15, "loads: [{body: bar, wind: [1, 0, 0], gust: 3}]", {"'gust' in load 0 must be >= 0 and <= 2", "'3'"}, 0, 0},
    {15,
     "loads: [{body: bar, wind: [1, 0, 0], ramp: [[1, 0], [0, 1]]}]",
     {"load 0: the ramp of a load must have increasing times", "0 follows 1"},
     0,
     0},
    // how handles hold
    {14, "  - {body: bar, where: all, how: spring}", {"'spring'", "handle 0", "eliminate, energy"}, 0, 0},
    {14,
     "  - {body: bar, where: all, stiffness: 1e6}",
     {"'stiffness' in handle 0", "'how: eliminate'", "add 'how: energy'"},
     0,
     0},
    {14, "  - {body: bar, where: all, to: [0, 1, 0]}", {"'to' in handle 0 is for springs", "add 'how: energy'"}, 0, 0},
    {14,
     "  - {body: bar, where: all, how: energy, stiffness: 0}",
     {"'stiffness' in handle 0 must be > 0", "found '0'"},
     0,
     0},
    {14, "  - {body: bar, where: all, how: energy, stiffness: inf}", {"'stiffness' in handle 0 must be finite"}, 0, 0},
    // numbers
    {2, "time: {step: 0}", {"'step' in time must be > 0", "found '0'"}, 14, 0},
    {2, "time: {step: fast}", {"'step' in time must be a number", "'fast' is not known"}, 14, 0},
    {2, "time: {step: 1/0}", {"division by zero"}, 14, 0},
    {2, "time: {step: inf}", {"must be finite"}, 14, 0},
    {2, "time: {step: }", {"'step' in time must be a number, found nothing"}, 0, 0},
    {2, "time: {step: max}", {"only in the ranges of 'where'"}, 14, 0},
    {2, "time: {frames: 1.5}", {"'frames' in time must be a whole number", "found '1.5'"}, 16, 0},
    {2, "time: {frames: -1}", {"'frames' in time must be >= 0"}, 16, 0},
    {2, "time: {frames: 1e10}", {"whole number"}, 16, 0},
    {3, "gravity: -9.81", {"'gravity' in the scene must be a list of 3 numbers", "found '-9.81'"}, 10, 0},
    {3, "gravity: [0, -9.81]", {"must be a list of 3 numbers", "found a list of 2"}, 10, 0},
    {3, "gravity: [0, down, 0]", {"'down' is not known"}, 14, 0},
    {3, "gravity: [0, [1], 0]", {"must be a number, found a list of 1"}, 14, 0},
    {5, "solver: {iterations: 0}", {"'iterations' in solver must be >= 1"}, 22, 0},
    {5, "solver: {tolerance: -1}", {"'tolerance' in solver must be >= 0"}, 21, 0},
    {5, "solver: {history: 101}", {"'history' in solver must be >= 0 and <= 100", "found '101'"}, 19, 0},
    {5, "solver: {history: 1.5}", {"'history' in solver must be a whole number"}, 19, 0},
    {5,
     "solver: {initial: laplacan}",
     {"unknown initial 'laplacan' in solver", "did you mean 'laplacian'?", "valid initials: laplacian"},
     19,
     0},
    {5,
     "solver: {line-search: strong}",
     {"unknown line-search 'strong' in solver; valid line-searches: armijo"},
     23,
     0},
    {5, "solver: {linear: lu}", {"unknown linear 'lu' in solver; valid linears: cholesky, pcg"}, 18, 0},
    {5, "solver: {subdomains: 0}", {"'subdomains' in solver must be >= 1, found '0'"}, 22, 0},
    {5, "solver: {subdomains: some}", {"'subdomains' in solver must be a number", "'some' is not known"}, 22, 0},
    {5, "solver: {subdomains: {node: 5}}", {"must be auto, a number or {nodes: 1000}, found a mapping"}, 22, 0},
    {5, "solver: {subdomains: {nodes: 0}}", {"'subdomains' in solver must be >= 1"}, 30, 0},
    {5,
     "solver: {type: lbfgs, initial: identity, scaled: false}",
     {"'scaled: false' in solver", "linear initial inverses", "'identity'"},
     50,
     0},
    {5, "solver: {armijo: 0.5}", {"'armijo' in solver must be > 0 and < 0.5"}, 18, 0},
    {12, "    material: {young: -5}", {"'young' in material of body 'bar' must be > 0", "found '-5'"}, 23, 0},
    {12, "    material: {poisson: 0.5}", {"'poisson'", "must be > -1 and < 0.5", "found '0.5'"}, 25, 0},
    {12, "    material: {poisson: -1}", {"'poisson'", "must be > -1 and < 0.5"}, 25, 0},
    {12, "    material: {density: -1000}", {"'density'", "must be > 0"}, 25, 0},
    {12, "    material: {weight: 0}", {"'weight'", "must be > 0"}, 24, 0},
    {12, "    material: {thickness: 0}", {"'thickness'", "must be > 0"}, 27, 0},
    {4, "integrator: {type: tr-bdf2, gamma: 1}", {"'gamma' in integrator", "> 0 and < 1"}, 36, 0},
    {4, "integrator: {type: bdf2, gamma: 0.5}", {"'gamma' in integrator is of tr-bdf2, not of bdf2"}, 26, 0},
    {4, "integrator: {type: bdf2, dissipation-order: 3}", {"'dissipation-order' in integrator", "<= 2"}, 45, 0},
    {15, "output: {every: 0}", {"'every' in output must be >= 1"}, 17, 0},
    // dampings
    {11, "    damping: [{beta: 1}]", {"'type' is missing in damping 0", "as in type: rayleigh"}, 0, 0},
    {11, "    damping: [raylei]", {"unknown type 'raylei' in damping 0", "did you mean 'rayleigh'?"}, 15, 0},
    {11, "    damping: [{type: rayleigh, beta: -1}]", {"'beta' in damping 0 must be >= 0"}, 38, 0},
    {11,
     "    damping: [drag, {type: drag, beta: 1}]",
     {"'beta' in damping 1 of body 'bar' is of rayleigh, principal-stretch, not of drag"},
     34,
     0},
    {11, "    damping: [{type: drag, conserve-momentum: true}]", {"drag acts on every motion"}, 15, 0},
    {11, "    damping: [spline]", {"damping 0 of body 'bar': spline needs a curve"}, 15, 0},
    {11, "    damping: [{type: spline, curve: [[1, 1]]}]", {"the curve has 1 point"}, 15, 0},
    {11,
     "    damping: [{type: spline, base: rayleigh, per-stretch: true, curve: [[1, 1], [2, 1]]}]",
     {"need the base principal-stretch"},
     15,
     0},
    {11, "    damping: [{type: power-law, base: drag}]", {"unknown base 'drag'", "valid bases: strain-rate"}, 39, 0},
    {11, "    damping: [{type: drag, group: skin}]", {"group 'skin' in damping 0", "no groups of tetrahedra"}, 35, 0},
    {11,
     "    damping: [{type: drag, where: {x: [0, 0]}}]",
     {"where of damping 0 of body 'bar' selects 4 nodes but no whole tetrahedron"},
     0,
     0},
    {11, "    damping: [{type: drag, where: all, group: skin}]", {"both 'group' and 'where'"}, 0, 0},
    // names
    {4,
     "integrator: backward-euller",
     {"unknown type 'backward-euller' in integrator", "did you mean 'backward-euler'?"},
     13,
     0},
    {5, "solver: {type: magic}", {"unknown type 'magic' in solver; valid types: auto, newton"}, 16, 0},
    {12, "    material: neo-hokean", {"unknown type 'neo-hokean' in material of body 'bar'", "'neo-hookean'?"}, 15, 0},
    {12,
     "    material: {inversion: explode}",
     {"unknown inversion 'explode'", "valid inversions: extend, barrier"},
     27,
     0},
    {12,
     "    material: spring",
     {"material 'spring' of body 'bar' is not for its mesh of tetrahedra", "neo-hookean"},
     15,
     0},
    {15, "scripts: [{type: twits, body: bar}]", {"unknown type 'twits' in script 0", "did you mean 'twist'?"}, 18, 0},
    {15, "scripts: [{type: twist}]", {"'body' is missing in script 0"}, 0, 0},
    {15, "scripts: [{type: twist, body: bra}]", {"unknown body 'bra' in script 0", "'bar'?"}, 31, 0},
    {15, "scripts: [{type: twist, body: bar, width: 1}]", {"'width' in script 0 must be > 0 and < 0.5"}, 43, 0},
    {15,
     "scripts: [{type: twist, body: bar}]",
     {"the left end of script 0 and handle 0 (line 14) both hold 4 nodes of body 'bar'"},
     11,
     0},
    {13,
     "scripts: [{type: slingshot, body: bar}]\nhandles:",
     {"the waist of script 0 of body 'bar' has no nodes"},
     11,
     0},
    {14,
     "  - {body: bar, where: {x: [min, min]}, motion: {turn: [1, -1]}}",
     {"'turn' in motion of handle 0 must be >= 0"},
     0,
     0},
    {14,
     "  - {body: bar, where: {x: [min, min]}, motion: {oscillate: {amplitude: [1, 0, 0]}}}",
     {"'frequency' is missing in oscillate of motion of handle 0"},
     0,
     0},
    {9, "    place: {turn: [0, 0, 0, 30]}", {"'turn' in place of body 'bar' needs an axis that is not zero"}, 0, 0},
    {14, "  - {body: bra, where: all}", {"unknown body 'bra' in handle 0", "did you mean 'bar'?"}, 12, 0},
    {14, "  - {body: 1, where: all}", {"unknown body '1' in handle 0", "bar"}, 12, 0},
    {11, "    start: rnadom", {"unknown shape 'rnadom' in start of body 'bar'", "did you mean 'random'?"}, 12, 0},
    // types
    {2, "time: 5", {"time must be a mapping", "found '5'"}, 7, 0},
    {1, "name: [a, b]", {"'name' in the scene must be a text, found a list of 2"}, 7, 0},
    {6, "bodies: none\nextra:", {"'bodies' in the scene must be a list, found 'none'"}, 9, 0},
    {6, "bodies: []\nmore:", {"'bodies' is empty"}, 9, 0},
    {6, "boddies:", {"unknown key 'boddies'", "did you mean 'bodies'?"}, 1, 0},
    {14, "  - bar", {"handle 0 must be a mapping", "found 'bar'"}, 5, 0},
    {15, "output: {write: vtu}", {"'write' in output must be a list"}, 17, 0},
    {15, "output: {write: [[vtu]]}", {"'write' in output is a list of formats"}, 18, 0},
    // bodies
    {8, "    start: {shape: rest}", {"'mesh' is missing in body 'bar'", "as in mesh: {box:"}, 0, 7},
    {8, "    mesh: bar.msh", {"mesh of body 'bar' must be one mapping", "{file: bar.msh}", "'bar.msh'"}, 11, 0},
    {8, "    mesh: {box: {}, rope: {}}", {"several keys"}, 11, 0},
    {8, "    mesh: {bx: {}}", {"unknown key 'bx' in mesh of body 'bar'", "did you mean 'box'?", "file"}, 12, 0},
    {8, "    mesh: {box: {sise: [1, 1, 1]}}", {"unknown key 'sise' in box of mesh of body 'bar'", "'size'?"}, 18, 0},
    {8, "    mesh: {box: {size: [1, 1]}}", {"'size' in box", "list of 3 numbers"}, 24, 0},
    {8, "    mesh: {box: {size: [1, 0, 1]}}", {"'size' in box", "must be > 0"}, 28, 0},
    {8, "    mesh: {box: {cells: [1, 1.5, 1]}}", {"'cells' in box", "whole number", "1.5"}, 29, 0},
    {8, "    mesh: {box: {cells: [1e5, 1e5, 1e5]}}", {"mesh of body 'bar'"}, 0, 0},
    {8, "    mesh: {box: {pattern: kuun}}", {"unknown pattern 'kuun'", "did you mean 'kuhn'?"}, 27, 0},
    {8, "    mesh: {file: absent.msh}", {"mesh of body 'bar'", "absent.msh"}, 18, 0},
    {8, "    mesh: {file: bar.xyz}", {"mesh of body 'bar'", ".xyz"}, 18, 0},
    {8, "    mesh: {file: [a]}", {"'file' in mesh of body 'bar' must be a path"}, 18, 0},
    // materials
    {12, "    material: rubbr", {"unknown type 'rubbr' in material of body 'bar'", "did you mean 'rubber'?"}, 15, 0},
    {12, "    material: {preset: neo-hookean}", {"unknown preset 'neo-hookean'", "rubber"}, 24, 0},
    {12, "    material: {type: rubber, preset: fat}", {"names two presets, 'rubber' and 'fat'"}, 22, 0},
    {12, "    material: {mu: 1e4, lambda: 1e5, young: 1e5}", {"has 'mu' and 'young'", "mu and lambda"}, 16, 0},
    {12, "    material: {poisson: 0.3, lambda: 1e5}", {"has 'lambda' and 'poisson'"}, 30, 0},
    {12, "    material: {mu: 1e4}", {"has 'mu' but not 'lambda'"}, 16, 0},
    {12, "    material: {mu: -1, lambda: 0}", {"'mu' in material of body 'bar' must be > 0"}, 20, 0},
    {12, "    material: {mu: 3, lambda: -2}", {"'lambda'", "above -2/3 mu = -2 Pa"}, 31, 0},
    {12,
     "    material: {ratio: 0.1}",
     {"'ratio' in material of body 'bar' is of mooney-rivlin, not of neo-hookean"},
     16,
     0},
    {12, "    material: {type: mooney-rivlin, ratio: 2}", {"'ratio'", "must be >= 0 and <= 1, found '2'"}, 44, 0},
    {12, "    material: {type: mooney-rivlin, poisson: 0}", {"no mooney-rivlin material", "ratio at most"}, 22, 0},
    {12, "    material: {type: fung}", {"'fung' of body 'bar' is not for its mesh of tetrahedra"}, 22, 0},
    {12, "    material: {area-density: 0.1}", {"'area-density'", "is for sheets", "tetrahedra"}, 16, 0},
    {8,
     "    mesh: {cloth: {}}\n    material: {area-density: 0.1, density: 500}",
     {"has 'density' and 'area-density'"},
     16,
     9},
    {12, "    material: spline", {"material 'spline' of body 'bar' needs points"}, 15, 0},
    {12,
     "    material: {a: [[1, 0], [2, 1]]}",
     {"'a' in material of body 'bar' is of spline, not of neo-hookean"},
     16,
     0},
    {12, "    material: {type: spline, a: []}", {"'a' in material of body 'bar' has no points"}, 33, 0},
    {12, "    material: {type: spline, a: [[1, 0]]}", {"curve a has 1 point; it needs at least 2"}, 33, 0},
    {12, "    material: {type: spline, a: [[2, 1], [1, 0]]}", {"stretches must increase, but 1 follows 2"}, 33, 0},
    {12, "    material: {type: spline, a: [[0, 0], [2, 1]]}", {"stress at rest", "is 0.5; it must be 0"}, 33, 0},
    {12, "    material: {type: spline, a: [[0, -1, 0], [2, 1]]}", {"must be a list of 2 numbers"}, 34, 0},
    {12, "    material: {type: spline, b: 7}", {"'b' in material of body 'bar' must be a list"}, 33, 0},
    {12, "    material: {regions: [{group: bone, young: 1}]}", {"group 'bone'", "no groups of tetrahedra"}, 34, 0},
    {12, "    material: {regions: [{young: 1}]}", {"'group' is missing in region 0"}, 0, 0},
    {12, "    material: {regions: [{group: g, yung: 1}]}", {"unknown key 'yung' in region 0"}, 37, 0},
    {12, "    material: {regions: [{group: g, poisson: 0.5}]}", {"'poisson'", "< 0.5"}, 46, 0},
    {12, "    material: {fiber: 1e5}", {"fiber of material of body 'bar' must be a mapping"}, 23, 0},
    {12, "    material: {fiber: {direction: [1, 0, 0]}}", {"fiber of material of body 'bar' lacks 'stiffness'"}, 16, 0},
    {12, "    material: {fiber: {stiffness: 1e5}}", {"lacks 'direction'", "direction: [1, 0, 0]"}, 16, 0},
    {12, "    material: {fiber: {stiffness: -1}}", {"'stiffness' in fiber of material", "must be >= 0"}, 35, 0},
    {12, "    material: {fiber: {stiffness: 1, direction: [0, 0, 0]}}", {"'direction'", "not zero"}, 49, 0},
    {12, "    material: {fiber: {stiffness: 1, direction: [0, 1]}}", {"'direction'", "list of 3 numbers"}, 49, 0},
    {12, "    material: {fiber: {stiffness: 1, direction: x}}", {"'direction'", "[x, y, z] or {field: NAME}"}, 49, 0},
    {12, "    material: {fiber: {stiffness: 1, direction: {field: f}}}", {"'field'", "no field of three"}, 57, 0},
    {12, "    material: {fiber: {stifness: 1}}", {"unknown key 'stifness' in fiber of material", "'stiffness'"}, 24, 0},
    {12, "    material: {bending: 1e-5}", {"'bending' in material of body 'bar' is for sheets", "tetrahedra"}, 16, 0},
    {12, "    material: {bending: -1}", {"'bending' in material of body 'bar' must be >= 0"}, 25, 0},
    {8,
     "    mesh: {cloth: {}}\n    material: {fiber: {stiffness: 1, direction: [1, 0, 0]}}",
     {"fibers run through tetrahedra", "triangles"},
     16,
     9},
    {12, "    material: {young-field: k}", {"'young-field'", "no field of one number"}, 29, 0},
    {12, "    material: {young-field: [k]}", {"'young-field'", "must be the name of a field"}, 29, 0},
    {8, "    mesh: {cloth: {}}\n    material: spring", {"is not for its mesh of triangles", "neo-hookean"}, 15, 9},
    {9, "    place: {scale: -1}", {"'scale' in place of body 'bar' must be > 0"}, 20, 0},
    {9, "    place: {fit: 0}", {"'fit'", "must be > 0"}, 18, 0},
    {9, "    place: {rotate: [0, 0, 0, 30]}", {"axis that is not zero"}, 21, 0},
    {9, "    place: {rotate: [0, 0, 30]}", {"'rotate'", "list of 4 numbers"}, 21, 0},
    {9, "    place: {scale: 1e25, move: [1e28, 0, 0], fit: 1e25}", {"too large"}, 12, 0},
    {10, "    velocity: [1, 0, 0]", {"velocity of body 'bar' must be a mapping", "a list of 3"}, 15, 0},
    {10, "    velocity: {gradient: [1, 2, 3]}", {"'gradient'", "list of 3 numbers"}, 0, 0},
    {10, "    velocity: {gradient: 1}", {"'gradient'", "3 lists of 3 numbers"}, 26, 0},
    {11, "    start: {shape: point, twist: 90}", {"both 'shape' and 'twist'"}, 27, 0},
    {11, "    start: {seed: -1}", {"'seed'", "must be >= 0"}, 19, 0},
    {11, "    start: {stretch: 2}", {"'stretch'", "list of 3 numbers"}, 22, 0},
    {12, BODY2 "  - {name: bar, mesh: {box: {}}}", {"the name 'bar' is already that of body 0"}, 12, 13},
    {11,
     "    start: point\n    material: {inversion: barrier}\nhandles: []\nx:",
     {"start of body 'bar' flattens or inverts tetrahedron 0", "extend"},
     12,
     0},
    // handles
    {14, "  - {body: bar}", {"'where' is missing in handle 0"}, 5, 0},
    {14, "  - {where: all}", {"'body' is missing in handle 0"}, 5, 0},
    {14, "  - {body: bar, where: {x: [5, 6]}}", {"where of handle 0 selects no node", "[0, 0, 0] to [4, 1, 1]"}, 24, 0},
    {14, "  - {body: bar, where: {}}", {"where of handle 0 names no nodes"}, 24, 0},
    {14, "  - {body: bar, where: {x: [max, min]}}", {"lower bound 4 is above its upper bound 0"}, 28, 0},
    {14, "  - {body: bar, where: {x: [mx, max]}}", {"'mx' is not known", "min, max"}, 29, 0},
    {14, "  - {body: bar, where: {nodes: [0, 99]}}", {"there is no node 99", "0 to 19"}, 36, 0},
    {14, "  - {body: bar, where: {nodes: [0.5]}}", {"whole number"}, 33, 0},
    {14, "  - {body: bar, where: some}", {"list of node numbers or 'all'", "'some'"}, 24, 0},
    {14, "  - {body: bar, where: {box: [0, 1]}}", {"'box' in where of handle 0", "list of 3 numbers"}, 0, 0},
    {14, "  - {body: bar, where: {box: 3}}", {"'box' in where of handle 0 must be two corners"}, 30, 0},
    {14, "  - {body: bar, where: {sphere: [0, 0, 0, 1]}}", {"a centre and a radius [[x, y, z], r]"}, 33, 0},
    {14, "  - {body: bar, where: {sphere: [[0, 0, 0], -1]}}", {"must be >= 0"}, 45, 0},
    {14, "  - {body: bar, where: {group: left}}", {"has no physical groups"}, 32, 0},
    {14,
     "  - {body: bar, where: all, motion: {rotate: {rate: 90}}}",
     {"'axis' is missing in rotate of motion of handle 0"},
     0,
     0},
    {14,
     "  - {body: bar, where: all, motion: {rotate: {axis: [0, 0, 0], rate: 90}}}",
     {"'axis'", "not be zero"},
     53,
     0},
    {14, "  - {body: bar, where: all, motion: {keyframes: [[0, 1]]}}", {"'keyframes'", "list of 3 numbers"}, 0, 0},
    {14, "  - {body: bar, where: all, motion: {keyframes: [5]}}", {"pairs [time, [dx, dy, dz]]"}, 50, 0},
    {14,
     "  - {body: bar, where: all, motion: {keyframes: [[1, [0, 0, 0]], [1, [0, 0, 0]]]}}",
     {"increasing times", "1 follows 1"},
     0,
     0},
    {14,
     "  - {body: bar, where: all, motion: {until: -1}}",
     {"'until' in motion of handle 0 must be >= 0, found"},
     0,
     0},
    {14,
     "  - {body: bar, where: all}\n  - {body: bar, where: {nodes: [3, 4]}}",
     {"handle 1 and handle 0 (line 14) both hold 2 nodes of body 'bar'", "node 3"},
     24,
     15},
    // obstacles and contact
    {15, "obstacles: {type: plane}", {"'obstacles' in the scene must be a list"}, 0, 0},
    {15, "obstacles: [{normal: [0, 1, 0]}]", {"'type' is missing"}, 0, 0},
    {15, "obstacles: [{type: spheer}]", {"unknown type 'spheer' in obstacle 0", "did you mean 'sphere'?"}, 0, 0},
    {15, "obstacles: [{type: sphere, radus: 1}]", {"unknown key 'radus' in obstacle 0", "'radius'"}, 0, 0},
    {15, "obstacles: [{type: sphere, radius: -1}]", {"'radius' in obstacle 0 must be > 0", "'-1'"}, 0, 0},
    {15,
     "obstacles: [{type: sphere, tube: 1}]",
     {"'tube' in obstacle 0 is of torus, not of sphere", "centre, radius"},
     0,
     0},
    {15,
     "obstacles: [{type: plane, name: lid, size: [1, 1, 1]}]",
     {"'size' in obstacle 'lid' is of box, terrain, not of plane"},
     0,
     0},
    {15, "obstacles: [{type: plane, normal: [0, 0, 0]}]", {"obstacle 0: ", "normal"}, 0, 0},
    {15, "obstacles: [{type: plane, normal: [0, 1]}]", {"'normal' in obstacle 0 must be a list of 3 numbers"}, 0, 0},
    {15, "obstacles: [{type: box, size: [1, 0, 1]}]", {"'size' in obstacle 0 must be > 0", "'0'"}, 0, 0},
    {15, "obstacles: [{type: box, rotate: [0, 0, 0, 30]}]", {"rotate of the box needs an axis"}, 0, 0},
    {15, "obstacles: [{type: torus, radius: 1, tube: 2}]", {"obstacle 0: ", "tube"}, 0, 0},
    {15, "obstacles: [{type: terrain}]", {"'heights' in obstacle 0 are missing", "as in [["}, 0, 0},
    {15, "obstacles: [{type: terrain, file: none.png}]", {"obstacle 0: ", "none.png: cannot be opened"}, 0, 0},
    {15, "obstacles: [{type: terrain, file: a.png, heights: [[1, 2], [3, 4]]}]", {"one of them is enough"}, 0, 0},
    {15, "obstacles: [{type: plane, file: a.png}]", {"'file' in obstacle 0 is of terrain, not of plane"}, 0, 0},
    {15, "obstacles: [{type: terrain, heights: [[1, 2]]}]", {"at least two rows of at least two numbers"}, 0, 0},
    {15, "obstacles: [{type: terrain, heights: [[1, 2], [1]]}]", {"a row of 'heights' in obstacle 0"}, 0, 0},
    {15, "obstacles: [{type: mesh}]", {"obstacle 0 needs a 'mesh'"}, 0, 0},
    {15, "obstacles: [{type: mesh, mesh: {file: none.obj}}]", {"none.obj"}, 0, 0},
    {15, "obstacles: [{type: mesh, frames: none%d%d.obj}]", {"'frames' in obstacle 0 must be a list of files"}, 0, 0},
    {15, "obstacles: [{type: plane, friction: -1}]", {"'friction' in obstacle 0 must be >= 0"}, 0, 0},
    {15, "obstacles: [{type: plane, thickness: -1}]", {"'thickness' in obstacle 0 must be >= 0"}, 0, 0},
    {15, "obstacles: [{type: plane, motion: {spin: 1}}]", {"unknown key 'spin' in motion of obstacle 0"}, 0, 0},
    {15, "contact: true", {"contact must be a mapping"}, 0, 0},
    {15, "contact: {slef: true}", {"unknown key 'slef' in contact", "did you mean 'self'?"}, 0, 0},
    {15, "contact: {self: maybe}", {"'self' in contact must be true or false, found 'maybe'"}, 0, 0},
    {15, "contact: {bodies: 2}", {"'bodies' in contact must be true or false, found '2'"}, 0, 0},
    {15, "contact: {method: penalty}", {"unknown method 'penalty' in contact", "gauss-seidel"}, 0, 0},
    {15, "contact: {thickness: -1e-3}", {"'thickness' in contact must be >= 0"}, 0, 0},
    {15, "contact: {friction: -0.1}", {"'friction' in contact must be >= 0"}, 0, 0},
    {15, "contact: {slip: -1}", {"'slip' in contact must be >= 0"}, 0, 0},
    {15, "contact: {push: 0}", {"'push' in contact must be > 0"}, 0, 0},
    {15, "contact: {thickness: atuo}", {"'thickness' in contact must be a number or auto, found 'atuo'"}, 0, 0},
    {15, "contact: {untangle: perhaps}", {"'untangle' in contact must be true or false"}, 0, 0},
    {15, "contact: {pairs: bar}", {"'pairs' in contact must be a list"}, 0, 0},
    {15, "contact: {pairs: [{touch: false}]}", {"'between' is missing in pair 0"}, 0, 0},
    {15, "contact: {pairs: [{between: bar, touch: false}]}", {"must be two names, as in [shirt, floor]"}, 0, 0},
    {15, "contact: {pairs: [{between: [bar], touch: false}]}", {"must be two names"}, 0, 0},
    {15, "contact: {pairs: [{between: [bar, [a]], touch: false}]}", {"'between' in pair 0 is two names"}, 0, 0},
    {15,
     "contact: {pairs: [{between: [baar, bar], touch: false}]}",
     {"unknown name 'baar' in pair 0", "did you mean 'bar'? valid names: bar, all"},
     30,
     0},
    {15, "contact: {pairs: [{between: [bar, 1], touch: false}]}", {"unknown name '1'"}, 0, 0},
    {15, "contact: {pairs: [{between: [bar, all]}]}", {"pair 0 says nothing about its two", "'friction'"}, 0, 0},
    {15, "contact: {pairs: [{between: [bar, all], friction: -1}]}", {"'friction' in pair 0 must be >= 0"}, 0, 0},
    {15, "contact: {pairs: [{between: [bar, all], tuch: false}]}", {"unknown key 'tuch'", "'touch'"}, 0, 0},
    {15,
     "obstacles: [{type: plane}, {name: b, type: plane}]\ncontact: {pairs: [{between: [obstacle 0, b], touch: true}]}",
     {"pair 0 is between two obstacles"},
     0,
     16},
    {15,
     "obstacles: [{name: bar, type: plane}]\ncontact: {pairs: [{between: [bar, all], touch: true}]}",
     {"'bar' in pair 0 is the name of more than one of"},
     0,
     16},
    {11, "    contact: {self: 2}", {"'self' in contact of body 'bar' must be true or false"}, 0, 0},
    {11, "    contact: {thickness: -1}", {"'thickness' in contact of body 'bar' must be >= 0"}, 0, 0},
    {11, "    contact: {groups: [all]}", {"'groups' in body 'bar' is a list of names", "'all' is everything"}, 0, 0},
    {11, "    contact: {group: a}", {"unknown key 'group' in contact of body 'bar'", "'groups'"}, 0, 0},
    {15, "contact: {restitution: 0.5}", {"'restitution' in contact must be a whole number", "'0.5'"}, 0, 0},
    {0, NULL, {NULL}, 0, 0},
};

// Texts that are not scenes, or not YAML at all.
typedef struct SyntaxMistake {
    const char* text;
    int line;
    const char* words;
    SnStatus status;
} SyntaxMistake;

static const SyntaxMistake syntax_rows[] = {
    {"", 1, "nothing", SN_ERROR_VALUE},
    {"# only a comment\n", 1, "nothing", SN_ERROR_VALUE},
    {"- a\n- b\n", 1, "a list of 2", SN_ERROR_VALUE},
    {"just text\n", 1, "'just text'", SN_ERROR_VALUE},
    {"a: 1\na: 2\n", 2, "second time", SN_ERROR_FORMAT},
    {"a: [1, 2\nb: 3\n", 2, "not closed", SN_ERROR_FORMAT},
    {"a: {b: 1\nc: 2\n", 2, "'{' is not closed", SN_ERROR_FORMAT},
    {"a:\n\t- b\n", 2, "not tabs", SN_ERROR_FORMAT},
    {"a: b: c\n", 1, "':' is not expected", SN_ERROR_FORMAT},
    {"a: 'text\nb: 1\n", 3, "quote is not closed", SN_ERROR_FORMAT},
    {"a: 1\n  b: 2\n", 2, "indentation", SN_ERROR_FORMAT},
    {"a: *b\n", 1, "'*b' has no anchor", SN_ERROR_FORMAT},
    {"a: &b [*b]\n", 1, "'*b' has no anchor", SN_ERROR_FORMAT},
    {"a: 1\n---\nb: 2\n", 2, "second document", SN_ERROR_FORMAT},
    {"a: 1\nb: \xff\n", 2, "not UTF-8", SN_ERROR_FORMAT},
    {"a: 1\nb: \x01\n", 2, "not a text file", SN_ERROR_FORMAT},
    {"a: \"x\\0y\"\n", 1, "zero byte", SN_ERROR_FORMAT},
    {"? [a, b]\n: c\n", 1, "a key must be a plain text", SN_ERROR_FORMAT},
    {"a: {<<: 5}\n", 1, "'<<' takes over", SN_ERROR_FORMAT},
    {NULL, 0, NULL, SN_OK},
};

// The first problem at this line whose message has these words; fails when there is none.
static SnSceneProblem find_problem(const SnScene* scene, const char* what, int line, const char* words)
{
    for (int i = 0; i < sn_scene_problem_count(scene); i++) {
        SnSceneProblem problem = sn_scene_problem(scene, i);
        if (problem.line == line && strstr(problem.message, words)) return problem;
    }
    SnSceneProblem first = sn_scene_problem(scene, 0);
    fail_msg("\"%s\" has no problem \"%s\" at line %d, but %d: %s", what, words, line, first.line, first.message);
    return first;
}

static void check_mistake(const Mistake* m)
{
    SnScene* scene = NULL;
    SnWorld* world;
    SnStatus status = parse(base_scene(m->line, m->text), &scene);
    char place[64];
    if (status != SN_ERROR_VALUE && status != SN_ERROR_FORMAT) fail_msg("accepted: %s", m->text);
    SnSceneProblem problem = find_problem(scene, m->text, m->at ? m->at : m->line, m->words[0]);
    if (m->column && problem.column != m->column)
        fail_msg("%s: column %d: %s", m->text, problem.column, problem.message);
    for (int w = 1; w < 3 && m->words[w]; w++)
        if (!strstr(problem.message, m->words[w]))
            fail_msg("%s: \"%s\" lacks \"%s\"", m->text, problem.message, m->words[w]);
    check(!problem.warning && problem.column >= 1);
    problem = sn_scene_problem(scene, 0);
    snprintf(place, sizeof place, "test.yaml:%d:%d: ", problem.line, problem.column);
    check(strncmp(sn_last_error(), place, strlen(place)) == 0);
    check_fails(sn_scene_create_world(scene, &world), SN_ERROR_VALUE, "test.yaml", "cannot be simulated");
    sn_scene_destroy(scene);
}

static void mistakes(void** state)
{
    (void)state;
    for (const Mistake* m = mistake_rows; m->text; m++) check_mistake(m);
}

static void syntax_mistakes(void** state)
{
    (void)state;
    for (const SyntaxMistake* m = syntax_rows; m->text; m++) {
        SnScene* scene;
        check(parse(m->text, &scene) == m->status);
        find_problem(scene, m->text, m->line, m->words);
        sn_scene_destroy(scene);
    }
}

// A start that is in another file is for those who read such files.
static void another_start(void** state)
{
    (void)state;
    static const char text[] = "from: {run: other.run}\nbodies: [{mesh: {box: {}}}]\n";
    SnScene* scene;
    SnWorld* world;
    check_ok(sn_scene_parse(text, strlen(text), "later.yaml", NULL, 0, &scene));
    check_fails(sn_scene_create_world(scene, &world), SN_ERROR_UNSUPPORTED, "later.yaml starts from another run",
                "sn_run_start_world");
    check(world == NULL);
    sn_scene_destroy(scene);
}

static void all_problems_sorted(void** state)
{
    (void)state;
    SnScene* scene;
    check_fails(parse("tme: 1\n"
                      "gravity: [1, 2]\n"
                      "solver: {iterations: 0, armijo: 0.7}\n"
                      "bodies:\n"
                      "  - {mesh: {box: {size: [1, 1, -1]}}, material: {poisson: 0.5}}\n"
                      "  - {mesh: {file: absent.msh}}\n"
                      "handles:\n"
                      "  - {body: 0}\n",
                      &scene),
                SN_ERROR_VALUE, "test.yaml:1:1: unknown key 'tme'", "did you mean 'time'");
    static const int lines[] = {1, 2, 3, 3, 5, 5, 6, 8};
    assert_int_equal(sn_scene_problem_count(scene), 8);
    for (int i = 0; i < 8; i++) assert_int_equal(sn_scene_problem(scene, i).line, lines[i]);
    sn_scene_destroy(scene);
}

static void problems_are_bounded(void** state)
{
    (void)state;
    static char text[200000];
    size_t used = (size_t)snprintf(text, sizeof text, "bodies:\n");
    for (int i = 0; i < 5000; i++) used += (size_t)snprintf(text + used, sizeof text - used, " - {mesh: {cube: {}}}\n");
    SnScene* scene;
    assert_int_equal(parse(text, &scene), SN_ERROR_VALUE);
    assert_int_equal(sn_scene_problem_count(scene), 101);
    check(strstr(sn_scene_problem(scene, 100).message, "4900 more") != NULL);
    sn_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mistakes),
    cmocka_unit_test(syntax_mistakes),
    cmocka_unit_test(another_start),
    cmocka_unit_test(all_problems_sorted),
    cmocka_unit_test(problems_are_bounded),
};
RUN_TESTS(tests, NULL, NULL)
