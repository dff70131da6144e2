// `sinew view`: runs in the browser, or a scene that is simulated while it is looked at.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/remake.h"
#include "cli/overrides.h"
#include "cli/run.h"
#include "core/memory.h"
#include "experiment/gallery.h"
#include "live/server.h"

typedef struct View {
    int port;
    SnScene* scene;
    SnSession* session;
    int show_count;
    SnShow* shows[SN_MOST_SHOWS];
    SnServer* server;
    SnArena texts;
} View;

static const SnParameter parameters[] = {
    {"port", SN_INTEGER, offsetof(View, port), .value = "0", .range = ">=0 <=65535",
     .doc = "listen there; 0 is one that is free"},
    {0},
};

static SnServer* running; // for the handler

static void stop(int signal)
{
    (void)signal;
    if (running) sn_server_stop(running);
}

static bool is_run(const char* path)
{
    char begin[16] = "";
    FILE* file = fopen(path, "rb");
    size_t count = file ? fread(begin, 1, sizeof begin, file) : 0;
    if (file) fclose(file);
    return count == sizeof begin && memcmp(begin, "SQLite format 3", sizeof begin) == 0;
}

// A file, or, where there is none of that name, a built-in scene.
static SnSceneSource find_scene(const char* word, char name[64])
{
    const SnGalleryScene* scene = sn_gallery_scenes;
    while (scene->name && strcmp(scene->name, word) != 0) scene++;
    if (!scene->name || access(word, F_OK) == 0) return (SnSceneSource){.path = word};
    snprintf(name, 64, "%s.yaml", scene->name);
    return (SnSceneSource){.path = name, .text = scene->text};
}

// The scene is simulated into a run file, which is what is shown.
static int start_scene(const SnArguments* arguments, View* view)
{
    SnOverrides overrides = {0};
    char name[64];
    const char* given = sn_option_value(arguments, "output");
    SnSceneSource source = find_scene(arguments->words[0], name);
    char* path = given ? sn_copy_text(given) : sn_path_with_ending(sn_path_name(source.path), ".run");
    int code = path && sn_overrides_add_set(&overrides, arguments) ? SN_EXIT_DONE : sn_exit_of(SN_ERROR_MEMORY);
    if (code == SN_EXIT_DONE) code = sn_load_scene(&source, overrides.items, overrides.count, false, &view->scene);
    if (code == SN_EXIT_DONE) {
        const char* changes = sn_overrides_lines(&overrides, &view->texts);
        SnStatus status = sn_session_create(&(SnSessionDef){.scene = view->scene, .path = path, .overrides = changes},
                                            &view->session);
        if (status == SN_OK) status = sn_show_open(path, &view->shows[0]);
        if (status == SN_OK) view->show_count = 1;
        if (status != SN_OK) code = sn_exit_of(status);
    }
    sn_overrides_free(&overrides);
    sn_free(path);
    return code;
}

// A session that goes on: its scene is in its run file.
static int resume(const SnArguments* arguments, View* view)
{
    SnRunFile* run;
    const char* path = arguments->words[0];
    SnStatus status = sn_run_file_open(path, &run);
    if (status == SN_OK) status = sn_remake_scene(run, &view->scene);
    sn_run_file_destroy(run);
    SnSessionDef def = {.scene = view->scene, .path = path, .resume = true};
    if (status == SN_OK) status = sn_session_create(&def, &view->session);
    if (status == SN_OK) status = sn_show_open(path, &view->shows[0]);
    if (status == SN_OK) view->show_count = 1;
    return status == SN_OK ? SN_EXIT_DONE : sn_exit_of_file(status);
}

static int open_runs(const SnArguments* arguments, View* view)
{
    for (int i = 0; i < arguments->word_count; i++) {
        SnStatus status = sn_show_open(arguments->words[i], &view->shows[i]);
        if (status != SN_OK) return sn_exit_of_file(status);
        view->show_count++;
    }
    return SN_EXIT_DONE;
}

// A browser, where there is one; the address is printed in any case.
static void open_browser(const char* address)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    pid_t child = fork();
    if (child != 0) return;
    execlp("xdg-open", "xdg-open", address, (char*)NULL);
    _exit(0);
}

static int serve(const SnArguments* arguments, View* view)
{
    SnServerDef def = {.address = sn_option_value(arguments, "address"),
                       .port = view->port,
                       .show_count = view->show_count,
                       .shows = view->shows,
                       .session = view->session};
    SnStatus status = sn_server_create(&def, &view->server);
    if (status != SN_OK) return sn_exit_of(status);
    printf("%s\n", sn_server_address(view->server));
    fflush(stdout);
    if (!sn_option_given(arguments, "no-browser")) open_browser(sn_server_address(view->server));
    running = view->server;
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sn_server_run(view->server);
    return SN_EXIT_DONE;
}

static int run(const SnArguments* arguments)
{
    View view = {0};
    if (!sn_options_read(arguments, &view)) return SN_EXIT_USAGE;
    bool runs = is_run(arguments->words[0]);
    if (!runs && arguments->word_count > 1)
        return sn_usage_error(arguments, "two can be looked at side by side if both are runs");
    bool on = sn_option_given(arguments, "resume");
    if (on && (!runs || arguments->word_count > 1))
        return sn_usage_error(arguments, "--resume goes on with one run file of an earlier session");
    int code = on ? resume(arguments, &view) : runs ? open_runs(arguments, &view) : start_scene(arguments, &view);
    if (code == SN_EXIT_DONE) code = serve(arguments, &view);
    sn_server_destroy(view.server);
    sn_session_destroy(view.session);
    for (int i = 0; i < view.show_count; i++) sn_show_close(view.shows[i]);
    sn_scene_destroy(view.scene);
    sn_arena_free(&view.texts);
    return code;
}

static const SnOption options[] = {
    {"output", 'o', "RUN", false,
     "of a scene: the run file (the scene's name with .run for its ending, in this folder)"},
    {"resume", 0, NULL, false, "of a run that was simulated here: go on with it, and with its branches"},
    {"set", 0, "PATH=VALUE", true, "of a scene: change any value"},
    {"address", 0, "IP", false,
     "listen there, not on this machine alone; the page then needs the token that is printed"},
    {"no-browser", 0, NULL, false, "only print the address"},
    {0},
};

const SnCommand sn_command_view = {
    .name = "view",
    .usage = "RUN [RUN] | SCENE | --resume RUN",
    .summary = "look at runs in the browser, or at a scene while it is simulated",
    .help = "Serves a page on this machine and opens it in a browser, until Ctrl-C. A run that is still being\n"
            "written is followed. Two runs are shown side by side. A scene, or one of `sinew gallery` by its\n"
            "name, is simulated into a run file; --resume goes on with such a file where it was left, and\n"
            "with its branches.",
    .parameters = parameters,
    .options = options,
    .min_words = 1,
    .max_words = 2,
    .run = run,
};
