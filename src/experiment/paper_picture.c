// Pictures of a figure: frames of each variant's run in one image, and films.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "experiment/paper.h"
#include "linalg/vec3.h"
#include "view/film.h"
#include "view/png_file.h"
#include "view/run_colour.h"
#include "view/run_picture.h"

enum { WIDTH = 360, HEIGHT = 270 }; // pixels, of a frame

// What is drawn, and on what.
typedef struct Gallery {
    const SnFigure* figure;
    const SnFigureOptions* options;
    int count, columns, rows, frames; // runs; of the sheet; drawn of each run
    SnRunFile* runs[SN_MOST_CURVES];
    SnRunPicture* scenes[SN_MOST_CURVES];
    SnRunColour* colours[SN_MOST_CURVES]; // NULL: the bodies'
    SnPicture* picture;
    uint8_t* pixels; // 3 x width x height of the whole
} Gallery;

static int frame_number(const Gallery* g, int run, int k)
{
    int count = sn_run_file_frame_count(g->runs[run]), wanted = g->figure->study.frames[k];
    int frame = wanted < 0 ? count + wanted : wanted;
    return frame < 0 ? 0 : frame < count ? frame : count - 1;
}

static void copy_cell(const Gallery* g, int row, int column)
{
    const uint8_t* from = sn_picture_pixels(g->picture);
    size_t line = 3 * (size_t)WIDTH;
    for (int y = 0; y < HEIGHT; y++) {
        size_t to = ((size_t)(row * HEIGHT + y) * (size_t)g->columns + (size_t)column) * line;
        memcpy(g->pixels + to, from + (size_t)y * line, line);
    }
}

static SnStatus draw_frame(const Gallery* g, int run, int frame)
{
    SN_TRY(sn_run_picture_read(g->scenes[run], frame));
    if (g->colours[run]) SN_TRY(sn_run_colour_read(g->colours[run], frame));
    return sn_picture_draw(g->picture, &g->scenes[run]->scene);
}

static SnStatus draw_cells(const Gallery* g)
{
    for (int r = 0; r < g->count; r++)
        for (int k = 0; k < g->frames; k++) {
            SN_TRY(draw_frame(g, r, frame_number(g, r, k)));
            int place = r * g->frames + k;
            copy_cell(g, place / g->columns, place % g->columns);
        }
    return SN_OK;
}

// All are seen from the same place, that of the run that takes the most room, or the study's, above the same ground;
// but for those with a scene of their own.
static void share_view(const Gallery* g)
{
    const SnStudy* study = &g->figure->study;
    SnCamera camera = g->scenes[0]->scene.camera;
    double height = INFINITY, size = 0;
    for (int r = 0; r < g->count; r++) {
        const SnPictureScene* scene = &g->scenes[r]->scene;
        if (study->variants[r].scene) continue;
        if (sn_distance3(scene->camera.eye, scene->camera.target) > sn_distance3(camera.eye, camera.target))
            camera = scene->camera;
        height = fmin(height, scene->ground_height), size = fmax(size, scene->ground_size);
    }
    bool given = false;
    for (int i = 0; i < 6; i++) given = given || study->camera[i] != 0;
    for (int i = 0; i < 3 && given; i++) camera.eye[i] = study->camera[i], camera.target[i] = study->camera[3 + i];
    for (int r = 0; r < g->count; r++) {
        SnPictureScene* scene = &g->scenes[r]->scene;
        scene->quality = SN_PICTURE_FILM;
        if (study->variants[r].scene) continue;
        scene->camera = camera;
        scene->ground_height = height, scene->ground_size = size;
    }
}

static SnStatus add_frames(const Gallery* g, int run, double stride, SnFilm* film)
{
    int count = sn_run_file_frame_count(g->runs[run]);
    for (double f = 0; f < count - 0.5; f += stride) {
        SN_TRY(draw_frame(g, run, (int)lround(f)));
        SN_TRY(sn_film_add(film, sn_picture_pixels(g->picture)));
    }
    return SN_OK;
}

// At real speed, at most 60 frames a second.
static SnStatus write_film(const Gallery* g, int run, SnSheet* sheet)
{
    char ending[32];
    snprintf(ending, sizeof ending, "-%d.mp4", run + 1);
    const char* path = sn_figure_path(g->figure, g->options, &sheet->arena, ending);
    double rate = 1 / sn_run_file_time_step(g->runs[run]), stride = rate > 60 ? rate / 60 : 1;
    SnFilm* film;
    if (!path) return SN_ERROR_MEMORY;
    SN_TRY(sn_film_create(path, WIDTH, HEIGHT, rate / stride, &film));
    SnStatus status = add_frames(g, run, stride, film);
    if (status == SN_OK) return sn_film_finish(film);
    sn_film_destroy(film);
    return status;
}

static SnStatus open_runs(Gallery* g, const char* const* paths)
{
    for (int r = 0; r < g->count; r++) {
        SN_TRY(sn_run_file_open(paths[r], &g->runs[r]));
        SN_TRY(sn_run_picture_create(g->runs[r], (double)WIDTH / HEIGHT, &g->scenes[r]));
        const char* colour = g->figure->study.colour;
        if (colour) SN_TRY(sn_run_colour_create(g->scenes[r], colour, NULL, &g->colours[r]));
    }
    share_view(g);
    return SN_OK;
}

static SnStatus draw_all(Gallery* g, SnSheet* sheet)
{
    const char* path = sn_figure_path(g->figure, g->options, &sheet->arena, ".png");
    size_t size = 3 * (size_t)WIDTH * HEIGHT * (size_t)(g->columns * g->rows);
    if (!path || !SN_NEW(g->pixels, size, "a picture")) return SN_ERROR_MEMORY;
    memset(g->pixels, 255, size);
    SN_TRY(draw_cells(g));
    SN_TRY(sn_png_write(path, g->columns * WIDTH, g->rows * HEIGHT, g->pixels));
    sheet->has_picture = true;
    for (int r = 0; r < g->count && g->options->film; r++) SN_TRY(write_film(g, r, sheet));
    return SN_OK;
}

SnStatus sn_figure_draw(const SnFigure* figure, const SnFigureOptions* options, int count, const char* const* runs,
                        SnSheet* sheet)
{
    Gallery g = {.figure = figure, .options = options, .count = count};
    while (g.frames < 5 && figure->study.frames[g.frames]) g.frames++;
    g.columns = g.frames > 1 ? g.frames : count < 4 ? count : 4;
    g.rows = (count * g.frames + g.columns - 1) / g.columns;
    SnStatus status = sn_picture_create(WIDTH, HEIGHT, &g.picture);
    if (status == SN_ERROR_UNSUPPORTED) { // the curves are good without
        sn_append(sheet->notes, sizeof sheet->notes, "%sNo pictures: %s.", sheet->notes[0] ? " " : "", sn_last_error());
        return SN_OK;
    }
    if (status == SN_OK) status = open_runs(&g, runs);
    if (status == SN_OK) status = draw_all(&g, sheet);
    for (int r = 0; r < count; r++) {
        sn_run_colour_destroy(g.colours[r]);
        sn_run_picture_destroy(g.scenes[r]);
        sn_run_file_destroy(g.runs[r]);
    }
    sn_picture_destroy(g.picture);
    sn_free(g.pixels);
    return status;
}
