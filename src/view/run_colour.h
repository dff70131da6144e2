// Colours of nodes in pictures of a run, by a number that each of them has in a frame.
#pragma once
#include "view/run_picture.h"

// The names there are; NULL after the last.
extern const char* const sn_run_colour_names[];

typedef struct SnRunColour SnRunColour;

// Of this picture's bodies from now on; obstacles and ropes keep theirs. The picture must outlive it.
// range: the ends of the scale; NULL: fitted to the run.
SnStatus sn_run_colour_create(SnRunPicture* picture, const char* name, const double* range, SnRunColour** colour);
void sn_run_colour_destroy(SnRunColour* colour);
// After sn_run_picture_read, of the same frame.
SnStatus sn_run_colour_read(SnRunColour* colour, int frame);
// The scale of the frame that was read last, on a picture of it: 3 x width x height. Subdomains have none.
SnStatus sn_run_colour_draw_scale(const SnRunColour* colour, int width, int height, uint8_t* pixels);
