// The scenes of `sinew bench accuracy`.
#pragma once
#include <sinew/scene.h>

typedef struct AccuracyScene {
    const char* name;    // also of the gallery's or papers' scene, where there is no text
    const char* text;    // the YAML, or NULL
    const char* changes; // overrides with ';' between them: smaller meshes; or NULL
    int frames;
} AccuracyScene;

extern const AccuracyScene accuracy_scenes[]; // ends with a NULL name
