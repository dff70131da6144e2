// A page for a browser, served on this machine: runs to look at, or a simulation that goes on.
#pragma once
#include "live/session.h"
#include "live/show.h"

enum { SN_MOST_SHOWS = 2 };

typedef struct SnServerDef {
    const char* address; // that it listens on; NULL: 127.0.0.1. With any other a page needs the token of the address
    int port;            // 0: one that is free
    int show_count;
    SnShow* const* shows; // what is shown, side by side
    SnSession* session;   // what makes the first of them; NULL: nothing does
    int silence;          // s after which a page is gone that does not even answer whether it is there; 0: 40
} SnServerDef;

typedef struct SnServer SnServer;

SnStatus sn_server_create(const SnServerDef* def, SnServer** server);
void sn_server_destroy(SnServer* server);
const char* sn_server_address(const SnServer* server); // "http://127.0.0.1:4100/", with the token where one is needed
// Serves until sn_server_stop is called, which any thread and a signal's handler may do.
void sn_server_run(SnServer* server);
void sn_server_stop(SnServer* server);
