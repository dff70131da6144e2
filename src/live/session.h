// A simulation that goes on while it is looked at: a thread that makes steps, writes them to a run file, and does in
// between what it is asked to.
#pragma once
#include <sinew/scene.h>

#include "core/status.h"

typedef struct SnSession SnSession;

typedef struct SnSessionDef {
    const SnScene* scene;  // must live as long
    const char* path;      // of the run file that it writes; copied
    const char* overrides; // that the scene was read with, a line each; kept in the file, or NULL
    bool resume;           // it goes on with that file, which is a session's, or a branch of one
} SnSessionDef;

// The run file is there afterwards, with the start as its first frame; nothing moves until it is asked to play.
// Resumed, it goes on from its last frame, by the nearest checkpoint, and the tree has the branches that there are.
SnStatus sn_session_create(const SnSessionDef* def, SnSession** session);
void sn_session_destroy(SnSession* session); // after its present step

// Called by the session's thread when something has changed; it must not ask the session for anything. NULL: from now
// on nobody is called.
void sn_session_watch(SnSession* session, void (*changed)(void* user), void* user);

// A line that a page sent: "play", "pause", "step", "speed 0.5", "gravity 0 -9.81 0"; "grab 0 7 8 9 0.5 0.2 0.3": of
// body 0 three nodes, and how much of each, "drag 0 1 0", "drop" of what it has grabbed, which is a handle where that
// holds the nearest of them; "obstacle 0 0 0.1 0", which is carried by so much, until "drop"; "pin", as "grab": held,
// or let go again; "stiffness 2", of all bodies as a multiple; "young 0 1e5", "poisson 0 0.3", "density 0 1e3", of one;
// "damping 0 1 0 0.01", of its damping 1 the number 0, as SnSessionDamping has them, "add-damping 0 0.01" of a body
// that has none, which keeps rigid motions; "friction 0.5", of everything; "solver 2", "integrator 1", by their
// numbers; "race 2": the same steps by another solver, too, in a run file of its own, which is a branch, and "race -1":
// no more; "place 2 0 1 0": body 2 is taken from the shelf, with its middle there, and "remove 2" puts one on it;
// "place-obstacle 1 0 1 0" and "remove-obstacle 1" likewise; "new 0 0.3 0 1 0": a new ball, 0.3 m across, with its
// middle there, "new-obstacle 1 0.3 0 1 0": a block that stays (live/make.h); "branch 12": from that frame on it goes
// on in another run file, NAME-1.run and so on; "switch 0": back to the first of these, at its end; "name 1 soft": what
// a branch is called. It is done by the session's thread, after its present step; false: there is no such request, or
// it is malformed. Any thread may ask; pages are counted from 0.
enum { SN_MOST_PAGES = 64 };
bool sn_session_ask(SnSession* session, int page, const char* request);
bool sn_session_understands(const char* request); // whether it is one

enum {
    SN_LONGEST_PATH = 1024,
    SN_MOST_SHOWN = 128,
    SN_MOST_BRANCHES = 64,
    SN_LONGEST_NAME = 48,
    SN_MOST_DAMPINGS = 6,
    SN_MOST_HELD = 600
};

// A run file of the session: what it is of, and from which frame on.
typedef struct SnBranch {
    int number;        // of NAME-1.run and so on; 0: the first, NAME.run
    int parent, frame; // -1 and 0 of the first
    int frames;
    char name[SN_LONGEST_NAME]; // or ""
} SnBranch;

// Numbers of a body's material, and of its dampings, the first of them.
typedef struct SnSessionBody {
    double young, poisson, density;
    int damping_count;
    struct SnSessionDamping {
        int damping, number;     // as "damping" wants them
        const char *type, *name; // "rayleigh", "beta"
        double value;
    } dampings[SN_MOST_DAMPINGS];
} SnSessionBody;

typedef struct SnSessionStatus {
    bool playing, failed;
    int frames;                 // of the run file
    double ms;                  // that the last step took
    int64_t retraced;           // steps that were made again to go on from where it did last
    double speed;               // of simulated time; 1: as fast as real time, where it can
    double stiffness;           // of all bodies, relative to the start
    char message[200];          // what went wrong, or ""
    int branch;                 // how often it has gone over to another run file,
    char path[SN_LONGEST_PATH]; // and the one that is written now
    int branch_count, at;       // all of them, and which that is
    SnBranch branches[SN_MOST_BRANCHES];
    int shelf_count, away_count; // bodies and obstacles on the shelf, the first of them
    int shelf[SN_MOST_SHOWN], away[SN_MOST_SHOWN];
    int held_count; // nodes that handles hold, the first of them
    int held[SN_MOST_HELD];
    int body_count; // the first of them
    SnSessionBody bodies[SN_MOST_SHOWN];
    double gravity[3];               // m/s2
    double friction;                 // of the first obstacle; without one, between bodies
    const char *solver, *integrator; // that make the steps now
    int race;                        // the branch that another solver makes at the same time; -1: none does
} SnSessionStatus;
void sn_session_status(SnSession* session, SnSessionStatus* status);
// The run file of a branch.
SnStatus sn_session_branch_path(const SnSession* session, int number, char path[SN_LONGEST_PATH]);
