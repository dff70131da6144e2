// The scenes that tests start from.
#pragma once
#include "check.h"

#include "core/pi.h"
#include "scene/build.h"

static inline SnStatus parse(const char* text, SnScene** scene)
{
    return sn_scene_parse(text, strlen(text), "test.yaml", NULL, 0, scene);
}

static inline SnStatus parse_set(const char* text, const char* override, SnScene** scene)
{
    return sn_scene_parse(text, strlen(text), "test.yaml", &override, override ? 1 : 0, scene);
}

static inline SnScene* good_set(const char* text, const char* override)
{
    SnScene* scene;
    check_ok(parse_set(text, override, &scene));
    return scene;
}

static inline SnScene* good(const char* text)
{
    return good_set(text, NULL);
}

// A scene of one 4 x 2 x 2 m box, with more keys in its body and at the end.
static inline SnScene* box_scene(const char* body, const char* rest)
{
    char text[2000];
    snprintf(text, sizeof text, "bodies:\n  - name: bar\n    mesh: {box: {size: [4, 2, 2], cells: [4, 2, 2]}}\n%s%s",
             body, rest);
    return good(text);
}

static const char rich_scene[] = "name: rich\n"
                                 "time: {step: 1/30, frames: 2}\n"
                                 "solver: newton\n"
                                 "bodies:\n"
                                 "  - name: bar\n"
                                 "    mesh: &m {box: {size: [2, 1, 1], cells: [2, 1, 1]}}\n"
                                 "    place: {fit: 1, rotate: [0, 0, 1, 30]}\n"
                                 "    velocity: {angular: [0, 0, 1]}\n"
                                 "    start: {stretch: [2, 1, 1]}\n"
                                 "    material: stvk\n"
                                 "  - {mesh: *m, start: {shape: random, seed: 3}}\n"
                                 "handles:\n"
                                 "  - {body: bar, where: {x: [min, min+0.01]}}\n"
                                 "  - {body: 1, where: {nodes: [4, 5]}, motion: {keyframes: [[0, [0, 0, 0]]]}}\n"
                                 "scripts: [{type: twist, body: 1, width: 0.1}]\n"
                                 "output: {write: [vtu]}\n";

static const char* const base_lines[] = {
    "name: test",                                           // 1
    "time: {step: 1/30, frames: 10}",                       // 2
    "gravity: [0, -9.81, 0]",                               // 3
    "integrator: backward-euler",                           // 4
    "solver: {type: newton, iterations: 10}",               // 5
    "bodies:",                                              // 6
    "  - name: bar",                                        // 7
    "    mesh: {box: {size: [4, 1, 1], cells: [4, 1, 1]}}", // 8
    "    place: {move: [0, 0, 0]}",                         // 9
    "    velocity: {linear: [0, 0, 0]}",                    // 10
    "    start: rest",                                      // 11
    "    material: {type: neo-hookean, young: 1e5}",        // 12
    "handles:",                                             // 13
    "  - {body: bar, where: {x: [min, min+0.01]}}",         // 14
    "output: {every: 1, write: [vtu]}",                     // 15
};

// The scene with one line replaced (line 0: none).
static inline const char* base_scene(int line, const char* text)
{
    static char scene[4000];
    size_t used = 0;
    for (int i = 0; i < (int)(sizeof base_lines / sizeof *base_lines); i++)
        used += (size_t)snprintf(scene + used, sizeof scene - used, "%s\n", i + 1 == line ? text : base_lines[i]);
    return scene;
}

static inline void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    check(file != NULL);
    fputs(text, file);
    fclose(file);
}
