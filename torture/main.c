// torture: everything that a run may meet, at random. `torture [PART...] [seed=N] [count=N] [seconds=S] [only=N]
// [scene=FILE]`;
// prints TAP.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/timer.h"
#include "torture.h"

static double start;

double torture_seconds(void)
{
    return (sn_now_ms() - start) / 1000;
}

typedef struct Part {
    const char* name;
    int (*run)(const Torture* torture);
} Part;

static const Part parts[] = {
    {"scenes", torture_scenes}, {"thrown", torture_thrown}, {"right", torture_right},
    {"kills", torture_kills},   {"disk", torture_disk},     {"memory", torture_memory},
};
enum { PARTS = sizeof parts / sizeof *parts };

static bool read_option(const char* text, Torture* t)
{
    const char* equals = strchr(text, '=');
    if (!equals) return false;
    const char* value = equals + 1;
    if (strncmp(text, "seed=", 5) == 0) return t->seed = strtoull(value, NULL, 10), true;
    if (strncmp(text, "count=", 6) == 0) return t->count = atoi(value), true;
    if (strncmp(text, "seconds=", 8) == 0) return t->seconds = atof(value), true;
    if (strncmp(text, "only=", 5) == 0) return t->only = atoi(value), true;
    if (strncmp(text, "scene=", 6) == 0) return t->scene = value, true;
    if (strncmp(text, "folder=", 7) == 0) return t->folder = value, true;
    return false;
}

static int is_scene(const struct dirent* entry)
{
    const char* dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

static bool find_gallery(Torture* t)
{
    static char* names[256];
    static struct dirent** entries; // whose names are kept
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/gallery", t->scenes);
    int count = scandir(folder, &entries, is_scene, alphasort);
    t->gallery = names;
    for (int i = 0; i < count && i < 256; i++) names[t->gallery_count++] = entries[i]->d_name;
    return t->gallery_count > 0;
}

int main(int argc, char** argv)
{
    Torture t = {.seed = 1,
                 .only = -1,
                 .program = SN_BINARY_DIR "/sinew",
                 .scenes = SN_SOURCE_DIR "/scenes",
                 .folder = SN_BINARY_DIR "/torture-found"};
    bool chosen[PARTS] = {0}, any = false;
    start = sn_now_ms();
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        bool known = read_option(argv[i], &t);
        for (int p = 0; p < PARTS && !known; p++)
            if (strcmp(argv[i], parts[p].name) == 0) known = any = chosen[p] = true;
        if (known) continue;
        fprintf(stderr, "torture: '%s' is neither a part nor an option\n", argv[i]);
        return 2;
    }
    mkdir(t.folder, 0777);
    if (!find_gallery(&t)) {
        fprintf(stderr, "torture: no scenes in %s/gallery\n", t.scenes);
        return 2;
    }
    int failed = 0;
    printf("1..%d\n", PARTS);
    for (int p = 0; p < PARTS; p++) {
        if (any && !chosen[p]) {
            printf("ok %d - %s # SKIP\n", p + 1, parts[p].name);
            continue;
        }
        bool bad = parts[p].run(&t) > 0;
        printf("%sok %d - %s\n", bad ? "not " : "", p + 1, parts[p].name);
        failed += bad;
    }
    return failed > 0;
}
