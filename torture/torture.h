// What the parts of the torture share: their options, and the count of what went wrong.
#pragma once
#include <sinew/base.h>

typedef struct Torture {
    uint64_t seed;
    int count;           // cases; 0: the part's own number
    double seconds;      // at most; 0: no limit
    const char* program; // sinew
    const char* scenes;  // the folder scenes/
    char** gallery;      // gallery_count: files of its folder gallery/
    int gallery_count;
    const char* folder; // where what fails is kept
    int only;           // this case alone, in this process; -1: all
} Torture;

// Each prints a line for what fails, and a last one of counts; returns how many failed.
int torture_scenes(const Torture* torture);
int torture_kills(const Torture* torture);
int torture_memory(const Torture* torture);
int torture_disk(const Torture* torture);

double torture_seconds(void); // since the program began
