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
    "CREATE TABLE skin(body INTEGER PRIMARY KEY, rest BLOB, starts BLOB, corners BLOB, uvs BLOB, corner_uvs BLOB, "
    "normals BLOB, corner_normals BLOB, colours BLOB, smoothing BLOB, carriers BLOB, weights BLOB);"
    "CREATE TABLE skin_group(body INTEGER, number INTEGER, kind TEXT, name TEXT, faces BLOB, "
    "PRIMARY KEY(body, number));";

#define AT(member) offsetof(SnRunStep, member)
static const SnRunColumn columns[] = {
    {"step", SN_COLUMN_INT64, AT(step), ""},
    {"time", SN_COLUMN_REAL, AT(time), "s"},
    {"iterations", SN_COLUMN_INT, AT(iterations), ""},
    {"outcome", SN_COLUMN_TEXT, AT(outcome), ""},
    {"gradient", SN_COLUMN_REAL, AT(gradient), "N"},
    {"kinetic", SN_COLUMN_REAL, AT(energy.kinetic), "J"},
    {"elastic", SN_COLUMN_REAL, AT(energy.elastic), "J"},
    {"gravity", SN_COLUMN_REAL, AT(energy.gravity), "J"},
    {"pins", SN_COLUMN_REAL, AT(energy.pins), "J"},
    {"viscous", SN_COLUMN_REAL, AT(energy.viscous), "J"},
    {"friction", SN_COLUMN_REAL, AT(energy.friction), "J"},
    {"numerical", SN_COLUMN_REAL, AT(energy.numerical), "J"},
    {"px", SN_COLUMN_REAL, AT(momentum[0]), "kg m/s"},
    {"py", SN_COLUMN_REAL, AT(momentum[1]), "kg m/s"},
    {"pz", SN_COLUMN_REAL, AT(momentum[2]), "kg m/s"},
    {"lx", SN_COLUMN_REAL, AT(angular_momentum[0]), "kg m2/s"},
    {"ly", SN_COLUMN_REAL, AT(angular_momentum[1]), "kg m2/s"},
    {"lz", SN_COLUMN_REAL, AT(angular_momentum[2]), "kg m2/s"},
    {"contacts", SN_COLUMN_INT, AT(contacts), ""},
    {"ms_local", SN_COLUMN_REAL, AT(ms_local), "ms"},
    {"ms_global", SN_COLUMN_REAL, AT(ms_global), "ms"},
    {"ms_contact", SN_COLUMN_REAL, AT(ms_contact), "ms"},
    {"ms_total", SN_COLUMN_REAL, AT(ms_total), "ms"},
    {"impulse_x", SN_COLUMN_REAL, AT(impulse[0]), "kg m/s"},
    {"impulse_y", SN_COLUMN_REAL, AT(impulse[1]), "kg m/s"},
    {"impulse_z", SN_COLUMN_REAL, AT(impulse[2]), "kg m/s"},
    {"angular_impulse_x", SN_COLUMN_REAL, AT(angular_impulse[0]), "kg m2/s"},
    {"angular_impulse_y", SN_COLUMN_REAL, AT(angular_impulse[1]), "kg m2/s"},
    {"angular_impulse_z", SN_COLUMN_REAL, AT(angular_impulse[2]), "kg m2/s"},
    {"tolerance", SN_COLUMN_REAL, AT(tolerance), "N"},
    {"evaluations", SN_COLUMN_INT, AT(evaluations), ""},
    {"factorizations", SN_COLUMN_INT, AT(factorizations), ""},
    {"depth", SN_COLUMN_REAL, AT(depth), "m"},
    {"drift", SN_COLUMN_REAL, AT(drift), "m"},
    {"detail", SN_COLUMN_TEXT, AT(detail), ""},
    {"worst", SN_COLUMN_NODES, AT(worst), ""},
    {"unconverged", SN_COLUMN_REAL, AT(energy.unconverged), "J"},
    {"distance", SN_COLUMN_REAL, AT(distance), "m"},
    {"pull_error", SN_COLUMN_REAL, AT(errors.pull), ""},
    {"gap_error", SN_COLUMN_REAL, AT(errors.gap), ""},
    {"product_error", SN_COLUMN_REAL, AT(errors.product), ""},
    {"cone_error", SN_COLUMN_REAL, AT(errors.cone), ""},
    {"slip_error", SN_COLUMN_REAL, AT(errors.slip), ""},
    {"parts", SN_COLUMN_INT, AT(parts), ""},
    {"crossings", SN_COLUMN_INT, AT(crossings), ""},
    {"inverted", SN_COLUMN_INT, AT(inverted), ""},
    {"bounded", SN_COLUMN_INT, AT(bounded), ""},
};
enum { COLUMNS = sizeof columns / sizeof *columns, FIRST_IMPULSE = 23, AFTER_IMPULSES = FIRST_IMPULSE + 6 };
// How many columns a format had; formats before 3 had their impulses elsewhere.
static const int columns_of[] = {
    [3] = 36, [4] = 37, [5] = 45, [6] = COLUMNS, [7] = COLUMNS, [8] = COLUMNS, [RUN_FORMAT_VERSION] = COLUMNS};

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
