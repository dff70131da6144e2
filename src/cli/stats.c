// `sinew stats`: a run's steps as a table, CSV or JSON.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/run_file.h"
#include "cli/command.h"
#include "core/memory.h"

typedef enum Kind { INT64, INT, DOUBLE, TEXT } Kind;

typedef struct Column {
    const char* name;
    Kind kind;
    size_t offset;
    int width; // in the table for people; 0: not shown there, negative: only where it is not all 0
} Column;

// The columns of the run file's step table, in its order; then those of its impulse table.
#define AT(field) offsetof(SnRunStep, field)
static const Column columns[] = {
    {"step", INT64, AT(step), 7},
    {"time", DOUBLE, AT(time), 10},
    {"iterations", INT, AT(iterations), 11},
    {"outcome", TEXT, AT(outcome), 16},
    {"gradient", DOUBLE, AT(gradient), 11},
    {"kinetic", DOUBLE, AT(energy.kinetic), 12},
    {"elastic", DOUBLE, AT(energy.elastic), 12},
    {"gravity", DOUBLE, AT(energy.gravity), 12},
    {"pins", DOUBLE, AT(energy.pins), 12},
    {"viscous", DOUBLE, AT(energy.viscous), -12},
    {"friction", DOUBLE, AT(energy.friction), -12},
    {"numerical", DOUBLE, AT(energy.numerical), 12},
    {"px", DOUBLE, AT(momentum[0]), 0},
    {"py", DOUBLE, AT(momentum[1]), 0},
    {"pz", DOUBLE, AT(momentum[2]), 0},
    {"lx", DOUBLE, AT(angular_momentum[0]), 0},
    {"ly", DOUBLE, AT(angular_momentum[1]), 0},
    {"lz", DOUBLE, AT(angular_momentum[2]), 0},
    {"contacts", INT, AT(contacts), 0},
    {"ms_local", DOUBLE, AT(ms_local), 0},
    {"ms_global", DOUBLE, AT(ms_global), 0},
    {"ms_contact", DOUBLE, AT(ms_contact), 0},
    {"ms_total", DOUBLE, AT(ms_total), 10},
    {"impulse_x", DOUBLE, AT(impulse[0]), 0},
    {"impulse_y", DOUBLE, AT(impulse[1]), 0},
    {"impulse_z", DOUBLE, AT(impulse[2]), 0},
    {"angular_impulse_x", DOUBLE, AT(angular_impulse[0]), 0},
    {"angular_impulse_y", DOUBLE, AT(angular_impulse[1]), 0},
    {"angular_impulse_z", DOUBLE, AT(angular_impulse[2]), 0},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

// A value as text; 17 digits bring a double back to the same bits.
static void value_text(const SnRunStep* step, const Column* column, int digits, char* text, size_t size)
{
    const void* value = (const char*)step + column->offset;
    switch (column->kind) {
    case INT64: snprintf(text, size, "%" PRId64, *(const int64_t*)value); break;
    case INT: snprintf(text, size, "%d", *(const int*)value); break;
    case DOUBLE: snprintf(text, size, "%.*g", digits, *(const double*)value); break;
    case TEXT: snprintf(text, size, "%s", (const char*)value); break;
    }
}

// What the dissipations of a run have taken, in order of steps.
typedef struct Losses {
    SnRunLoss* rows;
    int count;
} Losses;

// Those of one step, where there are any; *next: where to look, which moves on from step to step.
static const SnRunLoss* losses_of(const Losses* losses, int64_t step, int* next, int* count)
{
    while (*next < losses->count && losses->rows[*next].step < step) ++*next;
    int first = *next;
    while (*next < losses->count && losses->rows[*next].step == step) ++*next;
    *count = *next - first;
    return losses->rows + first;
}

// In CSV a quote within quotes is doubled.
static void print_csv_text(const char* before, const char* text)
{
    printf("\"%s", before);
    for (; *text; text++) {
        if (*text == '"') putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void print_csv(const SnRunStep* steps, int count, const Losses* losses)
{
    char text[64];
    int kinds, next = 0, found;
    const SnRunLoss* names = losses_of(losses, losses->count ? losses->rows[0].step : 0, &next, &kinds);
    for (int c = 0; c < COLUMNS; c++) printf("%s%s", c ? "," : "", columns[c].name);
    for (int k = 0; k < kinds; k++) putchar(','), print_csv_text("loss ", names[k].name);
    putchar('\n');
    next = 0;
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            value_text(&steps[i], &columns[c], 17, text, sizeof text);
            printf("%s%s", c ? "," : "", text);
        }
        const SnRunLoss* row = losses_of(losses, steps[i].step, &next, &found);
        for (int k = 0; k < kinds; k++) {
            putchar(',');
            if (k < found) printf("%.17g", row[k].energy);
        }
        putchar('\n');
    }
}

// JSON has no infinity and no not-a-number.
static bool has_json_number(const SnRunStep* step, const Column* column)
{
    return column->kind != DOUBLE || isfinite(*(const double*)((const char*)step + column->offset));
}

// An outcome may come from anybody's file.
static void print_json_text(const char* text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            printf("\\u%04x", *text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_json_losses(const SnRunLoss* rows, int count)
{
    char text[64];
    printf(", \"losses\": {");
    for (int k = 0; k < count; k++) {
        if (k) printf(", ");
        print_json_text(rows[k].name);
        snprintf(text, sizeof text, "%.17g", rows[k].energy);
        printf(": %s", isfinite(rows[k].energy) ? text : "null");
    }
    putchar('}');
}

static void print_json(const SnRunStep* steps, int count, const Losses* losses)
{
    char text[64];
    int next = 0, found;
    printf("[");
    for (int i = 0; i < count; i++) {
        printf("%s\n  {", i ? "," : "");
        for (int c = 0; c < COLUMNS; c++) {
            printf("%s\"%s\": ", c ? ", " : "", columns[c].name);
            value_text(&steps[i], &columns[c], 17, text, sizeof text);
            if (columns[c].kind == TEXT)
                print_json_text(text);
            else
                fputs(has_json_number(&steps[i], &columns[c]) ? text : "null", stdout);
        }
        const SnRunLoss* rows = losses_of(losses, steps[i].step, &next, &found);
        if (found > 0) print_json_losses(rows, found);
        printf("}");
    }
    printf("%s]\n", count ? "\n" : "");
}

static bool is_shown(const SnRunStep* steps, int count, const Column* column)
{
    if (column->width >= 0) return column->width > 0;
    for (int i = 0; i < count; i++)
        if (*(const double*)((const char*)&steps[i] + column->offset) != 0) return true;
    return false;
}

static void print_table(const SnRunStep* steps, int count, const Losses* losses)
{
    (void)losses; // print_ledger says them
    char text[64];
    bool shown[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        shown[c] = is_shown(steps, count, &columns[c]);
        if (shown[c]) printf("%*s ", abs(columns[c].width), columns[c].name);
    }
    putchar('\n');
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            value_text(&steps[i], &columns[c], 5, text, sizeof text);
            if (shown[c]) printf("%*s ", abs(columns[c].width), text);
        }
        putchar('\n');
    }
}

static void print_summary(SnRunFile* run, const SnRunStep* steps, int count)
{
    int made = 0, converged = 0;
    double ms = 0;
    for (int i = 0; i < count; i++) {
        if (steps[i].step == 0) continue; // the state before the first step
        made++;
        converged += strcmp(steps[i].outcome, sn_outcome_name(SN_OUTCOME_CONVERGED)) == 0;
        ms += steps[i].ms_total;
    }
    char* wanted = NULL;
    if (sn_run_file_meta(run, "frames", &wanted) != SN_OK) wanted = NULL;
    printf("%s: %d steps, %d converged, %.1f ms each", sn_run_file_name(run), made, converged, made ? ms / made : 0.0);
    if (wanted && made < atoi(wanted)) printf("; unfinished: %s were asked for", wanted);
    printf(" (times in s, energies in J, gradient in N)\n");
    sn_free(wanted);
}

// ", + 3 J by handles", ", - 2 J numerical"; a gain of less than nothing is a loss, and the other way round.
static void print_change(bool gain, double change, const char* what)
{
    printf(", %c %.6g J %s", gain == (change >= 0) ? '+' : '-', fabs(change), what);
}

// Where the energy came from and went, between the first row and the last.
static void print_ledger(const SnRunStep* steps, int count, const Losses* losses)
{
    if (count < 2) return;
    const SnEnergy *a = &steps[0].energy, *b = &steps[count - 1].energy;
    printf("energy %.6g J at the start", a->kinetic + a->elastic + a->gravity);
    print_change(true, b->pins - a->pins, "by handles");
    print_change(false, b->viscous - a->viscous, "viscous");
    print_change(false, b->friction - a->friction, "friction");
    print_change(false, b->numerical - a->numerical, "numerical");
    printf(", = %.6g J at the end\n", b->kinetic + b->elastic + b->gravity);
    for (int i = 0; i < losses->count; i++)
        if (losses->rows[i].step == losses->rows[losses->count - 1].step)
            printf("  lost to %s: %.6g J\n", losses->rows[i].name, losses->rows[i].energy);
}

static int run(const SnArguments* arguments)
{
    bool csv = sn_option_given(arguments, "csv"), json = sn_option_given(arguments, "json");
    if (csv && json) return sn_usage_error(arguments, "--csv and --json exclude each other");
    SnRunFile* run_file;
    SnRunStep* steps = NULL;
    int count = 0;
    Losses losses = {0};
    SnStatus status = sn_run_file_open(arguments->words[0], &run_file);
    if (status != SN_OK) return sn_exit_of(status);
    status = sn_run_file_read_steps(run_file, -1, &steps, &count);
    if (status == SN_OK) status = sn_run_file_read_losses(run_file, -1, &losses.rows, &losses.count);
    if (status == SN_OK) {
        (csv ? print_csv : json ? print_json : print_table)(steps, count, &losses);
        if (!csv && !json) print_summary(run_file, steps, count), print_ledger(steps, count, &losses);
    }
    sn_free(steps), sn_free(losses.rows);
    sn_run_file_destroy(run_file);
    return sn_exit_of(status);
}

static const SnOption options[] = {
    {"csv", 0, NULL, false, "all columns as CSV, numbers with 17 digits"},
    {"json", 0, NULL, false, "all columns as a JSON array of objects"},
    {0},
};

const SnCommand sn_command_stats = {
    .name = "stats",
    .usage = "RUN [--csv | --json]",
    .summary = "one row per step: time, iterations, outcome, gradient, energies, milliseconds",
    .help = "Works while the run is going on, and on a run that was killed. Row 0 is the state before the\n"
            "first step. kinetic, elastic and gravity are the state's energies; pins (work done by handles),\n"
            "viscous, friction and numerical (losses) are sums since the start. The last lines add them up, and\n"
            "say what each dissipation took. CSV and JSON also have the impulses, linear and angular, that\n"
            "gravity, handles and dissipations have given, and the loss to each dissipation.",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
