// Films: frames piped to ffmpeg, which writes H.264 (.mp4), VP9 (.webm) or a GIF.
#pragma once
#include <sinew/base.h>

typedef struct SnFilm SnFilm;

bool sn_film_suits(const char* path); // its ending is one of these
// Starts ffmpeg (found through PATH). Sizes are even, as H.264's colour planes want them.
SnStatus sn_film_create(const char* path, int width, int height, double frames_per_second, SnFilm** film);
void sn_film_set_patience(SnFilm* film, int milliseconds); // with an ffmpeg that does nothing; a minute otherwise
// pixels: 3 x width x height, sRGB, top row first.
SnStatus sn_film_add(SnFilm* film, const uint8_t* pixels);
// Waits for ffmpeg to complete the file, and frees the film; the file is whole only when this returns SN_OK.
SnStatus sn_film_finish(SnFilm* film);
// Abandons the film: ends ffmpeg and removes the unfinished file. NULL is allowed.
void sn_film_destroy(SnFilm* film);
