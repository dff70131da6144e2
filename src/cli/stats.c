// `sinew stats`: a run's steps as a table, CSV or JSON.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sinew/run.h>

#include "archive/measured.h"
#include "cli/command.h"

// The table for people; CSV and JSON have all columns of the run file.
static const struct {
    const char* name;
    int width; // negative: only where it is not all 0, or infinite
} shown_columns[] = {
    {"step", 7},       {"time", 10},      {"iterations", 11}, {"outcome", 16},  {"gradient", 11},
    {"tolerance", 11}, {"kinetic", 12},   {"elastic", 12},    {"gravity", 12},  {"pins", 12},
    {"viscous", -12},  {"friction", -12}, {"numerical", 12},  {"contacts", -9}, {"distance", -11},
    {"depth", -11},    {"inverted", -9},  {"bounded", -8},    {"asleep", -7},   {"ms_total", 10},
};
enum { SHOWN = sizeof shown_columns / sizeof *shown_columns, MOST_STALLS = 5 };

static const void* member(const SnRunStep* step, const SnRunColumn* column)
{
    return (const char*)step + column->offset;
}

// A number as text; 17 digits bring a double back to the same bits.
static void print_number(const SnRunStep* step, const SnRunColumn* column, int digits, char* text, size_t size)
{
    const void* value = member(step, column);
    if (column->type == SN_COLUMN_INT64)
        snprintf(text, size, "%" PRId64, *(const int64_t*)value);
    else if (column->type == SN_COLUMN_INT)
        snprintf(text, size, "%d", *(const int*)value);
    else
        snprintf(text, size, "%.*g", digits, *(const double*)value);
}

static void print_nodes(const SnRunStep* step, const char* between)
{
    for (int i = 0; i < step->worst_count; i++) printf("%s%d", i ? between : "", step->worst[i]);
}

// What the dissipations of a run have taken, in order of steps.
typedef struct Losses {
    const SnRunLoss* rows;
    int count;
} Losses;

// What probes have measured, in order of steps.
typedef struct Values {
    const SnValueInfo* infos;
    int width; // numbers of each row
    const int64_t* steps;
    const double* rows;
    int count;
} Values;

// Those of one step, NULL where there are none; *next as below.
static const double* values_of(const Values* values, int64_t step, int* next)
{
    while (*next < values->count && values->steps[*next] < step) ++*next;
    if (*next >= values->count || values->steps[*next] != step) return NULL;
    return values->rows + (int64_t)*next * values->width;
}

// Those of one step, where there are any; *next: where to look, which moves on from step to step.
static const SnRunLoss* losses_of(const Losses* losses, int64_t step, int* next, int* count)
{
    while (*next < losses->count && losses->rows[*next].step < step) ++*next;
    int first = *next;
    while (*next < losses->count && losses->rows[*next].step == step) ++*next;
    *count = *next - first;
    return *count ? losses->rows + first : NULL;
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

static void print_csv_value(const SnRunStep* step, const SnRunColumn* column)
{
    char number[64];
    if (column->type == SN_COLUMN_NODES) {
        print_nodes(step, " ");
    } else if (column->type == SN_COLUMN_TEXT) {
        const char* text = *(const char* const*)member(step, column);
        if (strpbrk(text, ",\"\n"))
            print_csv_text("", text);
        else
            fputs(text, stdout);
    } else {
        print_number(step, column, 17, number, sizeof number);
        fputs(number, stdout);
    }
}

static void print_csv(const SnRunStep* steps, int count, const Losses* losses, const Values* values)
{
    int kinds, next = 0, next_value = 0, found, width;
    const SnRunColumn* columns = sn_run_columns(&width);
    const SnRunLoss* names = losses_of(losses, losses->count ? losses->rows[0].step : 0, &next, &kinds);
    for (int c = 0; c < width; c++) printf("%s%s", c ? "," : "", columns[c].name);
    for (int k = 0; k < kinds; k++) putchar(','), print_csv_text("loss ", names[k].name);
    for (int k = 0; k < values->width; k++) putchar(','), print_csv_text("", sn_value_label(&values->infos[k]).text);
    putchar('\n');
    next = 0;
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < width; c++) {
            if (c) putchar(',');
            print_csv_value(&steps[i], &columns[c]);
        }
        const SnRunLoss* row = losses_of(losses, steps[i].step, &next, &found);
        for (int k = 0; k < kinds; k++) {
            putchar(',');
            if (k < found) printf("%.17g", row[k].energy);
        }
        const double* measured = values_of(values, steps[i].step, &next_value);
        for (int k = 0; k < values->width; k++) {
            putchar(',');
            if (measured && !isnan(measured[k])) printf("%.17g", measured[k]);
        }
        putchar('\n');
    }
}

// Texts may come from anybody's file.
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

static void print_json_value(const SnRunStep* step, const SnRunColumn* column)
{
    char number[64];
    if (column->type == SN_COLUMN_NODES) {
        putchar('['), print_nodes(step, ", "), putchar(']');
    } else if (column->type == SN_COLUMN_TEXT) {
        print_json_text(*(const char* const*)member(step, column));
    } else { // JSON has no infinity and no not-a-number
        print_number(step, column, 17, number, sizeof number);
        bool finite = column->type != SN_COLUMN_REAL || isfinite(*(const double*)member(step, column));
        fputs(finite ? number : "null", stdout);
    }
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

static void print_json_values(const Values* values, const double* row)
{
    printf(", \"measured\": {");
    for (int k = 0; k < values->width; k++) {
        if (k) printf(", ");
        print_json_text(sn_value_label(&values->infos[k]).text);
        if (isfinite(row[k]))
            printf(": %.17g", row[k]);
        else
            printf(": null");
    }
    putchar('}');
}

static void print_json(const SnRunStep* steps, int count, const Losses* losses, const Values* values)
{
    int next = 0, next_value = 0, found, width;
    const SnRunColumn* columns = sn_run_columns(&width);
    printf("[");
    for (int i = 0; i < count; i++) {
        printf("%s\n  {", i ? "," : "");
        for (int c = 0; c < width; c++) {
            printf("%s\"%s\": ", c ? ", " : "", columns[c].name);
            print_json_value(&steps[i], &columns[c]);
        }
        const SnRunLoss* rows = losses_of(losses, steps[i].step, &next, &found);
        if (found > 0) print_json_losses(rows, found);
        const double* measured = values_of(values, steps[i].step, &next_value);
        if (measured) print_json_values(values, measured);
        printf("}");
    }
    printf("%s]\n", count ? "\n" : "");
}

static const SnRunColumn* find_column(const char* name)
{
    int count;
    const SnRunColumn* column = sn_run_columns(&count);
    while (strcmp(column->name, name)) column++;
    return column;
}

static bool is_shown(const SnRunStep* steps, int count, int index)
{
    const SnRunColumn* column = find_column(shown_columns[index].name);
    if (shown_columns[index].width > 0) return true;
    for (int i = 0; i < count; i++) {
        const void* value = member(&steps[i], column);
        if (column->type == SN_COLUMN_INT ? *(const int*)value != 0
                                          : *(const double*)value != 0 && isfinite(*(const double*)value))
            return true;
    }
    return false;
}

// What the table has: five digits; "-" for what is infinite or not known.
static void print_cell(const SnRunStep* step, const SnRunColumn* column, char* text, size_t size)
{
    const void* value = member(step, column);
    if (column->type == SN_COLUMN_TEXT)
        snprintf(text, size, "%s", *(const char* const*)value);
    else if (column->type == SN_COLUMN_REAL && !isfinite(*(const double*)value))
        snprintf(text, size, "-");
    else
        print_number(step, column, 5, text, size);
}

static void print_table(const SnRunStep* steps, int count, const Losses* losses, const Values* values)
{
    (void)losses, (void)values; // print_ledger and print_values say them
    char text[64];
    bool shown[SHOWN];
    for (int c = 0; c < SHOWN; c++) {
        shown[c] = is_shown(steps, count, c);
        if (shown[c]) printf("%*s ", abs(shown_columns[c].width), shown_columns[c].name);
    }
    putchar('\n');
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < SHOWN; c++) {
            print_cell(&steps[i], find_column(shown_columns[c].name), text, sizeof text);
            if (shown[c]) printf("%*s ", abs(shown_columns[c].width), text);
        }
        putchar('\n');
    }
}

// Why steps stalled, and where.
static void print_stalls(const SnRunStep* steps, int count)
{
    int stalls = 0;
    for (int i = 0; i < count; i++)
        if (*steps[i].detail && stalls++ < MOST_STALLS)
            printf("step %" PRId64 " %s: %s\n", steps[i].step, steps[i].outcome, steps[i].detail);
    if (stalls > MOST_STALLS) printf("and %d more steps; --csv and --json say why\n", stalls - MOST_STALLS);
}

static void print_summary(SnRunFile* run, const SnRunStep* steps, int count)
{
    int made = 0, converged = 0, turned = 0;
    double ms = 0;
    for (int i = 0; i < count; i++) {
        if (steps[i].step == 0) continue; // the state before the first step
        bool good = strcmp(steps[i].outcome, sn_outcome_name(SN_OUTCOME_CONVERGED)) == 0;
        made++;
        converged += good;
        turned += good && steps[i].inverted > 0;
        ms += steps[i].ms_total;
    }
    const char* wanted;
    if (sn_run_file_meta(run, "frames", &wanted) != SN_OK) wanted = NULL;
    printf("%s: %d steps, %d converged", sn_run_file_name(run), made, converged);
    if (turned > 0) printf(" (%d of them with elements inside out)", turned);
    printf(", %.1f ms each", made ? ms / made : 0.0);
    if (wanted && made < atoi(wanted)) printf("; unfinished: %s were asked for", wanted);
    printf(" (times in s, energies in J, gradient and the tolerance for it in N)\n");
}

// How many pairs push, how near things come, and how far contacts are from their laws.
static void print_contacts(const SnRunStep* steps, int count)
{
    enum { LAWS = sizeof(SnContactErrors) / sizeof(double) };
    static const char* const laws[LAWS] = {"pull", "gap", "product", "cone", "slip"};
    int most = 0;
    double nearest = INFINITY, errors[LAWS] = {0};
    for (int i = 0; i < count; i++) {
        most = steps[i].contacts > most ? steps[i].contacts : most;
        nearest = fmin(nearest, steps[i].distance);
        const double* now = &steps[i].errors.pull;
        for (int k = 0; k < LAWS; k++) errors[k] = fmax(errors[k], now[k]);
    }
    if (most == 0 && !isfinite(nearest)) return;
    printf("contacts: at most %d pairs push, the smallest distance is %.4g m; largest errors:", most, nearest);
    for (int k = 0; k < LAWS; k++) printf("%s %s %.2g", k ? "," : "", laws[k], errors[k]);
    putchar('\n');
}

// ", + 3 J by handles and loads", ", - 2 J numerical"; a gain of less than nothing is a loss, and the other way round.
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
    print_change(true, b->pins - a->pins, "by handles and loads");
    print_change(false, b->viscous - a->viscous, "viscous");
    print_change(false, b->friction - a->friction, "friction");
    print_change(false, b->numerical - a->numerical, "numerical");
    printf(", = %.6g J at the end\n", b->kinetic + b->elastic + b->gravity);
    for (int i = 0; i < losses->count; i++)
        if (losses->rows[i].step == losses->rows[losses->count - 1].step)
            printf("  lost to %s: %.6g J\n", losses->rows[i].name, losses->rows[i].energy);
}

// The last, the least and the most of each number.
static void print_values(const Values* values)
{
    if (values->count == 0 || values->width == 0) return;
    printf("measured: %*s %12s %12s %12s\n", 30, "", "last", "least", "most");
    for (int k = 0; k < values->width; k++) {
        double lo = NAN, hi = NAN, last = values->rows[(int64_t)(values->count - 1) * values->width + k];
        for (int i = 0; i < values->count; i++) {
            double value = values->rows[(int64_t)i * values->width + k];
            lo = fmin(lo, value), hi = fmax(hi, value);
        }
        const double numbers[] = {last, lo, hi};
        printf("  %-37s", sn_value_label(&values->infos[k]).text);
        for (int i = 0; i < 3; i++)
            if (isnan(numbers[i]))
                printf(" %12s", "-");
            else
                printf(" %12.6g", numbers[i]);
        printf(" %s\n", values->infos[k].unit);
    }
}

static int run(const SnArguments* arguments)
{
    bool csv = sn_option_given(arguments, "csv"), json = sn_option_given(arguments, "json");
    if (csv && json) return sn_usage_error(arguments, "--csv and --json exclude each other");
    SnRunFile* run_file;
    const SnRunStep* steps;
    int count;
    Losses losses;
    SnStatus status = sn_run_file_open(arguments->words[0], &run_file);
    if (status != SN_OK) return sn_exit_of(status);
    status = sn_run_file_read_steps(run_file, -1, &steps, &count);
    if (status == SN_OK) status = sn_run_file_read_losses(run_file, -1, &losses.rows, &losses.count);
    Values values = {.infos = sn_run_file_values(run_file), .width = sn_run_file_value_count(run_file)};
    if (status == SN_OK) status = sn_run_file_read_values(run_file, -1, &values.steps, &values.rows, &values.count);
    if (status == SN_OK) {
        (csv ? print_csv : json ? print_json : print_table)(steps, count, &losses, &values);
        if (!csv && !json)
            print_stalls(steps, count), print_summary(run_file, steps, count), print_contacts(steps, count),
                print_ledger(steps, count, &losses), print_values(&values);
    }
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
            "first step. gradient is the residual at the end of a step, tolerance the largest that was allowed;\n"
            "of a step that stalled it is said why, and at which nodes. kinetic, elastic and gravity are the state's "
            "energies; pins (work done by handles, loads and obstacles),\n"
            "viscous, friction and numerical (losses) are sums since the start. The last lines add them up, and\n"
            "say what each dissipation took. contacts are the pairs that push, distance the smallest between surfaces\n"
            "that are near; the last lines have the largest errors of contacts. CSV and JSON also have these errors, "
            "the impulses, linear and angular, that\n"
            "gravity, handles and dissipations have given, the loss to each dissipation, and what `measure` of the\n"
            "scene asks for, of which the table has the last, least and most values.",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
