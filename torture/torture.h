// What the parts of the torture share: their options, and the count of what went wrong.
#pragma once
#include <sinew/world.h>

#include "core/random.h"

typedef struct Torture {
    uint64_t seed;
    int count;           // cases; 0: the part's own number
    double seconds;      // at most; 0: no limit
    const char* program; // sinew
    const char* scenes;  // the folder scenes/
    char** gallery;      // gallery_count: files of its folder gallery/
    int gallery_count;
    const char* scene;  // of `thrown` (for `count` steps) and `right`: this file in place of random ones
    const char* folder; // where what fails is kept
    int only;           // this case alone, in this process; -1: all
} Torture;

// Each prints a line for what fails, and a last one of counts; returns how many failed.
int torture_scenes(const Torture* torture);
int torture_thrown(const Torture* torture);
int torture_right(const Torture* torture);
int torture_kills(const Torture* torture);
int torture_memory(const Torture* torture);
int torture_disk(const Torture* torture);

// How a case ends.
enum { DONE = 0, REFUSED = 10, STOPPED = 11, BROKEN = 12 };
// What is wrong; the first one counts. Always false.
bool broken(const char* format, ...) __attribute__((format(printf, 1, 2)));
bool is_broken(void);
const char* complaint_of(int code); // or why it was refused or stopped; "": neither
int broken_in(int step);            // adds when that was
// Cases of random texts, each in a process of its own, so that whatever happens to it is seen; what fails is kept as a
// file. Returns how many did.
typedef void TortureText(SnRandom* random, int index, char* text);
typedef int TortureCase(const char* text, SnRandom* random);
int torture_each(const Torture* torture, const char* name, int count, TortureText* text, TortureCase* one_case);
// The case of the file that is asked for, in this process; 1: it failed.
int torture_one(const Torture* torture, TortureCase* one_case);
// The world of a scene; NULL: it is refused, or was without a reason, as `code` says.
SnWorld* torture_world(const char* text, int threads, int* code);

double torture_seconds(void); // since the program began
