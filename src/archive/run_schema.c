// The tables of a run file; docs/run-file.md describes them. The columns of steps are named here alone.
#include "archive/run_database.h"

#include <stdio.h>
#include <string.h>

const char sn_run_tables[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value);"
    "CREATE TABLE frame(step INTEGER PRIMARY KEY, time REAL, positions BLOB, velocities BLOB);"
    "CREATE TABLE loss(step INTEGER, name TEXT, joule REAL, UNIQUE(step, name));"
    "CREATE TABLE checkpoint(step INTEGER PRIMARY KEY, state BLOB);"
    "CREATE TABLE obstacle(obstacle INTEGER PRIMARY KEY, name TEXT, type TEXT, friction REAL, thickness REAL, px REAL, "
    "py REAL, pz REAL, nx REAL, ny REAL, nz REAL, changes INTEGER, vertices INTEGER, triangles BLOB);"
    "CREATE TABLE pose(obstacle INTEGER, step INTEGER, xx REAL, xy REAL, xz REAL, yx REAL, yy REAL, yz REAL, zx REAL, "
    "zy REAL, zz REAL, x REAL, y REAL, z REAL, PRIMARY KEY(obstacle, step)) WITHOUT ROWID;"
    "CREATE TABLE shape(obstacle INTEGER, step INTEGER, vertices BLOB, PRIMARY KEY(obstacle, step));"
    "CREATE TABLE contact(step INTEGER PRIMARY KEY, count INTEGER, pairs BLOB, forces BLOB);"
    "CREATE TABLE probe(number INTEGER PRIMARY KEY, name TEXT, what TEXT, component TEXT, unit TEXT);"
    "CREATE TABLE value(step INTEGER, number INTEGER, value REAL, PRIMARY KEY(step, number)) WITHOUT ROWID;"
    "CREATE TABLE event(number INTEGER PRIMARY KEY, step INTEGER, kind TEXT, target INTEGER, numbers BLOB);"
    "CREATE TABLE residual(step INTEGER PRIMARY KEY, norms BLOB);"
    "CREATE TABLE skin(body INTEGER PRIMARY KEY, rest BLOB, starts BLOB, corners BLOB, uvs BLOB, corner_uvs BLOB, "
    "normals BLOB, corner_normals BLOB, colours BLOB, smoothing BLOB, carriers BLOB, weights BLOB);"
    "CREATE TABLE skin_group(body INTEGER, number INTEGER, kind TEXT, name TEXT, faces BLOB, "
    "PRIMARY KEY(body, number));";

#define AT(member) offsetof(SnRunStep, member)
static const SnRunColumn columns[] = {
    {"step", SN_COLUMN_INT64, AT(step), "", "number; 0 is the state before the first"},
    {"time", SN_COLUMN_REAL, AT(time), "s", "at its end"},
    {"iterations", SN_COLUMN_INT, AT(iterations), "", "of all its minimisations"},
    {"outcome", SN_COLUMN_TEXT, AT(outcome), "", "`converged`, `iteration limit`, `stalled` or `unsettled`"},
    {"gradient", SN_COLUMN_REAL, AT(gradient), "N", "the residual over free nodes at the end"},
    {"kinetic", SN_COLUMN_REAL, AT(energy.kinetic), "J", "of the state"},
    {"elastic", SN_COLUMN_REAL, AT(energy.elastic), "J", "of the state"},
    {"gravity", SN_COLUMN_REAL, AT(energy.gravity), "J", "of the state"},
    {"pins", SN_COLUMN_REAL, AT(energy.pins), "J", "since the start: work of handles, obstacles, loads and actuators"},
    {"viscous", SN_COLUMN_REAL, AT(energy.viscous), "J", "since the start: loss to dissipation"},
    {"friction", SN_COLUMN_REAL, AT(energy.friction), "J", "since the start: loss to friction"},
    {"numerical", SN_COLUMN_REAL, AT(energy.numerical), "J",
     "since the start: loss to the integrator, to impacts and to unconverged solves"},
    {"px", SN_COLUMN_REAL, AT(momentum[0]), "kg m/s", "momentum"},
    {"py", SN_COLUMN_REAL, AT(momentum[1]), "kg m/s", ""},
    {"pz", SN_COLUMN_REAL, AT(momentum[2]), "kg m/s", ""},
    {"lx", SN_COLUMN_REAL, AT(angular_momentum[0]), "kg m2/s", "angular momentum about the origin"},
    {"ly", SN_COLUMN_REAL, AT(angular_momentum[1]), "kg m2/s", ""},
    {"lz", SN_COLUMN_REAL, AT(angular_momentum[2]), "kg m2/s", ""},
    {"contacts", SN_COLUMN_INT, AT(contacts), "",
     "pairs that push: a node and an obstacle or a triangle, or two edges"},
    {"ms_local", SN_COLUMN_REAL, AT(ms_local), "ms", "evaluating and assembling"},
    {"ms_global", SN_COLUMN_REAL, AT(ms_global), "ms", "factoring and solving"},
    {"ms_contact", SN_COLUMN_REAL, AT(ms_contact), "ms", "contacts"},
    {"ms_total", SN_COLUMN_REAL, AT(ms_total), "ms", "all of it"},
    {"impulse_x", SN_COLUMN_REAL, AT(impulse[0]), "kg m/s",
     "what gravity, handles, contacts and dissipations gave of momentum since the start"},
    {"impulse_y", SN_COLUMN_REAL, AT(impulse[1]), "kg m/s", ""},
    {"impulse_z", SN_COLUMN_REAL, AT(impulse[2]), "kg m/s", ""},
    {"angular_impulse_x", SN_COLUMN_REAL, AT(angular_impulse[0]), "kg m2/s", "the same of angular momentum"},
    {"angular_impulse_y", SN_COLUMN_REAL, AT(angular_impulse[1]), "kg m2/s", ""},
    {"angular_impulse_z", SN_COLUMN_REAL, AT(angular_impulse[2]), "kg m2/s", ""},
    {"tolerance", SN_COLUMN_REAL, AT(tolerance), "N", "the largest residual that was allowed"},
    {"evaluations", SN_COLUMN_INT, AT(evaluations), "", "of energies and gradients"},
    {"factorizations", SN_COLUMN_INT, AT(factorizations), "", "of matrices"},
    {"depth", SN_COLUMN_REAL, AT(depth), "m",
     "how far inside an obstacle the deepest free node is, of obstacles known by their distance (all but `mesh` and "
     "`terrain`)"},
    {"drift", SN_COLUMN_REAL, AT(drift), "m", "how far off its place the furthest node held by energy is"},
    {"detail", SN_COLUMN_TEXT, AT(detail), "",
     "of a step that stalled or is unsettled, or does not keep contacts well: why"},
    {"worst", SN_COLUMN_NODES, AT(worst), "",
     "of a step that stalled: the nodes with the largest residuals (\"812 40\", in the frame's arrays)"},
    {"unconverged", SN_COLUMN_REAL, AT(energy.unconverged), "J",
     "of `numerical`: loss to forces that unconverged solves have left over"},
    {"distance", SN_COLUMN_REAL, AT(distance), "m",
     "the smallest between surfaces that may touch, of those nearer than 1.5 thicknesses; infinite where none is"},
    {"pull_error", SN_COLUMN_REAL, AT(errors.pull), "",
     "how far contacts are from the laws they stand for, see [contact](contact.md#how-well-it-is-kept): forces that "
     "pull"},
    {"gap_error", SN_COLUMN_REAL, AT(errors.gap), "", "the same: gaps that are too small"},
    {"product_error", SN_COLUMN_REAL, AT(errors.product), "", "the same: what pushes without touching"},
    {"cone_error", SN_COLUMN_REAL, AT(errors.cone), "", "the same: more friction than there is"},
    {"slip_error", SN_COLUMN_REAL, AT(errors.slip), "", "the same: what slips without being opposed"},
    {"parts", SN_COLUMN_INT, AT(parts), "",
     "how many shorter ones it was taken in, because with contacts it did not converge as a whole; 1: it was"},
    {"crossings", SN_COLUMN_INT, AT(crossings), "",
     "edges that go through triangles at the end, each with each: what has not been untangled yet"},
    {"inverted", SN_COLUMN_INT, AT(inverted), "", "tetrahedra that are inside out at the end, or flat"},
    {"bounded", SN_COLUMN_INT, AT(bounded), "",
     "times that an inner loop ended by its bound of work and not by its precision, see "
     "[reliability](reliability.md#work)"},
    {"asleep", SN_COLUMN_INT, AT(asleep), "", "bodies that slept, see [live](live.md#bodies-that-sleep)"},
};
enum { COLUMNS = sizeof columns / sizeof *columns, FIRST_IMPULSE = 23, AFTER_IMPULSES = FIRST_IMPULSE + 6 };
// How many columns a format had; formats before 3 had their impulses elsewhere.
static const int columns_of[] = {
    [3] = 36, [4] = 37, [5] = 45, [6] = 47, [7] = 47, [8] = 47, [9] = 47, [RUN_FORMAT_VERSION] = COLUMNS};

const SnRunColumn* sn_run_columns(int* count)
{
    if (count) *count = COLUMNS;
    return columns;
}

static void add(char sql[RUN_LONGEST_SQL], const char* text)
{
    strncat(sql, text, RUN_LONGEST_SQL - 1 - strlen(sql));
}

void sn_run_step_table(char sql[RUN_LONGEST_SQL])
{
    static const char* const types[] = {"INTEGER", "INTEGER", "REAL", "TEXT", "TEXT"};
    strcpy(sql, "CREATE TABLE step(");
    for (int i = 0; i < COLUMNS; i++) {
        char column[64];
        snprintf(column, sizeof column, "%s%s %s%s", i ? ", " : "", columns[i].name, types[columns[i].type],
                 i ? "" : " PRIMARY KEY");
        add(sql, column);
    }
    add(sql, ")");
}

void sn_run_step_insertion(char sql[RUN_LONGEST_SQL])
{
    strcpy(sql, "INSERT INTO step(");
    for (int i = 0; i < COLUMNS; i++) add(sql, i ? ", " : ""), add(sql, columns[i].name);
    add(sql, ") VALUES(?");
    for (int i = 1; i < COLUMNS; i++) add(sql, ", ?");
    add(sql, ")");
}

// Before format 3 impulses had a table of their own; format 1 had none.
static const char* expression(int64_t format, int column)
{
    static const char* const impulses[] = {"i.px", "i.py", "i.pz", "i.lx", "i.ly", "i.lz"};
    if (format >= 3 && column >= columns_of[format]) return "NULL";
    if (format >= 3 || column < FIRST_IMPULSE) return columns[column].name;
    if (column >= AFTER_IMPULSES) return "NULL";
    return format == 2 ? impulses[column - FIRST_IMPULSE] : "0";
}

void sn_run_step_selection(int64_t format, char sql[RUN_LONGEST_SQL])
{
    strcpy(sql, "SELECT ");
    for (int i = 0; i < COLUMNS; i++) {
        const char* text = expression(format, i);
        bool own = text == columns[i].name;
        add(sql, i ? ", " : ""), add(sql, own ? "s." : ""), add(sql, text);
    }
    add(sql, " FROM step s ");
    if (format == 2) add(sql, "LEFT JOIN impulse i USING(step) ");
    add(sql, "WHERE s.step > ? ORDER BY s.step");
}
