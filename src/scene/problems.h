// The problems of a scene: each with the place it was found at and what would be right. All are collected.
#pragma once
#include <sinew/scene.h>

#include "core/arena.h"

// Where a piece of text came from: a file, or an override of the command line.
typedef struct SnSource {
    const char* file;
    const char* override; // "path=value", or NULL
} SnSource;

typedef struct SnPlace {
    const SnSource* source;
    int line, column; // 1-based; 0 for overrides
} SnPlace;

enum { SN_MOST_PROBLEMS = 100 }; // listed; later ones are only counted

typedef struct SnProblems {
    SnArena* arena; // of messages
    double metres;  // that a unit of length of the scene is; 0: 1
    SnSceneProblem* items;
    int count, capacity;
    int errors, left_out;
    bool malformed;     // an error of syntax is among them
    bool out_of_memory; // a problem could not be recorded
} SnProblems;

void sn_problem_error(SnProblems* problems, SnPlace place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void sn_problem_warning(SnProblems* problems, SnPlace place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Sorts by line and returns what loading the scene returns: SN_OK when there are only warnings, otherwise
// SN_ERROR_FORMAT or SN_ERROR_VALUE with the first error as the message, or SN_ERROR_MEMORY.
SnStatus sn_problems_finish(SnProblems* problems);
void sn_problems_free(SnProblems* problems);
