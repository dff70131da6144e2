// Films: their frames, what they refuse, and what an abandoned one leaves.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/status.h"
#include "pictures.h"
#include "view/aside.h"
#include "view/film.h"

static bool program_exists(const char* name)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", name);
    return system(command) == 0;
}

static void film_has_its_frames(void** state)
{
    (void)state;
    enum { W = 64, H = 48, FRAMES = 13 };
    if (!program_exists("ffmpeg") || !program_exists("ffprobe")) {
        print_message("skipped: ffmpeg or ffprobe is missing\n");
        skip();
    }
    static uint8_t pixels[3 * W * H];
    SnFilm* film;
    check_ok(sn_film_create(in_folder("film.mp4"), W, H, 12.5, &film));
    for (int f = 0; f < FRAMES; f++) {
        memset(pixels, 20 * f, sizeof pixels);
        check_ok(sn_film_add(film, pixels));
    }
    check_ok(sn_film_finish(film));
    char command[300], answer[100] = "";
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v -show_entries "
             "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 %s",
             in_folder("film.mp4"));
    FILE* pipe = popen(command, "r");
    check(pipe && fgets(answer, sizeof answer, pipe));
    pclose(pipe);
    answer[strcspn(answer, "\n")] = 0;
    assert_string_equal(answer, "h264,64,48,yuv420p,25/2,13");
}

static void film_mistakes(void** state)
{
    (void)state;
    SnFilm* film;
    check_fails(sn_film_create("odd.mp4", 63, 48, 25, &film), SN_ERROR_VALUE, "odd.mp4", "63 x 48", "even");
    check_fails(sn_film_create("slow.mp4", 64, 48, 0, &film), SN_ERROR_VALUE, "slow.mp4", "0 frames per second");
    char* path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    SnStatus status = sn_film_create(in_folder("film.mp4"), 64, 48, 25, &film);
    setenv("PATH", path, 1);
    free(path);
    check_fails(status, SN_ERROR_UNSUPPORTED, "ffmpeg", "apt install ffmpeg");
    check(film == NULL);
    if (!program_exists("ffmpeg")) return;
    // ffmpeg gives up while frames are coming: its own words are told, and SIGPIPE does not end this program
    static uint8_t pixels[3 * 64 * 48];
    check_ok(sn_film_create("/nonexistent/film.mp4", 64, 48, 25, &film));
    status = SN_OK;
    for (int f = 0; f < 2000 && status == SN_OK; f++) status = sn_film_add(film, pixels);
    check_fails(status, SN_ERROR_FILE, "/nonexistent/film.mp4", "No such file");
    check_fails(sn_film_add(film, pixels), SN_ERROR_FILE, "already stopped");
    sn_film_destroy(film);
}

// An ffmpeg that takes nothing, and one that does not end, are not waited for for ever.
static void hung_ffmpeg_is_ended(void** state)
{
    (void)state;
    static const char* const scripts[] = {"#!/bin/sh\nexec sleep 1000\n",
                                          "#!/bin/sh\nexec 0<&- 2>&-\nexec sleep 1000\n",
                                          "#!/bin/sh\ncat > /dev/null\nexec sleep 1000\n"};
    static uint8_t pixels[3 * 640 * 480];
    char* path = strdup(getenv("PATH"));
    for (int k = 0; k < 3; k++) {
        FILE* file = fopen(in_folder("ffmpeg"), "w");
        check(file && fputs(scripts[k], file) >= 0 && fclose(file) == 0);
        check(chmod(in_folder("ffmpeg"), 0755) == 0);
        char paths[4096];
        const char* script = in_folder("ffmpeg");
        snprintf(paths, sizeof paths, "%.*s:%s", (int)(strrchr(script, '/') - script), script, path);
        setenv("PATH", paths, 1);
        SnFilm* film;
        check_ok(sn_film_create(in_folder("hung.mp4"), 640, 480, 25, &film));
        setenv("PATH", path, 1);
        sn_film_set_patience(film, 200);
        SnStatus status = SN_OK;
        for (int f = 0; f < 3 && status == SN_OK; f++) status = sn_film_add(film, pixels);
        if (status != SN_OK)
            sn_film_destroy(film);
        else
            status = sn_film_finish(film);
        check(status == SN_ERROR_FILE);
        check(strstr(sn_last_error(), "hung.mp4") && strstr(sn_last_error(), "ffmpeg"));
        if (k != 1) check(strstr(sn_last_error(), "does nothing for 0.2 s") != NULL);
    }
    unlink(in_folder("ffmpeg"));
    free(path);
}

// Creates a film with the `ffmpeg` of this text and mode, and no other.
static SnStatus create_with(const char* text, mode_t mode, SnFilm** film)
{
    char *path = strdup(getenv("PATH")), here[4096];
    FILE* file = fopen(in_folder("ffmpeg"), "w");
    check(file && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(in_folder("ffmpeg"), mode) == 0);
    snprintf(here, sizeof here, "%s", in_folder("ffmpeg"));
    *strrchr(here, '/') = 0;
    setenv("PATH", here, 1);
    SnStatus status = sn_film_create(in_folder("killed.mp4"), 64, 48, 25, film);
    setenv("PATH", path, 1);
    free(path);
    return status;
}

// An ffmpeg that cannot be started, and one that is killed.
static void ffmpeg_that_does_not_work(void** state)
{
    (void)state;
    static uint8_t pixels[3 * 64 * 48];
    SnFilm* film;
    check_fails(create_with("", 0644, &film), SN_ERROR_UNSUPPORTED, "killed.mp4", "cannot start ffmpeg");
    SnStatus status = create_with("#!/bin/sh\nkill -9 $$\n", 0755, &film);
    check_ok(status);
    for (int f = 0; f < 1000 && status == SN_OK; f++) status = sn_film_add(film, pixels);
    check_fails(status, SN_ERROR_FILE, "killed.mp4", "ended by signal 9");
    sn_film_destroy(film);
    unlink(in_folder("ffmpeg"));
}

static void abandoned_film_is_removed(void** state)
{
    (void)state;
    SnFilm* film;
    if (!program_exists("ffmpeg")) {
        print_message("skipped: ffmpeg is missing\n");
        skip();
    }
    static uint8_t pixels[3 * 64 * 48];
    check_ok(sn_film_create(in_folder("film.mp4"), 64, 48, 25, &film));
    check_ok(sn_film_add(film, pixels));
    sn_film_destroy(film);
    check(access(in_folder("film.mp4"), F_OK) != 0);
    sn_film_destroy(NULL);
}

typedef struct Sum {
    int next, total, fails_at;
} Sum;

static SnStatus add_next(void* context)
{
    Sum* sum = context;
    if (sum->next == sum->fails_at) return sn_fail(SN_ERROR_FILE, "number %d", sum->next);
    sum->total += sum->next++;
    return SN_OK;
}

// One after the other, each done when it was waited for; a failure is told once, to the thread that waits.
static void work_beside(void** state)
{
    (void)state;
    SnAside* aside;
    Sum sum = {.fails_at = 60};
    check_ok(sn_aside_create(&aside));
    check_ok(sn_aside_wait(aside));
    for (int i = 0; i < 60; i++) {
        sn_aside_begin(aside, add_next, &sum);
        check_ok(sn_aside_wait(aside));
        assert_int_equal(sum.total, i * (i + 1) / 2);
    }
    sn_aside_begin(aside, add_next, &sum);
    check_fails(sn_aside_wait(aside), SN_ERROR_FILE, "number 60");
    check_ok(sn_aside_wait(aside));
    sum.fails_at = -1;
    sn_aside_begin(aside, add_next, &sum);
    sn_aside_destroy(aside); // what was begun is done first
    assert_int_equal(sum.total, 60 * 61 / 2);
    sn_aside_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(film_has_its_frames),       cmocka_unit_test(film_mistakes),
    cmocka_unit_test(hung_ffmpeg_is_ended),      cmocka_unit_test(ffmpeg_that_does_not_work),
    cmocka_unit_test(abandoned_film_is_removed), cmocka_unit_test(work_beside),
};
RUN_TESTS(tests, make_folder, remove_folder)
