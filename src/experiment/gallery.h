// The scenes the program carries: scenes/gallery and scenes/paper, embedded when it is built (cmake/EmbedScenes.cmake).
#pragma once

typedef struct SnGalleryScene {
    const char* name;
    const char* summary; // the scene's first line
    const char* text;    // the YAML
} SnGalleryScene;

extern const SnGalleryScene sn_gallery_scenes[]; // ends with a NULL name
extern const SnGalleryScene sn_paper_scenes[];   // the same, of the papers' experiments
