// The page's files are put in by the assembler as they are; SN_WEB_DIR and SN_THREE_DIR come from the build.
#include "live/web.h"
#ifdef SN_HAVE_WEBSOCKETS

#include <string.h>

#define EMBED(name, file)                                                                          \
    __asm__(".section .rodata\n.balign 16\nsn_web_" #name ":\n.incbin \"" file "\"\nsn_web_" #name \
            "_end:\n.byte 0\n.text\n");                                                            \
    extern const char sn_web_##name[], sn_web_##name##_end[];

EMBED(index, SN_WEB_DIR "/index.html")
EMBED(style, SN_WEB_DIR "/style.css")
EMBED(view, SN_WEB_DIR "/view.js")
EMBED(stage, SN_WEB_DIR "/stage.js")
EMBED(camera, SN_WEB_DIR "/camera.js")
EMBED(link, SN_WEB_DIR "/link.js")
EMBED(graphs, SN_WEB_DIR "/graphs.js")
EMBED(live, SN_WEB_DIR "/live.js")
EMBED(three, SN_THREE_DIR "/three.module.min.js")
EMBED(licence, SN_THREE_DIR "/LICENSE")

#define FILE_ROW(path, type, name)                     \
    {                                                  \
        path, type, sn_web_##name, sn_web_##name##_end \
    }

static const SnWebFile files[] = {
    FILE_ROW("/", "text/html; charset=utf-8", index),
    FILE_ROW("/style.css", "text/css; charset=utf-8", style),
    FILE_ROW("/view.js", "text/javascript; charset=utf-8", view),
    FILE_ROW("/stage.js", "text/javascript; charset=utf-8", stage),
    FILE_ROW("/camera.js", "text/javascript; charset=utf-8", camera),
    FILE_ROW("/link.js", "text/javascript; charset=utf-8", link),
    FILE_ROW("/graphs.js", "text/javascript; charset=utf-8", graphs),
    FILE_ROW("/live.js", "text/javascript; charset=utf-8", live),
    FILE_ROW("/three.module.min.js", "text/javascript; charset=utf-8", three),
    FILE_ROW("/three.LICENSE.txt", "text/plain; charset=utf-8", licence),
};

const SnWebFile* sn_web_find(const char* path)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].path, path) == 0) return &files[i];
    return NULL;
}
#endif
