// A run as a page shows it: what there is, frames, steps; from the run file alone, which may be growing.
#pragma once
#include <sinew/run.h>

#include "live/message.h"

typedef struct SnShow SnShow;

SnStatus sn_show_open(const char* path, SnShow** show);
void sn_show_close(SnShow* show);
// Another run in its place, which may have other bodies; when it fails the show is as before.
SnStatus sn_show_reopen(SnShow* show, const char* path);

// How many frames there are by now; sn_show_refresh looks for new ones.
int sn_show_frame_count(const SnShow* show);
double sn_show_interval(const SnShow* show); // s, between two frames
SnStatus sn_show_refresh(SnShow* show);
// Whether bodies have come that it does not know; opened again, it does.
bool sn_show_has_grown(const SnShow* show);
const char* sn_show_path(const SnShow* show);

// What a page wants of frames, besides where everything is.
typedef enum SnShowField {
    SN_SHOW_PLAIN,
    SN_SHOW_SPEED,
    SN_SHOW_MOVED,
    SN_SHOW_RESIDUAL, // that the solve before the frame has left over
    SN_SHOW_BORNE,    // from here on those of sinew/field.h, for which the run's scene is read again
    SN_SHOW_STRESS = SN_SHOW_BORNE,
    SN_SHOW_PRESSURE,
    SN_SHOW_VOLUME,
    SN_SHOW_ENERGY,
    SN_SHOW_FIELDS
} SnShowField;
const char* sn_show_field_name(SnShowField field);

typedef struct SnShowWish {
    SnShowField field; // of nodes, for colours
    bool contacts;
} SnShowWish;

// JSON objects, with their arrays: what there is (bodies, obstacles); a frame, in which bodies that have not moved
// since the frame that `seen` is of, a number for each body, are left out; the steps after `after`.
void sn_show_describe(SnShow* show, SnMessage* message);
int sn_show_body_count(const SnShow* show);
SnStatus sn_show_frame(SnShow* show, int frame, const SnShowWish* wish, uint64_t* seen, SnMessage* message);
SnStatus sn_show_steps(SnShow* show, int64_t after, SnMessage* message);
