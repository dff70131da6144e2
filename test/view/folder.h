// A folder for the files that tests write, and a picture where there is OpenGL.
#pragma once
#include "check.h"

#include <unistd.h>

static char folder[64];

static inline const char* in_folder(const char* name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline int make_folder(void** state)
{
    (void)state;
    strcpy(folder, "/tmp/sinew-view-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void** state)
{
    (void)state;
    const char* names[] = {"a.png", "b.png", "film.mp4", "cut.png", "run.run", "walk0.obj", "walk1.obj"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(in_folder(names[i]));
    return rmdir(folder);
}

// A unit cube of 8 nodes and 12 triangles.
static const double CUBE_NODES[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int CUBE_TRIANGLES[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
