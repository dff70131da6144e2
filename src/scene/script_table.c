// The table of scripts (Li et al. 2019, the experiments): one row each.
#include "scene/script.h"

static const SnScript rows[] = {
    {.name = "stretch", .summary = "the ends in x (1%) go outwards at 0.1 m/s", .width = 0.01, .speed = 0.1},
    {.name = "squash", .summary = "the ends in x (1%) go inwards at 0.03 m/s", .width = 0.01, .speed = -0.03},
    {.name = "twist",
     .summary = "the ends in x (1%) turn at 18 degrees/s about the x axis through the centre, against each other",
     .width = 0.01,
     .rate = 18},
    {.name = "stretch-squash",
     .summary =
         "SS: the ends in x (1%) go outwards at 0.9 m/s, back after 0.8 m, forth 0.4 m on the inner side, and so on",
     .width = 0.01,
     .speed = 0.9,
     .turn = {0.8, 0.4}},
    {.name = "twist-stretch-squash",
     .summary = "TSS: stretch-squash, while the ends turn at 72 degrees/s about the x axis",
     .width = 0.01,
     .speed = 0.9,
     .rate = 72,
     .turn = {0.8, 0.4}},
    {.name = "large-twist-stretch-squash",
     .summary = "LTSS: the same at 1.2 m/s and back after 1.2 m",
     .width = 0.01,
     .speed = 1.2,
     .rate = 72,
     .turn = {1.2, 0.4}},
    {.name = "slingshot",
     .summary = "RBP: the ends in y (2%) go outwards at 0.2 m/s, the waist (0.48 to 0.52) is pulled 5 m at 2.5 m/s "
                "against x; then it is let go and the ends stop",
     .axis = 1,
     .width = 0.02,
     .speed = 0.2,
     .waist = 0.04,
     .pull = {-2.5, 0, 0},
     .pull_distance = 5},
    {.name = NULL},
};

const SnTable sn_script_table = {"script", rows, sizeof *rows, .key = "type"};
