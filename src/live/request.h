// What a page asks a show for, as a line of text: "frame SHOW FRAME FIELD CONTACTS", "steps SHOW AFTER"; and which
// branch of a session is shown beside it: "compare BRANCH".
#pragma once
#include "live/show.h"

typedef enum SnRequestKind { SN_REQUEST_FRAME, SN_REQUEST_STEPS, SN_REQUEST_COMPARE } SnRequestKind;

typedef struct SnRequest {
    SnRequestKind kind;
    int show, frame;
    int branch;    // -1: none
    int64_t after; // the last step that the page has
    SnShowWish wish;
} SnRequest;

// False: it is none of these, or not of one of so many shows.
bool sn_request_read(const char* text, int show_count, SnRequest* request);
