// Progress lines of a run, and the summary at its end.
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/timer.h"

SnProgress sn_progress_start(bool quiet, int64_t first_step, int64_t last_step)
{
    return (SnProgress){.quiet = quiet,
                        .terminal = isatty(STDOUT_FILENO),
                        .first_step = first_step,
                        .last_step = last_step,
                        .start_ms = sn_now_ms()};
}

static void count(SnProgress* progress, const SnStepReport* report)
{
    progress->iterations += report->iterations;
    progress->drift = report->drift > progress->drift ? report->drift : progress->drift;
    progress->depth = report->depth > progress->depth ? report->depth : progress->depth;
    progress->bounded += report->bounded > 0, progress->inverted += report->inverted > 0;
    if (report->inverted > progress->most_inverted) progress->most_inverted = report->inverted;
    progress->last_inverted = report->inverted;
    progress->outcomes[report->outcome]++;
    if (report->outcome == SN_OUTCOME_CONVERGED && report->detail && *report->detail && progress->unkept++ == 0)
        progress->first_unkept = report->step;
    if (report->outcome == SN_OUTCOME_CONVERGED || progress->first_trouble) return;
    progress->first_trouble = report->step;
    snprintf(progress->trouble, sizeof progress->trouble, "%s", report->detail ? report->detail : "");
}

// "0:07", "12:40", "3:05:00"
static void time_text(double seconds, char* text, size_t size)
{
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

// "converged", and what that does not say.
static const char* outcome_text(const SnStepReport* report, char text[64])
{
    const char* name = sn_outcome_name(report->outcome);
    if (report->inverted == 0) return name;
    snprintf(text, 64, "%s, %d inside out", name, report->inverted);
    return text;
}

static void rewrite_line(SnProgress* progress, const SnStepReport* report)
{
    int64_t done = report->step - progress->first_step, all = progress->last_step - progress->first_step;
    double seconds = (sn_now_ms() - progress->start_ms) / 1000;
    char left[32], outcome[64];
    time_text(done > 0 ? seconds * (double)(all - done) / (double)done : 0, left, sizeof left);
    printf("\rframe %" PRId64 "/%" PRId64 "  %3d%%  %s left  %d iterations  %s\033[K", report->step,
           progress->last_step, (int)(100 * report->step / progress->last_step), left, report->iterations,
           outcome_text(report, outcome));
    fflush(stdout);
    progress->line_open = true;
}

void sn_progress_step(SnProgress* progress, const SnStepReport* report, bool frame_written)
{
    count(progress, report);
    if (progress->quiet) return;
    if (progress->terminal) {
        rewrite_line(progress, report);
    } else if (frame_written) {
        char parts[24] = "", outcome[64];
        if (report->parts > 1) snprintf(parts, sizeof parts, "  in %d parts", report->parts);
        printf("frame %" PRId64 "/%" PRId64 "  time %.6g s%s  %d iterations  %s  gradient %.3g N  %.1f ms\n",
               report->step, progress->last_step, report->time, parts, report->iterations,
               outcome_text(report, outcome), report->gradient, report->ms.total);
        fflush(stdout);
    }
}

void sn_progress_clear(SnProgress* progress)
{
    if (progress->line_open) fputs("\n", stdout);
    fflush(stdout);
    progress->line_open = false;
}

// What may be of concern in any step, also in one that converged.
static void tell_concerns(const SnProgress* progress)
{
    if (progress->drift > 0)
        printf("nodes held by energy were up to %.2g m off their places (handles.stiffness)\n", progress->drift);
    if (progress->depth > 0) printf("nodes were up to %.2g m inside obstacles\n", progress->depth);
    if (progress->inverted)
        printf("%d ended with elements that are inside out, up to %d of them, %d at the end%s\n", progress->inverted,
               progress->most_inverted, progress->last_inverted,
               progress->last_inverted ? "; solver admm may turn them back (upright)" : "");
    if (progress->unkept)
        printf("%d converged, but contacts are not as they should be, first in step %" PRId64
               "; `sinew stats` says how\n",
               progress->unkept, progress->first_unkept);
}

void sn_progress_summary(const SnProgress* progress)
{
    if (progress->quiet) return;
    int steps = progress->outcomes[0] + progress->outcomes[1] + progress->outcomes[2] + progress->outcomes[3];
    if (steps == 0) return;
    double seconds = (sn_now_ms() - progress->start_ms) / 1000;
    printf("%d steps in %.1f s (%.1f ms each, %.1f iterations)", steps, seconds, 1000 * seconds / steps,
           (double)progress->iterations / steps);
    int limited = progress->outcomes[SN_OUTCOME_ITERATION_LIMIT], stalled = progress->outcomes[SN_OUTCOME_STALLED];
    int unsettled = progress->outcomes[SN_OUTCOME_UNSETTLED];
    if (limited + stalled + unsettled == 0)
        printf(", all converged%s\n", progress->last_inverted ? ", but not the right way round" : "");
    else
        printf(", %d converged\n", progress->outcomes[SN_OUTCOME_CONVERGED]);
    tell_concerns(progress);
    if (limited + stalled + unsettled == 0) return;
    if (progress->bounded) printf("in %d, inner loops came to their bounds of work\n", progress->bounded);
    if (limited) printf("%d hit the limit of iterations (solver.iterations)\n", limited);
    if (stalled) printf("%d stalled\n", stalled);
    if (unsettled) printf("in %d, planes of contacts did not settle\n", unsettled);
    printf("the first was step %" PRId64 "%s%s; `sinew stats` shows them all\n", progress->first_trouble,
           *progress->trouble ? ": " : "", progress->trouble);
}
