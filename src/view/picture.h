// Pictures of bodies, drawn off-screen by OpenGL: soft key light and shadow, sky light, a ground that fades away.
#pragma once
#include "view/camera.h"
#include "view/picture_surface.h"

// A surface as it stands now. Both sides are drawn.
typedef struct SnPictureBody {
    const SnPictureSurface* surface;
    const double* positions; // 3 x surface->node_count
    float colour[3];         // sRGB, 0 to 1
    const float* colours;    // 3 x surface->node_count, in its place; or NULL
} SnPictureBody;

// Edges drawn as round tubes: ropes, springs.
typedef struct SnPictureRope {
    int node_count, edge_count;
    const int* edges;        // 2 x edge_count
    const double* positions; // 3 x node_count
    double radius;           // m
    float colour[3];         // sRGB, 0 to 1
} SnPictureRope;

// How much work goes into light and shadow.
typedef enum SnPictureQuality {
    SN_PICTURE_FAST,  // no occlusion of the sky
    SN_PICTURE_FILM,  // sky light from a few directions
    SN_PICTURE_STILL, // sky light from many
} SnPictureQuality;

typedef struct SnPictureScene {
    SnCamera camera;
    int body_count;
    const SnPictureBody* bodies;
    int rope_count;
    const SnPictureRope* ropes;
    bool ground; // draw the ground plane y = ground_height
    double ground_height;
    double ground_size; // m, the size of what happens on it: sets the grid spacing and where it fades; 0: of this frame
    bool wireframe;     // thin dark lines along triangle edges
    bool flat;          // every triangle by its own normal
    double checker;     // squares per unit of texture coordinates, drawn over bodies that have these; 0: none
    bool transparent;   // no backdrop, and of the ground its shadows alone: see sn_picture_rgba
    SnPictureQuality quality;
} SnPictureScene;

typedef struct SnPicture SnPicture;

// width, height: 16 to 8192. Fails with SN_ERROR_UNSUPPORTED where there is no OpenGL, saying what to install.
// A picture belongs to the thread that draws; each draw makes its context current there.
SnStatus sn_picture_create(int width, int height, SnPicture** picture);
void sn_picture_destroy(SnPicture* picture);
SnStatus sn_picture_draw(SnPicture* picture, const SnPictureScene* scene);
// 3 x width x height, sRGB, top row first; valid until the next draw.
const uint8_t* sn_picture_pixels(const SnPicture* picture);
// 4 x width x height, with how opaque each is; of a transparent scene.
const uint8_t* sn_picture_rgba(const SnPicture* picture);
