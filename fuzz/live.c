// What a page may send: lines, of which requests for frames and steps are answered from a good run, those to a session
// read, and all others quoted, as texts of files are. What goes back has to be JSON, and arrays that are all there.
#include "live/message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "live/request.h"
#include "live/session.h"

void fuzz_live(const uint8_t* bytes, size_t size);

enum { SHOWS = 2, LINES = 16, BODIES = 8 };

static SnShow* show; // for as long as the process lives

static void close_show(void)
{
    sn_show_close(show);
}

static void open_show(void)
{
    const uint8_t* bytes;
    const char* path = fuzz_path(".live");
    size_t size = fuzz_good_run(&bytes);
    FILE* file = fopen(path, "wb");
    FUZZ_CHECK(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
    FUZZ_CHECK(sn_show_open(path, &show) == SN_OK && sn_show_body_count(show) <= BODIES);
    unlink(path);
    atexit(close_show);
    SnMessage message = {0};
    uint64_t seen[BODIES] = {0};
    for (int i = 0; i < sn_show_frame_count(show); i++) // so that it has all its memory
        for (int field = 0; field < SN_SHOW_FIELDS; field++)
            sn_show_frame(show, i, &(SnShowWish){(SnShowField)field, true}, seen, &message);
    sn_show_steps(show, -1, &message);
    sn_message_free(&message);
}

// Brackets and quotes are in pairs, and nothing stands in a string that may not.
static void check_json(const char* text, int count)
{
    int depth = 0;
    bool quoted = false;
    for (int i = 0; i < count; i++) {
        unsigned char c = (unsigned char)text[i];
        FUZZ_CHECK(c >= 0x20 && c < 0x7f);
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        FUZZ_CHECK(depth >= 0);
    }
    FUZZ_CHECK(depth == 0 && !quoted);
}

static void answer(const char* line, uint64_t* seen, SnMessage* m)
{
    SnRequest request;
    sn_message_clear(m);
    sn_message_print(m, "[");
    if (!sn_request_read(line, SHOWS, &request))
        sn_message_quote(m, sn_session_understands(line) ? "to the session" : line);
    else if (request.kind != SN_REQUEST_COMPARE) {
        FUZZ_CHECK(request.show >= 0 && request.show < SHOWS);
        SnStatus status = request.kind == SN_REQUEST_FRAME ? sn_show_frame(show, request.frame, &request.wish, seen, m)
                                                           : sn_show_steps(show, request.after, m);
        if (status != SN_OK) { // what was begun of the text is thrown away, as the server does
            sn_message_clear(m);
            sn_message_print(m, "[");
            sn_message_quote(m, sn_last_error());
        }
    }
    sn_message_print(m, "]");
    char* packed;
    size_t size;
    FUZZ_CHECK(sn_message_pack(m, 16, &packed, &size) == SN_OK && size % 4 == 0);
    check_json(m->text, m->text_count);
    sn_free(packed);
}

void fuzz_live(const uint8_t* bytes, size_t size)
{
    char text[1000];
    uint64_t seen[BODIES] = {0};
    if (!show) open_show();
    SnBudget budget;
    SnMessage message = {0};
    fuzz_begin(&budget);
    if (size >= sizeof text) size = sizeof text - 1;
    memcpy(text, bytes, size), text[size] = 0;
    char* at = text;
    for (int i = 0; i < LINES && at; i++) answer(strsep(&at, "\n"), seen, &message);
    sn_message_free(&message);
    fuzz_end(&budget);
}
