// The contacts of a run drawn over a picture of it: a dot and an arrow for each, coloured by what it does.
#pragma once
#include "view/camera.h"
#include <sinew/run.h>

typedef struct SnRunContacts {
    SnRunFile* run;
    const SnCamera* camera;
    double length;      // m, of an arrow of `force`
    double force;       // N
    int width, height;  // pixels
    const double* turn; // from the run to the picture: a rotation, row after row; NULL: none
} SnRunContacts;

// The force that an arrow of full length stands for: of frames first to last, the middle of their largest ones; N.
SnStatus sn_run_contacts_scale(SnRunFile* run, int first, int last, double* force);
// Over pixels as sn_picture_pixels has them. What is behind bodies is drawn, too: forces act inside of what they touch.
SnStatus sn_run_contacts_draw(const SnRunContacts* contacts, int frame, uint8_t* pixels);
