#include "live/request.h"

#include <inttypes.h>
#include <stdio.h>

bool sn_request_read(const char* text, int show_count, SnRequest* r)
{
    int field, contacts;
    *r = (SnRequest){0};
    if (sscanf(text, "frame %d %d %d %d", &r->show, &r->frame, &field, &contacts) == 4) {
        r->kind = SN_REQUEST_FRAME;
        if (r->frame < 0 || field < 0 || field >= SN_SHOW_FIELDS) return false;
        r->wish = (SnShowWish){.field = (SnShowField)field, .contacts = contacts != 0};
    } else if (sscanf(text, "steps %d %" SCNd64, &r->show, &r->after) == 2) {
        r->kind = SN_REQUEST_STEPS;
        if (r->after < -1) return false;
    } else if (sscanf(text, "compare %d", &r->branch) == 1) {
        r->kind = SN_REQUEST_COMPARE;
    } else
        return false;
    return r->show >= 0 && r->show < show_count;
}
