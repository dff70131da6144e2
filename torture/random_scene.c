// Random scenes by the rows of the schema: what a new key is worth is tested from the day on which it has a row.
#include "random_scene.h"

#include <math.h>
#include <string.h>

#include "core/expression.h"
#include "dissipation/dissipation.h"
#include "mesh/mesh.h"
#include "potential/actuator.h"
#include "scene/parts.h"
#include "solver/solver.h"
#include "text.h"
#include "world/probe.h"

enum { MOST_BODIES = 4, MOST_OBSTACLES = 3, MOST_CHOSEN = 16 };

typedef struct Maker {
    Text out;
    Wildness wildness;
    int body_count, obstacle_count; // there will be, or, while they are made, which one it is
    int dimensions[MOST_BODIES];    // of their elements: 1 to 3
    int body, obstacle, handle;
    bool global_step;            // the solver keeps constraints in one
    bool placed, copied, energy; // obstacles are there; a body has copies; a handle holds by energy
    bool axes, closed;           // a handle is held by constraints; a body's mesh is a closed surface,
    bool skinned;                // or a solid out of one, which it has for its skin
    bool shelved, large;         // a body is on the shelf; a mesh has thousands of nodes
    const char* what;            // a probe measures
    // What has been chosen of the mapping that is being written.
    const char *type, *initial, *base;
} Maker;

// --- numbers

// Around `like`, or where that is 0 around 1.
static double number_like(Maker* m, double like)
{
    double size = isfinite(like) && like != 0 ? fabs(like) : 1, sign = like < 0 ? -1 : 1;
    if (like == 0 && chance(&m->out, 0.5)) sign = -1;
    if (m->wildness == WILD_EXTREME && chance(&m->out, 0.1)) {
        static const double last[] = {0, 1e-320, 1e-300, 1e-155, 1e-30, 1e30, 1e100, 1e155, 1e200, 1e300};
        return sign * last[below(&m->out, 10)];
    }
    if (m->wildness >= WILD_BROAD && chance(&m->out, 0.15)) return sign * size * pow(10, between(&m->out, -8, 8));
    if (chance(&m->out, 0.3)) return like;
    return sign * size * pow(10, between(&m->out, -1, 1));
}

static double number_in(Maker* m, const char* range, double like, bool whole)
{
    for (int i = 0; i < 50; i++) {
        double value = number_like(m, like);
        if (whole) value = fmin(1e4, round(value));
        if (isfinite(value) && sn_range_holds(range, value)) return value;
    }
    for (int i = 0; i < 50; i++) {
        double value = between(&m->out, -1, 2);
        if (sn_range_holds(range, whole ? round(value) : value)) return whole ? round(value) : value;
    }
    return like;
}

// The numbers of "[0, -9.81, 0]" or "1/60".
static int numbers_of(const char* text, double* values, int most)
{
    char part[64], error[100];
    int count = 0;
    while (text && *text && count < most) {
        text += strspn(text, "[, ");
        size_t length = strcspn(text, "],");
        if (length == 0 || length >= sizeof part) break;
        memcpy(part, text, length), part[length] = 0;
        if (!sn_expression(part, NULL, 0, &values[count], error, sizeof error)) break;
        count++, text += length;
    }
    return count;
}

static void put_numbers(Maker* m, const SnParameter* row)
{
    double like[16] = {0};
    int count = sn_parameter_count(row);
    bool whole = row->type == SN_INTEGER;
    if (numbers_of(row->value, like, 16) < count || !isfinite(like[count - 1])) numbers_of(row->example, like, 16);
    if (count > 1) put(&m->out, "[");
    for (int i = 0; i < count; i++)
        put(&m->out, whole ? "%s%.0f" : "%s%.17g", i ? ", " : "", number_in(m, row->range, like[i], whole));
    if (count > 1) put(&m->out, "]");
}

static void put_vector(Maker* m, double x, double y, double z)
{
    put(&m->out, "[%.6g, %.6g, %.6g]", x, y, z);
}

// --- values that have code of their own

static void put_place(Maker* m, double up)
{
    put(&m->out, "{fit: %.3g, rotate: [%.2g, 1, %.2g, %.3g], move: ", between(&m->out, 0.2, 0.8),
        between(&m->out, -1, 1), between(&m->out, -1, 1), chance(&m->out, 0.5) ? 0 : between(&m->out, -180, 180));
    put_vector(m, between(&m->out, -0.3, 0.3), up, between(&m->out, -0.3, 0.3));
    put(&m->out, "}");
}

static int least_cells(const char* shape)
{
    static const struct {
        const char* shape;
        int cells;
    } least[] = {{"knot", 12}, {"torus", 2}, {"walker", 3}, {"creature", 18}};
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        if (strcmp(shape, least[i].shape) == 0) return least[i].cells;
    return 1;
}

static void put_shape_numbers(Maker* m, const SnShape* shape)
{
    bool first = true;
    put(&m->out, "{%s: {", shape->name);
    for (const SnParameter* row = shape->parameters; row->name; row++) {
        bool cells = strcmp(row->name, "cells") == 0;
        bool bound =
            strcmp(shape->name, "torus") == 0 || strcmp(shape->name, "knot") == 0; // its sizes depend on others
        if (!cells && (bound || chance(&m->out, 0.6))) continue;
        put(&m->out, "%s%s: ", first ? "" : ", ", row->name);
        first = false;
        if (row->type == SN_ENUM || row->type == SN_CHOICE)
            put(&m->out, "%s", chance(&m->out, 0.5) ? "kuhn" : "bcc");
        else if (!cells)
            put_numbers(m, row);
        else {
            int count = sn_parameter_count(row);
            bool ring = strcmp(shape->name, "torus") == 0;
            int least = least_cells(shape->name);
            if (count > 1) put(&m->out, "[");
            for (int i = 0; i < count; i++)
                put(&m->out, "%s%d", i ? ", " : "",
                    least + below(&m->out, ring ? 1 : 3) +
                        (ring && !i ? 20
                         : ring     ? -1
                                    : 0));
            if (count > 1) put(&m->out, "]");
        }
    }
    put(&m->out, "}}");
}

static bool is_one_of(const char* name, const char* const* names)
{
    while (*names && strcmp(*names, name) != 0) names++;
    return *names;
}

static void put_mesh(Maker* m)
{
    const SnShape* shape;
    // Not the last one, a shirt: the scenes of a seed stay what they are, and a sheet there is already.
    do shape = sn_shape_at(below(&m->out, sn_table_count(&sn_shape_table) - 1));
    while ((strcmp(shape->name, "walker") == 0 || strcmp(shape->name, "creature") == 0) && !chance(&m->out, 0.1));
    m->skinned = is_one_of(shape->name, (const char* const[]){"box", "sphere", "torus", NULL}) && chance(&m->out, 0.3);
    if (m->skinned) put(&m->out, "{tets: %d, surface: ", 60 + below(&m->out, 140));
    put_shape_numbers(m, shape);
    if (m->skinned) put(&m->out, "}");
    bool rope = strcmp(shape->name, "rope") == 0 || strcmp(shape->name, "knot") == 0 || strcmp(shape->name, "net") == 0;
    bool sheet = strcmp(shape->name, "cloth") == 0 || strcmp(shape->name, "walker") == 0;
    m->closed = strcmp(shape->name, "walker") == 0, m->large = strcmp(shape->name, "creature") == 0;
    if (m->body < MOST_BODIES) m->dimensions[m->body] = rope ? 1 : sheet ? 2 : 3;
}

static void put_where(Maker* m, bool whole)
{
    static const char* const axes[] = {"x", "y", "z"};
    if (whole) {
        put(&m->out, chance(&m->out, 0.5) ? "all" : "{y: [min, max]}");
        return;
    }
    switch (below(&m->out, 8)) {
    case 0: put(&m->out, "{nodes: [0, 1]}"); break;
    case 1: put(&m->out, "{nodes: [0]}"); break;
    case 2: put(&m->out, "{box: [[min, min, min], [max, min+%g, max]]}", between(&m->out, 0, 0.3)); break;
    case 3: put(&m->out, "{sphere: [[0, %g, 0], %g]}", between(&m->out, -1, 3), between(&m->out, 1, 3)); break;
    case 4: put(&m->out, "all"); break;
    default: put(&m->out, below(&m->out, 2) ? "{%s: [min, min]}" : "{%s: [max-0.05, max]}", axes[below(&m->out, 3)]);
    }
}

static void put_keyframes(Maker* m)
{
    double time = 0;
    put(&m->out, "[");
    for (int i = 1 + below(&m->out, 3); i >= 0; i--, time += between(&m->out, 0.01, 0.2)) {
        put(&m->out, "[%.4g, ", time);
        put_vector(m, between(&m->out, -0.1, 0.1), between(&m->out, -0.1, 0.1), between(&m->out, -0.1, 0.1));
        put(&m->out, "]%s", i ? ", " : "");
    }
    put(&m->out, "]");
}

static void put_heights(Maker* m)
{
    int columns = 2 + below(&m->out, 4);
    put(&m->out, "[");
    for (int row = 1 + below(&m->out, 4); row >= 0; row--) {
        put(&m->out, "[");
        for (int i = 0; i < columns; i++) put(&m->out, "%s%.3g", i ? ", " : "", between(&m->out, -0.2, 0.2));
        put(&m->out, "]%s", row ? ", " : "");
    }
    put(&m->out, "]");
}

static void put_matrix(Maker* m, bool identity)
{
    double size = m->wildness == WILD_TAME ? 0.2 : 2;
    put(&m->out, "[");
    for (int i = 0; i < 9; i++)
        put(&m->out, "%s%.4g%s", i % 3 ? ", " : "[", (identity && i % 4 == 0) + between(&m->out, -size, size),
            i == 8       ? "]]"
            : i % 3 == 2 ? "], "
                         : "");
}

static void put_points(Maker* m)
{
    double s = between(&m->out, 0.1, 0.8), slope = between(&m->out, -3, 0);
    put(&m->out, "[");
    for (int i = 1 + below(&m->out, 4); i >= 0; i--, s += between(&m->out, 0.1, 0.8), slope += between(&m->out, 0, 2))
        put(&m->out, "[%.4g, %.4g]%s", s, slope, i ? ", " : "");
    put(&m->out, "]");
}

// --- mappings

static void put_mapping(Maker* m, const SnMapping* mapping);

static bool is_key(const SnMapping* mapping, const SnParameter* row, const char* mapping_name, const char* key)
{
    return strcmp(mapping->name, mapping_name) == 0 && strcmp(row->name, key) == 0;
}

// Files, and groups and fields that only files have, are not to be had here.
static bool needs_file(const SnParameter* row)
{
    static const char* const keys[] = {"file",   "group", "young-field", "regions", "write",
                                       "frames", "rate",  "repeat",      "cache"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(row->name, keys[i]) == 0) return true;
    return false;
}

static bool has_ropes(const Maker* m)
{
    for (int i = 0; i < m->body_count; i++)
        if (m->dimensions[i] == 1) return true;
    return false;
}

// What a probe takes by what it measures: things that exert forces, other ends, or a body.
static bool is_probe_key(const Maker* m, const char* key)
{
    int of = sn_probe_is_of(m->what);
    if (strcmp(key, "of") == 0) return of & SN_PROBE_BY;
    if (strcmp(key, "to") == 0) return of & SN_PROBE_TO;
    if (strcmp(key, "at") == 0) return of & SN_PROBE_AT;
    if (strcmp(key, "take") == 0) return of == SN_PROBE_WHERE;
    return of & (strcmp(key, "body") == 0 ? SN_PROBE_WHERE | SN_PROBE_BODY : SN_PROBE_WHERE);
}

// Whether there is something to measure it of.
static bool can_be_measured(const Maker* m)
{
    int dimension = m->dimensions[m->handle % m->body_count];
    if (sn_probe_is_of(m->what) & SN_PROBE_BY) return m->placed || m->body_count > 1;
    if (is_one_of(m->what, (const char* const[]){"position", "distance", "angle", "displacement", "velocity", NULL}))
        return true;
    return strcmp(m->what, "volume") == 0 ? dimension == 3 : dimension > 1;
}

static bool is_impossible(Maker* m, const SnMapping* mapping, const SnParameter* row)
{
    int dimension = m->dimensions[m->body % MOST_BODIES];
    if (needs_file(row)) return !is_key(mapping, row, "time", "frames") && !is_key(mapping, row, "rotate", "rate");
    if (strcmp(mapping->name, "material") == 0) {
        if (strcmp(row->name, "fiber") == 0) return dimension != 3;
        if (strcmp(row->name, "bending") == 0) return dimension != 2;
        if (strcmp(row->name, "area-density") == 0) return dimension != 2 || chance(&m->out, 0.8);
        if (strcmp(row->name, "thickness") == 0) return dimension == 3;
        if (strcmp(row->name, "preset") == 0) return true; // type has these, too
        if (strcmp(row->name, "mu") == 0 || strcmp(row->name, "lambda") == 0) return true;
    }
    if (is_key(mapping, row, "material", "density")) return dimension == 2 && chance(&m->out, 0.5);
    if (is_key(mapping, row, "body", "element")) return dimension != 3 || m->large;
    if (is_key(mapping, row, "damping", "conserve-momentum")) return m->type && strcmp(m->type, "drag") == 0;
    if (is_key(mapping, row, "limits", "mode")) return dimension != 2;
    if (is_key(mapping, row, "handle", "stiffness") || is_key(mapping, row, "handle", "to")) return !m->energy;
    if (is_key(mapping, row, "handle", "hinge")) return m->axes;
    if (is_key(mapping, row, "scene", "from")) return true;  // a run of its own
    if (m->shelved && strcmp(mapping->name, "scene") == 0 && // nothing may be tied to what is on the shelf
        is_one_of(row->name,
                  (const char* const[]){"handles", "scripts", "slides", "loads", "actuators", "attach", NULL}))
        return true;
    if (is_key(mapping, row, "scene", "attach") || is_key(mapping, row, "scene", "measure")) return m->copied;
    if (strcmp(mapping->name, "probe") == 0 && !is_one_of(row->name, (const char* const[]){"name", "what", NULL}))
        return !is_probe_key(m, row->name);
    if (is_key(mapping, row, "contact", "method")) return !m->global_step;
    if (is_key(mapping, row, "scene", "loads")) return m->copied || has_ropes(m); // the wind blows on surfaces
    if (is_key(mapping, row, "scene", "actuators")) return m->copied;
    if (is_key(mapping, row, "body", "skin")) return true; // of a file
    if (is_key(mapping, row, "body-contact", "skin")) return !m->skinned;
    if (is_key(mapping, row, "scene", "slides")) return m->copied || !m->placed;
    if (is_key(mapping, row, "scene", "handles") || is_key(mapping, row, "scene", "scripts"))
        return m->copied || m->handle > 0;
    if (is_key(mapping, row, "obstacle", "place")) return !m->type || strcmp(m->type, "mesh") != 0;
    return false;
}

static bool is_needed(Maker* m, const SnMapping* mapping, const SnParameter* row)
{
    if (strcmp(mapping->name, "probe") == 0 &&
        is_one_of(row->name, (const char* const[]){"of", "to", "at", "body", NULL}))
        return true; // where it is possible
    if (is_key(mapping, row, "body", "shell")) return m->closed;
    if (is_key(mapping, row, "obstacle", "tube")) return true; // less than the radius
    static const char* const keys[][2] = {{"body", "place"},      {"body", "name"},       {"scene", "time"},
                                          {"obstacle", "mesh"},   {"obstacle", "name"},   {"obstacle", "heights"},
                                          {"fiber", "stiffness"}, {"fiber", "direction"}, {"rotate", "rate"},
                                          {"rotate", "axis"},     {"damping", "curve"},   {"handle", "where"},
                                          {"pair", "touch"},      {"end", "body"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (is_key(mapping, row, keys[i][0], keys[i][1])) return true;
    return row->required;
}

static const char* choose(Maker* m, const SnMapping* mapping, const SnParameter* row)
{
    int count = 0, dimension = m->dimensions[m->body % MOST_BODIES];
    while (sn_parameter_name(row, count)) count++;
    const char* name = sn_parameter_name(row, below(&m->out, count));
    if (is_key(mapping, row, "material", "type")) {
        if (dimension == 1) return "spring";
        while (strcmp(name, "spring") == 0 || (dimension == 3 && strcmp(name, "fung") == 0))
            name = sn_parameter_name(row, below(&m->out, count));
    }
    while (is_key(mapping, row, "handle", "how") && m->axes && strcmp(name, "energy") == 0)
        name = sn_parameter_name(row, below(&m->out, count));
    if (is_key(mapping, row, "probe", "what"))
        for (m->what = name; !can_be_measured(m);) m->what = name = sn_parameter_name(row, below(&m->out, count));
    if (is_key(mapping, row, "handle", "how")) m->energy = strcmp(name, "energy") == 0;
    if (is_key(mapping, row, "solver", "type")) m->global_step = sn_solver_find(name)->global_step;
    return name;
}

static void put_text(Maker* m, const SnMapping* mapping, const SnParameter* row)
{
    if (is_key(mapping, row, "body", "name"))
        put(&m->out, "b%d", m->body);
    else if (is_key(mapping, row, "obstacle", "name"))
        put(&m->out, "o%d", m->obstacle);
    else if (is_key(mapping, row, "end", "body"))
        put(&m->out, "b%d", below(&m->out, m->body_count));
    else if (strcmp(row->name, "body") == 0)
        put(&m->out, "b%d", m->handle % m->body_count); // each in turn: a node has one handle at most
    else if (strcmp(row->name, "on") == 0) {
        int other = (m->handle + 1) % m->body_count;
        if (m->body_count > 1 && m->dimensions[other] > 1 && chance(&m->out, 0.5))
            put(&m->out, "b%d", other);
        else
            put(&m->out, "o%d", below(&m->out, m->obstacle_count));
    } else
        put(&m->out, "%s", row->example ? row->example : "text");
}

// Those for which any number would do, but few make sense together.
static bool put_special(Maker* m, const SnMapping* mapping, const SnParameter* row)
{
    if (is_key(mapping, row, "body", "mesh"))
        put_mesh(m);
    else if (is_key(mapping, row, "body", "place"))
        put_place(m, 0.05 + 1.1 * m->body);
    else if (is_key(mapping, row, "obstacle", "mesh"))
        put_shape_numbers(m, sn_shape_find(chance(&m->out, 0.5) ? "box" : "sphere"));
    else if (is_key(mapping, row, "obstacle", "place"))
        put_place(m, -1.2);
    else if (strcmp(mapping->name, "obstacle") == 0 &&
             (strcmp(row->name, "centre") == 0 || strcmp(row->name, "point") == 0))
        put_vector(m, 0, strcmp(row->name, "point") ? -1.5 : -0.05, 0);
    else if (is_key(mapping, row, "obstacle", "normal"))
        put_vector(m, between(&m->out, -0.3, 0.3), 1, between(&m->out, -0.3, 0.3));
    else if (is_key(mapping, row, "obstacle", "from") || is_key(mapping, row, "obstacle", "to"))
        put_vector(m, row->name[0] == 'f' ? -0.5 : 0.5, -0.6, between(&m->out, -0.3, 0.3));
    else if (is_key(mapping, row, "obstacle", "radius"))
        put(&m->out, "%.3g", between(&m->out, 0.2, 0.5));
    else if (is_key(mapping, row, "obstacle", "tube"))
        put(&m->out, "%.3g", between(&m->out, 0.05, 0.15));
    else if (is_key(mapping, row, "obstacle", "corner"))
        put_vector(m, -1, -0.5, -1);
    else if (is_key(mapping, row, "obstacle", "heights"))
        put_heights(m);
    else if (strcmp(row->name, "where") == 0)
        put_where(m, strcmp(mapping->name, "damping") == 0);
    else if (is_key(mapping, row, "body", "shell") && m->closed)
        put(&m->out, "true");
    else if (is_key(mapping, row, "body", "shelf")) {
        bool shelf = chance(&m->out, 0.3);
        m->shelved |= shelf;
        put(&m->out, shelf ? "true" : "false");
    } else if (is_key(mapping, row, "handle", "axes")) {
        static const char* const axes[] = {"[x]", "[y]", "[x, z]", "[[1, 1, 0]]", "[x, y, z]"};
        m->axes = true;
        put(&m->out, "%s", axes[below(&m->out, 5)]);
    } else if (is_key(mapping, row, "probe", "of")) {
        bool bodies = m->body_count > 1 && (!m->placed || chance(&m->out, 0.5));
        if (bodies)
            put(&m->out, "[b%d, b%d]", m->handle % m->body_count, (m->handle + 1) % m->body_count);
        else
            put(&m->out, "o%d", below(&m->out, m->obstacle_count));
    } else if (strcmp(row->name, "keyframes") == 0)
        put_keyframes(m);
    else if (strcmp(row->name, "between") == 0)
        put(&m->out, chance(&m->out, 0.5) || !m->placed ? "[b%d, all]" : "[b%d, o0]", below(&m->out, m->body_count));
    else if (is_key(mapping, row, "limits", "stretch"))
        put(&m->out, "[%.3g, %.3g]", between(&m->out, 0, 1), chance(&m->out, 0.2) ? INFINITY : between(&m->out, 1, 2));
    else if (is_key(mapping, row, "copies", "count"))
        put(&m->out, "[%d, 1, %d]", 1 + below(&m->out, 2), 1 + below(&m->out, 2));
    else if (is_key(mapping, row, "time", "step"))
        put(&m->out, "%.5g",
            m->wildness == WILD_TAME ? pow(10, between(&m->out, -3, -1.3)) : number_in(m, ">0", 1.0 / 60, false));
    else
        return false;
    return true;
}

static void put_list(Maker* m, const SnMapping* mapping, const SnParameter* row)
{
    const SnMapping* item = row->inside;
    bool bodies = strcmp(row->name, "bodies") == 0, obstacles = strcmp(row->name, "obstacles") == 0;
    int most = strcmp(mapping->name, "scene") == 0 ? m->body_count : 2;
    int count = bodies ? m->body_count : obstacles ? m->obstacle_count : 1 + below(&m->out, most);
    m->placed |= obstacles;
    put(&m->out, "[");
    for (int i = 0; i < count; i++, m->handle += !bodies && strcmp(mapping->name, "scene") == 0 && !obstacles) {
        if (bodies) m->body = i;
        if (obstacles) m->obstacle = i;
        put_mapping(m, item);
        put(&m->out, i + 1 < count ? ", " : "");
    }
    put(&m->out, "]");
}

static void put_value(Maker* m, const SnMapping* mapping, const SnParameter* row)
{
    Maker outer = *m;
    if (put_special(m, mapping, row)) return;
    switch (row->type) {
    case SN_NUMBER:
    case SN_INTEGER: put_numbers(m, row); break;
    case SN_BOOLEAN:
        if (!row->names)
            put(&m->out, chance(&m->out, 0.5) ? "true" : "false");
        else
            put(&m->out, "%s", choose(m, mapping, row));
        break;
    case SN_CHOICE:
    case SN_ENUM: put(&m->out, "%s", choose(m, mapping, row)); break;
    case SN_MATRIX: put_matrix(m, strcmp(mapping->name, "start") == 0); break;
    case SN_POINTS: put_points(m); break;
    case SN_TEXT: put_text(m, mapping, row); break;
    case SN_MAPPING: put_mapping(m, row->inside); break;
    case SN_LIST: put_list(m, mapping, row); break;
    default: put(&m->out, "%s", row->example ? row->example : row->value ? row->value : "null");
    }
    m->type = outer.type, m->initial = outer.initial, m->base = outer.base;
}

// The rows of a mapping, those of the chosen part and of its base among them, each at most once.
typedef struct Written {
    const char* names[SN_MOST_KEYS];
    int count;
} Written;

static bool is_new(Written* written, const char* name)
{
    for (int i = 0; i < written->count; i++)
        if (strcmp(written->names[i], name) == 0) return false;
    if (written->count < SN_MOST_KEYS) written->names[written->count++] = name;
    return true;
}

static void put_row(Maker* m, const SnMapping* mapping, const SnParameter* row, double probability, Written* written)
{
    if (is_impossible(m, mapping, row) || (!is_needed(m, mapping, row) && !chance(&m->out, probability))) return;
    if (!is_new(written, row->name)) return;
    put(&m->out, "%s%s: ", written->count > 1 ? ", " : "", row->name);
    size_t at = m->out.used;
    put_value(m, mapping, row);
    if (strcmp(row->name, "base") == 0) m->base = m->out.text + at;
    if (strcmp(row->name, "initial") == 0) m->initial = m->out.text + at;
    if (is_key(mapping, row, "handle", "hinge")) m->axes = true; // constraints hold it, too
}

static void put_rows(Maker* m, const SnMapping* mapping, const SnParameter* rows, double probability, Written* written)
{
    for (const SnParameter* row = rows; row && row->name; row++)
        if (strcmp(row->name, "type") != 0) put_row(m, mapping, row, probability, written);
}

static const SnParameter* find_type(const SnMapping* mapping)
{
    for (const SnParameter* row = mapping->rows; row->name; row++) {
        if (row->type != SN_ROWS && strcmp(row->name, "type") == 0) return row;
        const SnParameter* inner = row->type == SN_ROWS ? sn_parameter_find(row->inside, "type") : NULL;
        if (inner) return inner;
    }
    return NULL;
}

// What a part takes by its name, which is in the text already where a base is.
static const void* part_named(const SnTable* table, const char* name)
{
    for (int i = 0; name && sn_table_at(table, i); i++) {
        size_t length = strlen(sn_table_name(table, i));
        if (strncmp(sn_table_name(table, i), name, length) == 0 && strchr(",} ", name[length]))
            return sn_table_at(table, i);
    }
    return NULL;
}

static void put_part(Maker* m, const SnMapping* mapping, const SnTable* table, double probability, Written* written)
{
    const char* name = m->type;
    if (!table->key) { // of a kind that has a key of its own, as loads have
        do name = sn_table_name(table, below(&m->out, sn_table_count(table)));
        while (table == &sn_actuator_table && sn_actuator_find(name)->fibers); // which few bodies have
        put_row(m, mapping, sn_parameter_find(sn_table_parameters(table, sn_table_find(table, name)), name), 1,
                written);
    } else if (strcmp(table->key, "initial") == 0)
        name = m->initial;
    const void* part = table->key ? part_named(table, name) : sn_table_find(table, name);
    if (part) put_rows(m, mapping, sn_table_parameters(table, part), probability, written);
    const void* base = table == &sn_dissipation_table && part ? part_named(table, m->base) : NULL;
    if (base) put_rows(m, mapping, sn_table_parameters(table, base), probability, written);
}

static void put_type(Maker* m, const SnMapping* mapping, Written* written)
{
    const SnParameter* row = find_type(mapping);
    m->type = m->base = m->initial = NULL;
    if (!row || (!row->required && chance(&m->out, 0.3))) return;
    m->type = choose(m, mapping, row);
    is_new(written, "type");
    put(&m->out, "type: %s", m->type);
}

// Exactly one of several.
static void put_one(Maker* m, const SnMapping* mapping, Written* written)
{
    int count = 0;
    while (mapping->rows[count].name) count++;
    const SnParameter* row;
    do row = &mapping->rows[below(&m->out, count)];
    while (strcmp(row->name, "seed") == 0 || strcmp(row->name, "group") == 0);
    put_row(m, mapping, row, 1, written);
}

static void put_mapping(Maker* m, const SnMapping* mapping)
{
    Written written = {0};
    m->energy = m->axes = false;
    m->copied |= strcmp(mapping->name, "copies") == 0;
    bool scene = strcmp(mapping->name, "scene") == 0;
    double probability = scene ? 0.5 : 0.25;
    put(&m->out, "{");
    put_type(m, mapping, &written);
    if (strcmp(mapping->name, "start") == 0)
        put_one(m, mapping, &written);
    else
        for (const SnParameter* row = mapping->rows; row->name; row++) {
            if (row->type == SN_ROWS)
                put_rows(m, mapping, row->inside, probability, &written);
            else if (row->type == SN_PARTS)
                put_part(m, mapping, row->table, probability, &written);
            else if (strcmp(row->name, "type") != 0)
                put_row(m, mapping, row, probability, &written);
            if (scene) put(&m->out, "\n ");
        }
    put(&m->out, "}");
}

void random_scene(SnRandom* random, Wildness wildness, char text[RANDOM_SCENE_SIZE])
{
    Maker maker = {.out = {random, text, 0, RANDOM_SCENE_SIZE}, .wildness = wildness};
    text[0] = 0;
    maker.body_count = 1 + below(&maker.out, chance(&maker.out, 0.3) ? MOST_BODIES - 1 : 1);
    maker.obstacle_count = 1 + below(&maker.out, MOST_OBSTACLES - 1);
    put_mapping(&maker, &sn_scene_mapping);
    put(&maker.out, "\n");
}
