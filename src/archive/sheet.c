#include "archive/sheet.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/exporter.h"
#include "core/memory.h"
#include "core/plain.h"

// --- CSV ---

static void write_text(FILE* file, const char* text)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted) fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    if (quoted) fputc('"', file);
}

static void write_number(FILE* file, double number)
{
    char text[32];
    sn_plain_print(text, sizeof text, "%.17g", number);
    fputs(text, file);
}

SnStatus sn_sheet_write_csv(const SnSheet* sheet, const char* path)
{
    FILE* file;
    SN_TRY(sn_export_open_file(path, &file));
    for (int c = 0; c < sheet->column_count; c++) {
        if (c) fputc(',', file);
        write_text(file, sheet->columns[c]);
    }
    fputc('\n', file);
    for (int64_t i = 0; i < (int64_t)sheet->row_count * sheet->column_count; i++) {
        const SnCell* cell = &sheet->cells[i];
        if (i % sheet->column_count) fputc(',', file);
        if (cell->text)
            write_text(file, cell->text);
        else if (!isnan(cell->number))
            write_number(file, cell->number);
        if ((i + 1) % sheet->column_count == 0) fputc('\n', file);
    }
    return sn_export_close_file(file, path);
}

// --- SQLite ---

static char* make_sql(const SnSheet* sheet, bool insertion)
{
    sqlite3_str* sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, insertion ? "INSERT INTO \"%w\" VALUES(" : "CREATE TABLE \"%w\"(", sheet->name);
    for (int c = 0; c < sheet->column_count; c++)
        if (insertion)
            sqlite3_str_appendf(sql, c ? ",?" : "?");
        else
            sqlite3_str_appendf(sql, "%s\"%w\"", c ? ", " : "", sheet->columns[c]);
    sqlite3_str_appendf(sql, ")");
    return sqlite3_str_finish(sql);
}

static int insert_rows(sqlite3* database, const SnSheet* sheet, const char* sql)
{
    sqlite3_stmt* statement = NULL;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    for (int64_t row = 0; row < sheet->row_count && code == SQLITE_OK; row++) {
        for (int c = 0; c < sheet->column_count; c++) {
            const SnCell* cell = &sheet->cells[row * sheet->column_count + c];
            if (cell->text)
                sqlite3_bind_text(statement, c + 1, cell->text, -1, SQLITE_STATIC);
            else
                sqlite3_bind_double(statement, c + 1, cell->number);
        }
        code = sqlite3_step(statement) == SQLITE_DONE ? sqlite3_reset(statement) : sqlite3_errcode(database);
    }
    sqlite3_finalize(statement);
    return code;
}

SnStatus sn_sheet_write_database(const SnSheet* sheet, const char* path)
{
    sqlite3* database = NULL;
    char *table = make_sql(sheet, false), *insertion = make_sql(sheet, true);
    unlink(path);
    int code = table && insertion ? sqlite3_open(path, &database) : SQLITE_NOMEM;
    if (code == SQLITE_OK) code = sqlite3_exec(database, "BEGIN", NULL, NULL, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(database, table, NULL, NULL, NULL);
    if (code == SQLITE_OK) code = insert_rows(database, sheet, insertion);
    if (code == SQLITE_OK) code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    SnStatus status = code == SQLITE_OK ? SN_OK
                                        : sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path,
                                                  database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
    sqlite3_close(database);
    sqlite3_free(table), sqlite3_free(insertion);
    return status;
}
