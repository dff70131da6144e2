// A film is an ffmpeg process fed raw frames on its standard input, its complaints read back from its standard error.
#include "view/film.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"

enum { TAIL_SIZE = 600, MOST_ARGUMENTS = 64, PATIENCE_MS = 60000 };

// Of width, height and frames per second; what the ending asks for and the file follow.
static const char command[] =
    "ffmpeg -nostdin -hide_banner -loglevel error -y -f rawvideo -pixel_format rgb24 -video_size %dx%d -framerate %.9g "
    "-i pipe:0 -an";

#define BT709                                                                                                  \
    "-vf scale=out_color_matrix=bt709:out_range=tv -pix_fmt yuv420p -colorspace bt709 -color_primaries bt709 " \
    "-color_trc iec61966-2-1 -color_range tv"
static const struct {
    const char *ending, *options;
} kinds[] = {
    {".mp4", BT709 " -c:v libx264 -preset veryfast -crf 16 -movflags +faststart -f mp4"},
    {".webm", BT709 " -c:v libvpx-vp9 -deadline good -cpu-used 5 -row-mt 1 -crf 24 -b:v 0 -f webm"},
    {".gif", "-vf split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=3 -f gif"},
};

// What ffmpeg is told for a file of this ending; NULL: no film has it.
static const char* options_for(const char* path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t own = strlen(kinds[i].ending);
        if (length > own && strcasecmp(path + length - own, kinds[i].ending) == 0) return kinds[i].options;
    }
    return NULL;
}

bool sn_film_suits(const char* path)
{
    return options_for(path);
}

struct SnFilm {
    char* path;
    size_t frame_bytes;
    pid_t process;
    int input, errors;        // our ends of ffmpeg's pipes; -1 when closed
    char tail[TAIL_SIZE + 1]; // the end of what ffmpeg said
    size_t tail_length;
    int patience_ms;
};

void sn_film_set_patience(SnFilm* film, int milliseconds)
{
    film->patience_ms = milliseconds;
}

static void close_end(int* end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

// The child: only async-signal-safe calls until exec, and the reason into `failure` when that fails.
static void become_ffmpeg(int input, int errors, int failure, char* const arguments[])
{
    int silence = open("/dev/null", O_WRONLY);
    if (silence >= 0 && dup2(input, 0) >= 0 && dup2(errors, 2) >= 0 && dup2(silence, 1) >= 0) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_IGN); // Ctrl-C is for us: when we end, the pipe closes and ffmpeg completes the file
        execvp(arguments[0], arguments);
    }
    int reason = errno;
    _exit(write(failure, &reason, sizeof reason) > 0 ? 127 : 126);
}

// Pipes are closed on exec, so `failure` reads as ended once ffmpeg runs.
static SnStatus start_failure(const SnFilm* film, int failure)
{
    int reason = 0;
    ssize_t got;
    do got = read(failure, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return SN_OK;
    if (reason == ENOENT)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: films are written by the program ffmpeg, which was not found: install it (Debian, Ubuntu: "
                       "apt install ffmpeg), or write a .png instead",
                       film->path);
    return sn_fail(SN_ERROR_UNSUPPORTED, "%s: cannot start ffmpeg: %s", film->path, strerror(reason));
}

static SnStatus start_process(SnFilm* film, char* const arguments[])
{
    enum { INPUT, ERRORS, FAILURE, PIPES };
    int ends[PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    SnStatus status = SN_OK;
    for (int i = 0; i < PIPES; i++)
        if (pipe2(ends[i], O_CLOEXEC) != 0) status = SN_ERROR_FILE;
    if (status == SN_OK) film->process = fork();
    if (film->process == 0) become_ffmpeg(ends[INPUT][0], ends[ERRORS][1], ends[FAILURE][1], arguments);
    if (film->process < 0) status = sn_fail(SN_ERROR_FILE, "%s: cannot start ffmpeg: %s", film->path, strerror(errno));
    close_end(&ends[INPUT][0]), close_end(&ends[ERRORS][1]), close_end(&ends[FAILURE][1]);
    film->input = ends[INPUT][1];
    film->errors = ends[ERRORS][0];
    if (status == SN_OK) status = start_failure(film, ends[FAILURE][0]);
    close_end(&ends[FAILURE][0]);
    if (status != SN_OK && film->process > 0) { // never ran, so that an earlier file of this name is not ours to remove
        while (waitpid(film->process, NULL, 0) < 0 && errno == EINTR) continue;
        film->process = -1;
    }
    if (status != SN_OK) return status;
    fcntl(film->input, F_SETFL, O_NONBLOCK);
    fcntl(film->errors, F_SETFL, O_NONBLOCK);
    return SN_OK;
}

SnStatus sn_film_create(const char* path, int width, int height, double frames_per_second, SnFilm** out)
{
    *out = NULL;
    if (width < 2 || height < 2 || width % 2 || height % 2)
        return sn_fail(SN_ERROR_VALUE, "%s: a film of %d x %d pixels; both must be even and at least 2", path, width,
                       height);
    if (!(frames_per_second > 0 && frames_per_second <= 1000))
        return sn_fail(SN_ERROR_VALUE, "%s: %g frames per second; between 0 and 1000 can be written", path,
                       frames_per_second);
    SnFilm* film;
    if (!SN_NEW(film, 1, "film")) return SN_ERROR_MEMORY;
    film->input = film->errors = film->process = -1;
    film->patience_ms = PATIENCE_MS;
    film->frame_bytes = 3 * (size_t)width * (size_t)height;
    char words[1024], file[4096], *arguments[MOST_ARGUMENTS], *rest = words;
    int count = 0;
    const char* options = options_for(path);
    snprintf(words, sizeof words, command, width, height, frames_per_second);
    sn_append(words, sizeof words, " %s", options ? options : kinds[0].options);
    while (count < MOST_ARGUMENTS - 2 && (arguments[count] = strsep(&rest, " "))) count++;
    // So that a path with a colon is not taken for a protocol.
    int length = snprintf(file, sizeof file, "file:%s", path);
    arguments[count] = file, arguments[count + 1] = NULL;
    SnStatus status = (film->path = sn_copy_text(path)) ? SN_OK : SN_ERROR_MEMORY;
    if (length >= (int)sizeof file) status = sn_fail(SN_ERROR_FILE, "%s: the name is too long", path);
    if (status == SN_OK) status = start_process(film, arguments);
    SN_FINISH(status, film, sn_film_destroy, out);
}

// Takes what ffmpeg has said so far, keeping the end of it. False at the end of the stream.
static bool read_errors(SnFilm* film)
{
    char chunk[512];
    for (;;) {
        ssize_t got = read(film->errors, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 && errno == EAGAIN;
        size_t more = (size_t)got, kept = film->tail_length;
        if (kept + more > TAIL_SIZE) {
            size_t drop = kept + more - TAIL_SIZE;
            memmove(film->tail, film->tail + drop, kept - drop);
            kept -= drop;
        }
        memcpy(film->tail + kept, chunk, more);
        film->tail_length = kept + more;
    }
}

// It neither takes frames nor ends: it is not waited for any longer.
static SnStatus hangs(SnFilm* film)
{
    kill(film->process, SIGKILL);
    while (waitpid(film->process, NULL, 0) < 0 && errno == EINTR) continue;
    film->process = -1;
    return sn_fail(
        SN_ERROR_FILE,
        "%s: ffmpeg does nothing for %g s and was ended; try another ffmpeg, a smaller --size, or write a .png",
        film->path, film->patience_ms / 1000.0);
}

// Waits for the process and says what became of it.
static SnStatus collect(SnFilm* film)
{
    int result = 0, waited = 0;
    for (pid_t ended = 0; ended != film->process; waited += 10) {
        ended = waitpid(film->process, &result, WNOHANG);
        if (ended < 0 && errno != EINTR) break;
        if (ended == 0 && waited >= film->patience_ms) return hangs(film);
        if (ended == 0) poll(NULL, 0, 10);
    }
    film->process = -1;
    while (film->tail_length > 0 && strchr("\r\n ", film->tail[film->tail_length - 1])) film->tail_length--;
    film->tail[film->tail_length] = 0;
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return SN_OK;
    if (WIFSIGNALED(result))
        return sn_fail(SN_ERROR_FILE, "%s: ffmpeg was ended by signal %d: %s", film->path, WTERMSIG(result),
                       film->tail);
    return sn_fail(SN_ERROR_FILE, "%s: ffmpeg failed: %s", film->path,
                   film->tail_length ? film->tail : "it gave no reason");
}

// Nothing more goes to ffmpeg: hear it out, and report.
static SnStatus hear_out(SnFilm* film)
{
    close_end(&film->input);
    struct pollfd wait = {.fd = film->errors, .events = POLLIN};
    while (read_errors(film))
        if (poll(&wait, 1, film->patience_ms) == 0) return hangs(film);
    return collect(film);
}

// ffmpeg has closed its input.
static SnStatus broken(SnFilm* film)
{
    SnStatus status = hear_out(film);
    return status != SN_OK ? status : sn_fail(SN_ERROR_FILE, "%s: ffmpeg stopped before the last frame", film->path);
}

// Writes all bytes while draining the errors, so that neither pipe blocks the other.
static SnStatus feed(SnFilm* film, const uint8_t* bytes, size_t count)
{
    while (count > 0) {
        struct pollfd wait[2] = {{.fd = film->input, .events = POLLOUT}, {.fd = film->errors, .events = POLLIN}};
        int ready = poll(wait, 2, film->patience_ms);
        if (ready == 0) return hangs(film);
        if (ready < 0 && errno != EINTR)
            return sn_fail(SN_ERROR_FILE, "%s: cannot wait for ffmpeg: %s", film->path, strerror(errno));
        if (wait[1].revents && !read_errors(film)) return broken(film);
        ssize_t sent = write(film->input, bytes, count);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) return broken(film);
        if (sent > 0) bytes += sent, count -= (size_t)sent;
    }
    return SN_OK;
}

SnStatus sn_film_add(SnFilm* film, const uint8_t* pixels)
{
    if (film->process < 0) return sn_fail(SN_ERROR_FILE, "%s: ffmpeg has already stopped", film->path);
    // SIGPIPE is held back on this thread only, and taken off the queue: the host's handling of it is not ours.
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    SnStatus status = feed(film, pixels, film->frame_bytes);
    struct timespec now = {0, 0};
    if (!was_pending)
        while (sigtimedwait(&pipe_signal, NULL, &now) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

SnStatus sn_film_finish(SnFilm* film)
{
    SnStatus status =
        film->process < 0 ? sn_fail(SN_ERROR_FILE, "%s: ffmpeg has already stopped", film->path) : hear_out(film);
    close_end(&film->errors);
    SN_FREE(film->path, film);
    return status;
}

void sn_film_destroy(SnFilm* film)
{
    if (!film) return;
    close_end(&film->input);
    close_end(&film->errors);
    if (film->process > 0) {
        kill(film->process, SIGKILL);
        while (waitpid(film->process, NULL, 0) < 0 && errno == EINTR) continue;
        remove(film->path);
    }
    SN_FREE(film->path, film);
}
