// The scenes that tests start from.
#pragma once
#include "check.h"

#include "scene/build.h"

static SnStatus parse(const char* text, SnScene** scene)
{
    return sn_scene_parse(text, strlen(text), "test.yaml", NULL, 0, scene);
}

static SnStatus parse_set(const char* text, const char* override, SnScene** scene)
{
    return sn_scene_parse(text, strlen(text), "test.yaml", &override, override ? 1 : 0, scene);
}

static SnScene* good_set(const char* text, const char* override)
{
    SnScene* scene;
    check_ok(parse_set(text, override, &scene));
    return scene;
}

static SnScene* good(const char* text)
{
    return good_set(text, NULL);
}

// A scene of one 4 x 2 x 2 m box, with more keys in its body and at the end.
static SnScene* box_scene(const char* body, const char* rest)
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

#define PI 3.14159265358979323846
