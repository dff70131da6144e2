// What a session keeps, for session.c (the thread and what others may ask) and session_acts.c (what is done).
#pragma once
#include <pthread.h>
#include <sinew/run.h>

#include "live/retrace.h"
#include "live/rival.h"
#include "live/session.h"

enum { SN_MOST_WAITING = 64, SN_MOST_REQUESTS = SN_MOST_WAITING + SN_MOST_PAGES, SN_MOST_LENGTH = 512 };

// What somebody asked; page: who.
typedef struct SnAsked {
    int page;
    char text[SN_MOST_LENGTH];
} SnAsked;

// An obstacle that a page carries, and where it was; or a handle, with the point that it was taken at.
typedef struct SnCarried {
    bool on;
    int obstacle;
    SnPose from;
    int handle;     // -1: none
    double* places; // 3 x as many nodes as it has
    double point[3];
} SnCarried;

struct SnSession {
    SnSessionDef def;
    char first[SN_LONGEST_PATH]; // of the first run file: def.path, which is the caller's,
    char path[SN_LONGEST_PATH];  // and of the one that is written now
    SnWorld* world;
    SnRunFile* run;
    SnRival rival;            // that makes the same steps by another solver
    int grabs[SN_MOST_PAGES]; // what each page holds, -1: nothing
    SnCarried carried[SN_MOST_PAGES];
    int own_handles;  // of the scene
    double up[3];     // the same
    double stiffness; // of all bodies, relative to the start
    double young;     // Pa, of the first one then
    pthread_t thread;
    bool started;
    void (*changed)(void* user);
    void* user;
    pthread_mutex_t mutex; // of all that follows
    pthread_cond_t asked;
    bool quit;
    int steps; // to be made though it does not play
    int request_count;
    SnAsked requests[SN_MOST_REQUESTS];
    SnSessionStatus status;
};

// Goes on with a run file that there is, and finds its branches (session_resume.c).
SnStatus sn_session_resume(SnSession* session);
// How it has got to where it goes on from.
void sn_session_tell(SnSessionStatus* status, const SnRetraced* retraced);
// What was asked, done by the session's thread.
SnStatus sn_session_act(SnSession* session, const SnAsked* asked, SnSessionStatus* status);
// What pages are told of the world.
void sn_session_look(const SnSession* session, SnSessionStatus* status);
void sn_session_look_at_handles(const SnSession* session, SnSessionStatus* status); // which may let go by themselves
