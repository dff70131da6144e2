// What a statement counts in a database, for tests of files that others read with SQL.
#pragma once
#include <sqlite3.h>

#include "check.h"

static inline int count_in(const char* path, const char* sql)
{
    sqlite3* database;
    sqlite3_stmt* statement;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return count;
}
