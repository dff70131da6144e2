// Plots: the SVG is well-formed and has what was asked for, the PNG shows the same, mistakes and memory failures.
#include "pictures.h"

#include <ctype.h>

#include "view/plot.h"
#include "view/stroke_font.h"

static char path[2][128]; // a.svg, a.png

static int set_up(void** state)
{
    if (make_folder(state) != 0) return -1;
    strcpy(path[0], in_folder("a.svg"));
    strcpy(path[1], in_folder("a.png"));
    return 0;
}

static char* read_text(const char* from)
{
    FILE* file = fopen(from, "r");
    assert_non_null(file);
    static char text[1 << 20];
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    fclose(file);
    return text;
}

// Tags are closed in order, attributes are quoted, entities are known: enough for what we write.
static void check_well_formed(const char* text)
{
    char open[32][32];
    int depth = 0;
    const char* p = strstr(text, "?>");
    check(strncmp(text, "<?xml", 5) == 0 && p);
    for (p += 2; *p; p++) {
        if (*p == '&') check(strncmp(p, "&lt;", 4) == 0 || strncmp(p, "&gt;", 4) == 0 || strncmp(p, "&amp;", 5) == 0);
        check((unsigned char)*p < 127 && ((unsigned char)*p >= ' ' || *p == '\n'));
        if (*p != '<') continue;
        bool closing = p[1] == '/';
        char name[32];
        int n = 0;
        for (p += 1 + closing; isalpha((unsigned char)*p); p++) name[n++] = *p;
        name[n] = 0;
        int quotes = 0;
        while (*p && (*p != '>' || quotes % 2)) quotes += *p == '"', check(*p != '<'), p++;
        check(*p == '>' && quotes % 2 == 0);
        if (closing)
            assert_string_equal(name, open[--depth]);
        else if (p[-1] != '/')
            strcpy(open[depth++], name);
    }
    assert_int_equal(depth, 0);
}

static const double xs[] = {0, 1, 2, 3, 4}, falling[] = {1, 1e-2, 1e-5, 1e-9, 0}, broken[] = {1, 0.5, NAN, 0.25, 0.1};
static const SnCurveData curves[] = {{"newton", 5, xs, falling}, {"lbfgs/<laplacian> & co", 5, xs, broken}};

static SnPlot convergence(void)
{
    return (SnPlot){.title = "one step",
                    .x = {.label = "iteration", .whole = true, .from_zero = true},
                    .y = {.label = "relative error", .logarithmic = true, .floor = 1e-16},
                    .curves = curves,
                    .curve_count = 2};
}

static int count_of(const char* text, const char* part)
{
    int count = 0;
    for (const char* p = text; (p = strstr(p, part)); p += strlen(part)) count++;
    return count;
}

static void svg_is_well_formed(void** state)
{
    (void)state;
    SnPlot plot = convergence();
    check_ok(sn_plot_write(&plot, path[0]));
    const char* text = read_text(path[0]);
    check_well_formed(text);
    static const char* const parts[] = {"one step",
                                        "iteration",
                                        "relative error",
                                        "newton",
                                        "lbfgs/&lt;laplacian&gt; &amp; co",
                                        "viewBox=\"0 0 800 480\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i])) fail_msg("%s is not in the plot", parts[i]);
    // The first curve is one line and 5 dots, the second two lines and 4 dots; each has a line in the legend.
    assert_int_equal(count_of(text, "stroke=\"#0072b2\""), 1 + 5 + 1);
    assert_int_equal(count_of(text, "stroke=\"#d55e00\""), 2 + 4 + 1);
    check(strstr(text, ">-16<") && strstr(text, ">4<")); // the floor, the last iteration
}

// Where the curve's points are, the picture has the curve's colour.
static void png_shows_the_curve(void** state)
{
    (void)state;
    SnPlot plot = convergence();
    plot.curve_count = 1;
    check_ok(sn_plot_write(&plot, path[0]));
    check_ok(sn_plot_write(&plot, path[1]));
    const char* at = strstr(read_text(path[0]), "#0072b2");
    while (strncmp(at, "points=\"", 8) != 0) at--;
    enum { W = 1600, H = 960 };
    int seen = 0;
    uint8_t* pixels = read_png(path[1], W, H);
    for (const char* p = at + 8; *p != '"'; seen++) {
        double x = strtod(p, (char**)&p), y = strtod(p + 1, (char**)&p);
        const uint8_t* pixel = pixels + 3 * ((int)(2 * y) * W + (int)(2 * x));
        if (pixel[0] != 0 || pixel[1] != 114 || pixel[2] != 178)
            fail_msg("point %d: pixel %d %d %d", seen, pixel[0], pixel[1], pixel[2]);
        while (*p == ' ') p++;
    }
    assert_int_equal(seen, 5);
    free(pixels);
}

// Nothing, one point, equal numbers, huge and tiny ones: always a plot, never a hang.
static void odd_data(void** state)
{
    (void)state;
    static const double nothing[] = {NAN, INFINITY, -INFINITY}, equal[] = {3, 3, 3}, huge[] = {-1e300, 0, 1e300},
                        tiny[] = {0, 1e-300, 2e-300}, negative[] = {-1, -2, 0};
    static const double* const columns[] = {nothing, equal, huge, tiny, negative};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            for (int logs = 0; logs < 4; logs++) {
                SnCurveData curve = {"odd", 3, columns[a], columns[b]};
                SnPlot plot = {.x = {.logarithmic = logs & 1, .floor = 1e-16, .from_zero = b & 1},
                               .y = {.logarithmic = logs & 2, .floor = 1e-16},
                               .curves = &curve,
                               .curve_count = 1};
                check_ok(sn_plot_write(&plot, path[0]));
                check_well_formed(read_text(path[0]));
                check(!strstr(read_text(path[0]), "nan") && !strstr(read_text(path[0]), "inf"));
            }
    SnPlot empty = {0};
    check_ok(sn_plot_write(&empty, path[1]));
}

// An axis of words has these in the place of numbers, a mark above each and no line between them.
static void axis_of_words(void** state)
{
    (void)state;
    const double x[] = {1, 2, 3}, y[] = {50, 10, 30};
    const char* words[] = {"stone", "a word that is too long to fit at its full size beside the others", "<water>"};
    SnCurveData curve = {"c", 3, x, y};
    SnPlot plot = {.x = {.label = "stuff", .names = words, .name_count = 3}, .curves = &curve, .curve_count = 1};
    check_ok(sn_plot_write(&plot, path[0]));
    const char* text = read_text(path[0]);
    check_well_formed(text);
    check(strstr(text, ">stone<") && strstr(text, words[1]) && strstr(text, ">&lt;water&gt;<") &&
          !strstr(text, ">1.5<"));
    check_ok(sn_plot_write(&plot, path[1]));
}

static void mistakes(void** state)
{
    (void)state;
    SnPlot plot = convergence();
    check_fails(sn_plot_write(&plot, "/tmp/plot.pdf"), SN_ERROR_VALUE, "plot.pdf", ".svg or .png");
    check_fails(sn_plot_write(&plot, "/nowhere/plot.svg"), SN_ERROR_FILE, "/nowhere/plot.svg");
    check_fails(sn_plot_write(&plot, "/nowhere/plot.png"), SN_ERROR_FILE, "/nowhere/plot.png");
}

static void failing_allocations(void** state)
{
    (void)state;
    SnPlot plot = convergence();
    for (int kind = 0; kind < 2; kind++) {
        SnStatus status = SN_ERROR_MEMORY;
        for (long n = 0; status != SN_OK; n++) {
            FailingMemory memory;
            start_failing(&memory, n);
            status = sn_plot_write(&plot, path[kind]);
            stop_failing(&memory);
            check(status == SN_OK || status == SN_ERROR_MEMORY);
            check(n < 50);
        }
    }
}

// Every character has strokes on the grid, and no two look the same.
static void every_character(void** state)
{
    (void)state;
    for (char c = '!'; c <= '~'; c++) {
        const char* glyph = sn_stroke_glyph(c);
        check(*glyph);
        for (const char* p = glyph; *p; p++) {
            if (*p == ',') continue;
            check(p[0] >= '0' && p[0] <= '6' && p[1] >= '0' && p[1] <= '9');
            p++;
        }
        check(sn_stroke_advance(c) > 1 && sn_stroke_advance(c) < 9);
        for (char d = '!'; d < c; d++) assert_string_not_equal(glyph, sn_stroke_glyph(d));
    }
    check(sn_stroke_glyph('\n') == sn_stroke_glyph('?'));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(svg_is_well_formed), cmocka_unit_test(png_shows_the_curve),
    cmocka_unit_test(odd_data),           cmocka_unit_test(axis_of_words),
    cmocka_unit_test(mistakes),           cmocka_unit_test(failing_allocations),
    cmocka_unit_test(every_character),
};
RUN_TESTS(tests, set_up, remove_folder)
