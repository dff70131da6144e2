// Where prims of USD are: the operations of `xformOpOrder`, the last of which comes first to a point.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pi.h"
#include "mesh/usda.h"

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// a b: first b
static void multiply(const double a[12], const double b[12], double out[12])
{
    double product[12];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) {
            product[4 * r + c] = c == 3 ? a[4 * r + 3] : 0;
            for (int k = 0; k < 3; k++) product[4 * r + c] += a[4 * r + k] * b[4 * k + c];
        }
    memcpy(out, product, sizeof product);
}

static bool invert(const double m[12], double out[12])
{
    double determinant = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3; // of the transpose
            out[4 * r + c] = m[4 * r1 + c1] * m[4 * r2 + c2] - m[4 * r1 + c2] * m[4 * r2 + c1];
        }
    for (int k = 0; k < 3; k++) determinant += m[k] * out[4 * k];
    if (determinant == 0) return false;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out[4 * r + c] /= determinant;
        out[4 * r + 3] = 0;
        for (int c = 0; c < 3; c++) out[4 * r + 3] -= out[4 * r + c] * m[4 * c + 3];
    }
    return true;
}

static void turn(int axis, double degrees, double m[12])
{
    double c = cos(degrees * SN_PI / 180), s = sin(degrees * SN_PI / 180);
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    memcpy(m, IDENTITY, sizeof IDENTITY);
    m[5 * u] = c, m[5 * v] = c, m[4 * u + v] = -s, m[4 * v + u] = s;
}

// q: w x y z
static void turn_by(const double q[4], double m[12])
{
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = n > 0 ? 2 / n : 0;
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[12] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),     0,
                             s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),     0,
                             s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y), 0};
    memcpy(m, rows, sizeof rows);
}

// --- kinds of operations ---

static void make_translate(const double* v, const char* axes, double m[12])
{
    (void)axes;
    memcpy(m, IDENTITY, sizeof IDENTITY);
    for (int c = 0; c < 3; c++) m[4 * c + 3] = v[c];
}

static void make_scale(const double* v, const char* axes, double m[12])
{
    (void)axes;
    memcpy(m, IDENTITY, sizeof IDENTITY);
    for (int c = 0; c < 3; c++) m[5 * c] = v[c];
}

static void make_turns(const double* v, const char* axes, double m[12]) // the first axis first
{
    memcpy(m, IDENTITY, sizeof IDENTITY);
    for (const char* axis = axes; *axis; axis++) {
        double one[12];
        turn(*axis - 'X', v[axes[1] ? *axis - 'X' : 0], one);
        multiply(one, m, m);
    }
}

static void make_orient(const double* v, const char* axes, double m[12])
{
    (void)axes;
    turn_by(v, m);
}

static void make_matrix(const double* v, const char* axes, double m[12]) // of rows that points are multiplied with
{
    (void)axes;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) m[4 * r + c] = v[4 * c + r];
}

static const struct {
    const char* name;
    int count;
    const char* axes;
    void (*make)(const double* v, const char* axes, double m[12]);
} operations[] = {
    {"translate", 3, "", make_translate}, {"scale", 3, "", make_scale},        {"rotateX", 1, "X", make_turns},
    {"rotateY", 1, "Y", make_turns},      {"rotateZ", 1, "Z", make_turns},     {"rotateXYZ", 3, "XYZ", make_turns},
    {"rotateXZY", 3, "XZY", make_turns},  {"rotateYXZ", 3, "YXZ", make_turns}, {"rotateYZX", 3, "YZX", make_turns},
    {"rotateZXY", 3, "ZXY", make_turns},  {"rotateZYX", 3, "ZYX", make_turns}, {"orient", 4, "", make_orient},
    {"transform", 16, "", make_matrix},
};

static SnStatus fail(const SnUsda* u, SnWord name, const char* what)
{
    return sn_reader_fail(&u->reader, name.text, SN_ERROR_FORMAT, "'%.*s' of xformOpOrder %s",
                          name.length < 64 ? name.length : 64, name.text, what);
}

// "xformOp:rotateX:mine", or "!invert!" before it
static SnStatus operation(const SnUsda* u, int prim, SnWord full, double code, double m[12])
{
    static const char inverse[] = "!invert!", start[] = "xformOp:";
    SnWord name = full;
    bool inverted = name.length > 8 && memcmp(name.text, inverse, 8) == 0;
    if (inverted) name.text += 8, name.length -= 8;
    char text[128];
    if (name.length >= (int)sizeof text || name.length < 9 || memcmp(name.text, start, 8) != 0)
        return fail(u, full, "is no operation");
    snprintf(text, sizeof text, "%.*s", name.length, name.text);
    const SnUsdaAttribute* a = sn_usda_find(u, prim, text);
    if (!a) return fail(u, full, "is not given");
    text[8 + strcspn(text + 8, ":")] = 0;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(text + 8, operations[i].name) != 0) continue;
        double v[16];
        if (sn_usda_length(a) != operations[i].count) return fail(u, full, "has not as many numbers as it needs");
        for (int k = 0; k < operations[i].count; k++) v[k] = sn_usda_at(a, code, k);
        operations[i].make(v, operations[i].axes, m);
        double back[12];
        if (inverted && !invert(m, back)) return fail(u, full, "cannot be inverted");
        if (inverted) memcpy(m, back, sizeof back);
        return SN_OK;
    }
    return fail(u, full, "is not known");
}

SnStatus sn_usda_place(const SnUsda* u, int prim, double code, double place[12])
{
    memcpy(place, IDENTITY, sizeof IDENTITY);
    for (int p = prim, next; p >= 0; p = next) {
        const SnUsdaAttribute* order = sn_usda_find(u, p, "xformOpOrder");
        double own[12], m[12];
        next = u->prims[p].parent;
        memcpy(own, IDENTITY, sizeof IDENTITY);
        for (int i = 0; order && i < order->text_count; i++) {
            if (sn_word_is(order->texts[i], "!resetXformStack!")) {
                next = -1;
                continue;
            }
            SN_TRY(operation(u, p, order->texts[i], code, m));
            multiply(own, m, own);
        }
        multiply(own, place, place);
    }
    return SN_OK;
}
