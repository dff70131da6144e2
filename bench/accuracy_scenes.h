// The scenes of `sinew bench accuracy`.
#pragma once
#include <sinew/scene.h>

typedef struct AccuracyScene {
    const char* name;    // also of the gallery's or papers' scene, where there is no text
    const char* text;    // the YAML, or NULL
    const char* changes; // overrides with ';' between them: smaller meshes; or NULL
    int frames;
    const char* reference; // the tolerance of the motion to compare with; NULL: 1e-12
} AccuracyScene;

extern const AccuracyScene accuracy_scenes[]; // ends with a NULL name
