// What a page asks a show for, as a line of text: "frame SHOW FRAME FIELD CONTACTS", "steps SHOW AFTER".
#pragma once
#include "live/show.h"

typedef enum SnRequestKind { SN_REQUEST_FRAME, SN_REQUEST_STEPS } SnRequestKind;

typedef struct SnRequest {
    SnRequestKind kind;
    int show, frame;
    int64_t after; // the last step that the page has
    SnShowWish wish;
} SnRequest;

// False: it is neither, or not of one of so many shows.
bool sn_request_read(const char* text, int show_count, SnRequest* request);
