// Where the light of a picture comes from and what its shadow maps cover: numbers only, no OpenGL.
#pragma once
#include "view/picture_geometry.h"

enum { SN_SKY_MAX = 64 };

// Positions are relative to the geometry's origin.
typedef struct SnPictureLight {
    double centre[3], radius; // the ball around everything that casts shadows
    double key[3], fill[3];   // unit, towards the light
    double key_matrix[16];
    int key_size;                 // texels on the side of the key's shadow map
    int blocker_count, tap_count; // looks into the key's shadow map per pixel
    bool multisampled;            // pixels have several samples; else their edges are smoothed
    int sky_count;
    double sky_heights[2]; // sines of the lowest and highest directions; between them as sn_picture_light_place has it
    double sky_matrices[SN_SKY_MAX][16];
    double eye[3];
    double near, far;
    SnCameraFrame view; // right and up are as long as half the picture at distance 1
    double camera_matrix[16];
    double ground_depths[3]; // its depth in the picture, -1 to 1: what x, y and 1 are multiplied by; where there is
                             // none, 1
    bool ground;             // drawn: asked for, and the camera is above it
    double ground_height, ground_centre[3], ground_radius, grid_spacing, grid_origin[2];
    double shade_centre[3], shade_radius; // of the square of ground that the key's shadow reaches, m
    int shade_size;                       // texels on its side
    double carpet_radius;                 // half the side of the square of ground that the sky's shadows reach
} SnPictureLight;

void sn_picture_light_place(SnPictureLight* light, const SnPictureScene* scene, const SnPictureGeometry* geometry,
                            double aspect);
// 1, 2 or 5 times a power of ten, nearest below x.
double sn_picture_round_number(double x);
