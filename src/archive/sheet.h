// A table of numbers and texts, as CSV and as an SQLite database.
#pragma once
#include <sinew/base.h>

typedef struct SnCell {
    const char* text; // NULL: the number
    double number;    // NAN: nothing is known
} SnCell;

typedef struct SnSheet {
    const char* name; // of the table in the database
    int column_count, row_count;
    const char* const* columns; // column_count names
    const SnCell* cells;        // row after row
} SnSheet;

SnStatus sn_sheet_write_csv(const SnSheet* sheet, const char* path);
SnStatus sn_sheet_write_database(const SnSheet* sheet, const char* path); // in place of one that is there
