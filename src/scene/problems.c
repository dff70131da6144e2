// The problems of a scene: recorded as they are found, sorted by line at the end.
#include "scene/problems.h"

#include <stdarg.h>
#include <string.h>

#include "core/plain.h"

static void add(SnProblems* problems, SnPlace place, bool warning, const char* format, va_list args)
{
    problems->errors += !warning;
    if (problems->count >= SN_MOST_PROBLEMS) {
        problems->left_out++;
        return;
    }
    char text[1600]; // fits sn_last_error() with a path in front
    sn_plain_print_list(text, sizeof text, format, args);
    const char* override = place.source->override;
    char* message = override ? sn_arena_print(problems->arena, "in '%.200s': %s", override, text)
                             : sn_arena_text(problems->arena, text, strlen(text));
    if (!message || !SN_GROW(problems->items, problems->capacity, problems->count + 1, "scene problems")) {
        problems->out_of_memory = true;
        return;
    }
    problems->items[problems->count++] =
        (SnSceneProblem){place.source->file, place.line, place.column, warning, message};
}

void sn_problem_error(SnProblems* problems, SnPlace place, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    add(problems, place, false, format, args);
    va_end(args);
}

void sn_problem_warning(SnProblems* problems, SnPlace place, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    add(problems, place, true, format, args);
    va_end(args);
}

static bool later(const SnSceneProblem* a, const SnSceneProblem* b)
{
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

// Insertion sort: stable, and there are at most SN_MOST_PROBLEMS.
static void sort_by_line(SnProblems* problems)
{
    for (int i = 1; i < problems->count; i++) {
        SnSceneProblem moved = problems->items[i];
        int j = i;
        for (; j > 0 && later(&problems->items[j - 1], &moved); j--) problems->items[j] = problems->items[j - 1];
        problems->items[j] = moved;
    }
}

static const SnSceneProblem* first_error(const SnProblems* problems)
{
    for (int i = 0; i < problems->count; i++)
        if (!problems->items[i].warning) return &problems->items[i];
    return NULL;
}

// A last line that says how many are not listed.
static void add_left_out(SnProblems* problems)
{
    SnSceneProblem last = problems->items[problems->count - 1];
    last.message = sn_arena_print(problems->arena, "%d more problems are not listed", problems->left_out);
    if (!last.message || !SN_GROW(problems->items, problems->capacity, problems->count + 1, "scene problems"))
        problems->out_of_memory = true;
    else
        problems->items[problems->count++] = last;
    problems->left_out = 0;
}

SnStatus sn_problems_finish(SnProblems* problems)
{
    sort_by_line(problems);
    if (problems->left_out) add_left_out(problems);
    if (problems->out_of_memory) return sn_fail(SN_ERROR_MEMORY, "out of memory while reading the scene");
    if (problems->errors == 0) return SN_OK;
    SnStatus status = problems->malformed ? SN_ERROR_FORMAT : SN_ERROR_VALUE;
    const SnSceneProblem* first = first_error(problems);
    if (!first) return sn_fail(status, "more than %d problems", SN_MOST_PROBLEMS);
    if (first->line == 0) return sn_fail(status, "%s: %s", first->file, first->message);
    return sn_fail(status, "%s:%d:%d: %s", first->file, first->line, first->column, first->message);
}

void sn_problems_free(SnProblems* problems)
{
    sn_free(problems->items);
    problems->items = NULL;
    problems->count = problems->capacity = 0;
}
