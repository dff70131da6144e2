// `sinew render`: a picture of one frame of a run, or a film of all of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "archive/exporter.h"
#include "archive/run_file.h"
#include "cli/command.h"
#include "core/memory.h"
#include "core/pi.h"
#include "view/aside.h"
#include "view/camera_path.h"
#include "view/film.h"
#include "view/png_file.h"
#include "view/run_colour.h"
#include "view/run_contacts.h"
#include "view/run_picture.h"
#include "view/run_trails.h"

// Real time is kept up to this rate; faster runs leave frames out.
static const double FASTEST = 60;

typedef struct Render {
    SnRunPicture* scene;
    SnPicture* picture;
    const char* path;
    int size[2]; // pixels
    int frame;
    double rate;              // of a film; 0: real speed
    double eye[3], target[3]; // with --camera
    bool wireframe, no_ground, flat, transparent;
    double checker, trail;  // squares per unit of texture coordinates; s
    SnRunTrails* trails;    // NULL: none
    double turns;           // of the camera about the middle of what it looks at, over all frames
    const char* path_file;  // of the camera; NULL: none
    SnCameraPath* way;      // read from it
    SnCamera start;         // where the camera is at the beginning
    bool sequence;          // of pictures
    const char* show;       // NULL: bodies and obstacles alone
    SnRunContacts contacts; // drawn over them
    const char* colour;     // NULL: one for each body
    const char* range;
    const char* quality; // NULL: film for films, still for pictures
    SnRunColour* colours;
    uint8_t* pixels; // of what is drawn over a picture; or NULL
} Render;
_Static_assert(offsetof(Render, target) == offsetof(Render, eye) + 3 * sizeof(double), "--camera is eye and target");

// As SnPictureQuality has them.
static const char* const qualities[] = {"fast", "film", "still", NULL};

static const SnParameter parameters[] = {
    {"frame", SN_INTEGER, offsetof(Render, frame), .value = "-1",
     .doc = "the frame of a picture, from 0; -1 is the last"},
    {"size", SN_INTEGER, offsetof(Render, size), .count = 2, .value = "[1280, 720]", .example = "WxH",
     .range = ">=16 <=8192", .unit = "pixels", .doc = "width and height"},
    {"camera", SN_NUMBER, offsetof(Render, eye), .count = 6, .example = "EX,EY,EZ,TX,TY,TZ", .unit = "m",
     .doc = "where the camera stands and the point it looks at (fitted to the motion)"},
    {"wireframe", SN_BOOLEAN, offsetof(Render, wireframe), .value = "false", .doc = "draw the edges of the triangles"},
    {"flat", SN_BOOLEAN, offsetof(Render, flat), .value = "false",
     .doc = "every triangle by its own normal, not smooth"},
    {"turntable", SN_NUMBER, offsetof(Render, turns), .value = "0", .unit = "turns",
     .doc = "the camera goes around what it looks at, so often in a film or sequence; a part of a turn for a picture"},
    {"path", SN_TEXT, offsetof(Render, path_file), .example = "FILE",
     .doc = "the camera goes along the places in a file: lines of TIME EX EY EZ TX TY TZ, smooth in between"},
    {"no-ground", SN_BOOLEAN, offsetof(Render, no_ground), .value = "false", .doc = "leave out the ground"},
    {"transparent", SN_BOOLEAN, offsetof(Render, transparent), .value = "false",
     .doc = "a .png without backdrop: bodies, and the shadows on the ground, over nothing"},
    {"checker", SN_NUMBER, offsetof(Render, checker), .value = "0", .range = ">=0 <=10000", .example = "N",
     .doc = "draw N x N squares per unit of texture coordinates over bodies that have them"},
    {"trails", SN_NUMBER, offsetof(Render, trail), .value = "0", .range = ">=0", .unit = "s",
     .doc = "draw the ways of some nodes of each body, so long before the frame"},
    {"show", SN_CHOICE, offsetof(Render, show), .names = (const char* const[]){"contacts", NULL}, .example = "contacts",
     .doc = "draw contacts over it: where they are, arrows of the forces, what sticks and what slides"},
    {"colour", SN_CHOICE, offsetof(Render, colour), .names = sn_run_colour_names, .example = "WHAT",
     .doc = "colour bodies by the speed of their nodes, by how far edges are stretched, by a field of `sinew list "
            "fields`, by the residual of each node or by the subdomains of `solver: dot`; for the last two the steps "
            "are made again"},
    {"range", SN_TEXT, offsetof(Render, range), .value = "auto", .example = "LO,HI",
     .doc = "ends of the scale of --colour; auto: those of the run"},
    {"quality", SN_CHOICE, offsetof(Render, quality), .names = qualities, .example = "NAME",
     .doc = "of light and shadow: fast (without ambient occlusion), film (of films), still (of pictures)"},
    {"fps", SN_NUMBER, offsetof(Render, rate), .range = ">0 <=1000",
     .doc = "frames of the run per second of film (real speed)"},
    {0},
};

static bool has_ending(const char* path, const char* ending)
{
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcasecmp(path + length - wanted, ending) == 0;
}

// Where the camera is in a frame, of `part` of all that is shown.
static void place_camera(const Render* render, int frame, double part)
{
    SnCamera* camera = &render->scene->scene.camera;
    *camera = render->start;
    if (render->way) {
        sn_camera_path_at(render->way, sn_run_file_frame_time(render->scene->run, frame), camera);
        sn_run_picture_turn(render->scene, camera->eye);
        sn_run_picture_turn(render->scene, camera->target);
    }
    if (render->turns != 0) sn_camera_orbit(camera, 2 * SN_PI * render->turns * part);
}

// Draws the frame; *pixels is what is seen, RGB or, of transparent pictures, RGBA.
static SnStatus draw_frame(const Render* render, int frame, double part, const uint8_t** pixels)
{
    place_camera(render, frame, part);
    SN_TRY(sn_run_picture_read(render->scene, frame));
    if (render->colours) SN_TRY(sn_run_colour_read(render->colours, frame));
    if (render->trails) sn_run_trails_show(render->trails, frame);
    SN_TRY(sn_picture_draw(render->picture, &render->scene->scene));
    *pixels = render->transparent ? sn_picture_rgba(render->picture) : sn_picture_pixels(render->picture);
    if (!render->pixels) return SN_OK;
    memcpy(render->pixels, *pixels, 3 * (size_t)render->size[0] * (size_t)render->size[1]);
    *pixels = render->pixels;
    if (render->colours)
        SN_TRY(sn_run_colour_draw_scale(render->colours, render->size[0], render->size[1], render->pixels));
    return render->show ? sn_run_contacts_draw(&render->contacts, frame, render->pixels) : SN_OK;
}

static SnStatus write_png(const Render* render, const char* path, const uint8_t* pixels)
{
    int width = render->size[0], height = render->size[1];
    return (render->transparent ? sn_png_write_rgba : sn_png_write)(path, width, height, pixels);
}

static SnStatus write_picture(const Render* render, int frame)
{
    const uint8_t* pixels;
    SN_TRY(draw_frame(render, frame, 1, &pixels));
    SN_TRY(write_png(render, render->path, pixels));
    printf("%s: frame %d, %d x %d pixels\n", render->path, frame, render->size[0], render->size[1]);
    return SN_OK;
}

// Which frames a film shows, and how fast.
typedef struct Reel {
    double rate; // frames per second
    int count;   // frames of the film
    double stride;
} Reel;

// At real speed by the frames' times; a run without a course of time (equilibria) gets 10 frames a second.
static Reel plan_reel(const SnRunFile* run, double rate)
{
    int count = sn_run_file_frame_count(run);
    Reel reel = {.rate = rate, .count = count, .stride = 1};
    if (rate > 0) return reel;
    double span = sn_run_file_frame_time(run, count - 1) - sn_run_file_frame_time(run, 0);
    reel.rate = span > 0 && count > 1 ? (count - 1) / span : 10;
    if (reel.rate > FASTEST) {
        reel.stride = reel.rate / FASTEST;
        reel.rate = FASTEST;
        reel.count = (int)floor((count - 1) / reel.stride + 1e-9) + 1;
    }
    return reel;
}

// "dir/name.%04d.png": the number of the picture in place of the field.
static SnStatus write_numbered(const Render* render, int number, const uint8_t* pixels)
{
    char path[4096];
    const char *percent = strchr(render->path, '%'), *d = strchr(percent, 'd');
    int width = d > percent + 1 ? atoi(percent + 1) : 0;
    snprintf(path, sizeof path, "%.*s%0*d%s", (int)(percent - render->path), render->path, width, number, d + 1);
    return write_png(render, path, pixels);
}

// A frame that is written while the next one is drawn.
typedef struct Page {
    const Render* render;
    SnFilm* film; // NULL: it is one of a sequence
    int number;
    uint8_t* pixels;
} Page;

static SnStatus write_page(void* context)
{
    const Page* page = context;
    return page->film ? sn_film_add(page->film, page->pixels)
                      : write_numbered(page->render, page->number, page->pixels);
}

static SnStatus add_frame(const Reel* reel, int i, Page* page, SnAside* writer)
{
    const Render* render = page->render;
    const uint8_t* pixels;
    SnStatus status = draw_frame(render, (int)lround(i * reel->stride), i / (double)reel->count, &pixels);
    SnStatus before = sn_aside_wait(writer); // its message comes last
    if (before != SN_OK || status != SN_OK) return before != SN_OK ? before : status;
    memcpy(page->pixels, pixels, (render->transparent ? 4 : 3) * (size_t)render->size[0] * (size_t)render->size[1]);
    page->number = i;
    sn_aside_begin(writer, write_page, page);
    return SN_OK;
}

static SnStatus film_frames(const Render* render, const Reel* reel, SnFilm* film)
{
    bool terminal = isatty(STDERR_FILENO);
    Page page = {render, film, 0, NULL};
    SnAside* writer;
    SN_TRY(sn_aside_create(&writer));
    bool room = SN_NEW(page.pixels, 4 * (int64_t)render->size[0] * render->size[1], "picture");
    SnStatus status = room ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; status == SN_OK && i < reel->count; i++) {
        if (terminal) fprintf(stderr, "\rframe %d of %d ", i + 1, reel->count);
        status = add_frame(reel, i, &page, writer);
    }
    if (status == SN_OK) status = sn_aside_wait(writer);
    sn_aside_destroy(writer);
    sn_free(page.pixels);
    if (terminal) fprintf(stderr, "\r\033[K");
    return status;
}

// That of a sequence, where it is the same for all its pictures.
static SnStatus make_folder(const char* path)
{
    const char* slash = strrchr(path, '/');
    if (!slash || slash == path || strchr(path, '%') < slash) return SN_OK;
    char* folder = sn_copy_text(path);
    if (!folder) return SN_ERROR_MEMORY;
    folder[slash - path] = '\0';
    SnStatus status = sn_export_make_folder(folder);
    sn_free(folder);
    return status;
}

static SnStatus write_sequence(const Render* render, const SnRunFile* run)
{
    Reel reel = {.count = sn_run_file_frame_count(run), .stride = 1};
    SN_TRY(make_folder(render->path));
    SN_TRY(film_frames(render, &reel, NULL));
    printf("%s: %d pictures, %d x %d pixels\n", render->path, reel.count, render->size[0], render->size[1]);
    return SN_OK;
}

static SnStatus write_film(const Render* render, const SnRunFile* run, double rate)
{
    Reel reel = plan_reel(run, rate);
    SnFilm* film;
    SN_TRY(sn_film_create(render->path, render->size[0], render->size[1], reel.rate, &film));
    SnStatus status = film_frames(render, &reel, film);
    if (status != SN_OK) {
        sn_film_destroy(film);
        return status;
    }
    SN_TRY(sn_film_finish(film));
    printf("%s: %d frames at %.4g per second, %d x %d pixels\n", render->path, reel.count, reel.rate, render->size[0],
           render->size[1]);
    return SN_OK;
}

// Camera, ground and lines as the options have them.
static void apply_options(Render* render, bool moved, bool is_film, SnPictureScene* scene)
{
    double *eye = scene->camera.eye, *target = scene->camera.target;
    if (moved) {
        memcpy(eye, render->eye, sizeof render->eye), memcpy(target, render->target, sizeof render->target);
        sn_run_picture_turn(render->scene, eye), sn_run_picture_turn(render->scene, target);
    }
    if (moved && eye[0] == target[0] && eye[2] == target[2]) scene->camera.up[1] = 0, scene->camera.up[2] = -1;
    render->start = scene->camera;
    scene->wireframe = render->wireframe;
    scene->flat = render->flat;
    scene->checker = render->checker;
    scene->transparent = render->transparent;
    scene->ground = !render->no_ground;
    scene->quality = is_film ? SN_PICTURE_FILM : SN_PICTURE_STILL;
    for (int i = 0; render->quality && qualities[i]; i++)
        if (strcmp(render->quality, qualities[i]) == 0) scene->quality = (SnPictureQuality)i;
}

#define ARROW 0.15 // of the scene's size

// Forces have the same scale in all frames of a film.
static SnStatus prepare_contacts(Render* render, SnRunFile* run, int first, int last)
{
    if (!render->show) return SN_OK;
    SN_TRY(sn_run_file_need_contacts(run));
    SnRunContacts* c = &render->contacts;
    *c = (SnRunContacts){run,
                         &render->scene->scene.camera,
                         ARROW * render->scene->scene.ground_size,
                         0,
                         render->size[0],
                         render->size[1],
                         render->scene->turned ? render->scene->turn : NULL};
    return sn_run_contacts_scale(run, first, last, &c->force);
}

static SnStatus read_range(const Render* render, double range[2])
{
    int used = 0;
    if (!render->colour) return sn_fail(SN_ERROR_VALUE, "--range is for --colour");
    if (sscanf(render->range, "%lf,%lf%n", &range[0], &range[1], &used) == 2 && !render->range[used] &&
        range[0] < range[1])
        return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "--range %s is not auto or two increasing numbers, as in 0,1e5", render->range);
}

// What is drawn over the picture, and colours.
static SnStatus prepare(Render* render, SnRunFile* run, int first, int last)
{
    SN_TRY(prepare_contacts(render, run, first, last));
    if (render->trail > 0) SN_TRY(sn_run_trails_create(render->scene, render->trail, &render->trails));
    double range[2];
    bool given = strcmp(render->range, "auto") != 0;
    if (given) SN_TRY(read_range(render, range));
    if (render->colour)
        SN_TRY(sn_run_colour_create(render->scene, render->colour, given ? range : NULL, &render->colours));
    if (!render->show && !render->colour) return SN_OK;
    int64_t size = 3 * (int64_t)render->size[0] * render->size[1];
    return SN_NEW(render->pixels, size, "picture") ? SN_OK : SN_ERROR_MEMORY;
}

// One %d, or %04d and the like, and no other field: printf shall see none.
static bool has_field(const char* path)
{
    const char* percent = strchr(path, '%');
    if (!percent || strchr(percent + 1, '%')) return false;
    size_t digits = strspn(percent + 1, "0123456789");
    return digits <= 2 && percent[1 + digits] == 'd';
}

static int render_run(const SnArguments* arguments, SnRunFile* run_file, Render* render)
{
    bool is_film = sn_film_suits(render->path) || render->sequence;
    int count = sn_run_file_frame_count(run_file), frame = render->frame < 0 ? render->frame + count : render->frame;
    if (count > 0 && (frame < 0 || frame >= count))
        return sn_usage_error(arguments, "--frame %d: must be a whole number from %d to %d", render->frame, -count,
                              count - 1);
    if (sn_run_file_format(run_file) < 3)
        fprintf(stderr, "sinew: %s is of an earlier format, which kept no obstacles: bodies alone are drawn\n",
                sn_run_file_path(run_file));
    SnStatus status = render->path_file ? sn_camera_path_read(render->path_file, &render->way) : SN_OK;
    if (status == SN_OK)
        status = sn_run_picture_create(run_file, (double)render->size[0] / render->size[1], &render->scene);
    if (status == SN_OK && render->turns != 0) status = sn_run_picture_fit_around(render->scene);
    if (status != SN_OK) return sn_exit_of(status);
    apply_options(render, sn_option_given(arguments, "camera"), is_film, &render->scene->scene);
    status = sn_camera_check(&render->scene->scene.camera);
    if (status == SN_OK) status = prepare(render, run_file, is_film ? 0 : frame, is_film ? count - 1 : frame);
    if (status == SN_OK) status = sn_picture_create(render->size[0], render->size[1], &render->picture);
    if (status == SN_OK)
        status = render->sequence ? write_sequence(render, run_file)
                 : is_film        ? write_film(render, run_file, render->rate)
                                  : write_picture(render, frame);
    return sn_exit_of(status);
}

// What can be said of the usage before the run is opened.
static int check_usage(const SnArguments* arguments, Render* render)
{
    if (!sn_options_read(arguments, render)) return SN_EXIT_USAGE;
    render->path = sn_option_value(arguments, "output");
    if (!render->path)
        return sn_usage_error(arguments,
                              "-o FILE is missing; FILE ends in .png, or, of a film, in .mp4, .webm or .gif");
    bool is_film = sn_film_suits(render->path), picture = has_ending(render->path, ".png");
    render->sequence = picture && has_field(render->path);
    if (!is_film && !picture)
        return sn_usage_error(
            arguments,
            "-o %s: must end in .png (a picture; with %%04d in it, one for each frame) or .mp4, .webm or "
            ".gif (a film)",
            render->path);
    if (render->path_file && sn_option_given(arguments, "camera"))
        return sn_usage_error(arguments, "--path and --camera: the camera can do one of them");
    if (render->sequence && sn_option_given(arguments, "frame"))
        return sn_usage_error(arguments, "--frame is for pictures; %s is one for each frame", render->path);
    if (render->transparent && (is_film || render->show || render->colour))
        return sn_usage_error(arguments, "--transparent is for .png, without --show and --colour");
    if (is_film && sn_option_given(arguments, "frame"))
        return sn_usage_error(arguments, "--frame is for pictures; a film shows all frames");
    if (!is_film && sn_option_given(arguments, "fps")) return sn_usage_error(arguments, "--fps is for films");
    if (is_film && (render->size[0] % 2 || render->size[1] % 2))
        return sn_usage_error(arguments, "--size %dx%d: width and height of a film must be even", render->size[0],
                              render->size[1]);
    return SN_EXIT_DONE;
}

static int run(const SnArguments* arguments)
{
    Render render = {0};
    int code = check_usage(arguments, &render);
    if (code != SN_EXIT_DONE) return code;
    SnRunFile* run_file;
    SnStatus status = sn_run_file_open(arguments->words[0], &run_file);
    if (status != SN_OK) return sn_exit_of(status);
    code = render_run(arguments, run_file, &render);
    sn_picture_destroy(render.picture);
    sn_run_colour_destroy(render.colours);
    sn_run_trails_destroy(render.trails);
    sn_run_picture_destroy(render.scene);
    sn_camera_path_destroy(render.way);
    sn_free(render.pixels);
    sn_run_file_destroy(run_file);
    return code;
}

static const SnOption options[] = {
    {"output", 'o', "FILE", false,
     "a picture (.png; with %04d in its name, one for each frame) or a film (.mp4, .webm or .gif, written by the "
     "program "
     "ffmpeg)"},
    {0},
};

const SnCommand sn_command_render = {
    .name = "render",
    .usage = "RUN -o FILE.png|FILE.mp4|FILE.webm|FILE.gif [options]",
    .summary = "draw a frame of a run, or a film of it",
    .help = "Drawn off-screen by OpenGL, on a graphics card or the processor; no window system is needed.\n"
            "A film runs at real speed; frames beyond 60 a second are left out, unless --fps asks for all of them.",
    .parameters = parameters,
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
