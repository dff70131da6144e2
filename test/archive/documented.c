// docs/run-file.md says what is in the file: its tables are written from the schema, the columns of steps and the kinds
// of changes (SINEW_WRITE_DOCS=1 does it), and its list of keys is compared with meta.
#include "core/sanitizer.h"
#include "moments.h"
#include "world/event.h"

static const char* page = SN_SOURCE_DIR "/docs/run-file.md";

enum { WIDTH = 118 }; // of a line of SQL

// A statement in lines; what does not fit goes on, indented.
static int print_table(void* out, int count, char** values, char** names)
{
    (void)count, (void)names;
    SN_WRITTEN_TEXT(values[0]);
    int column = 0;
    for (char *text = values[0], *end; *text; text = end) {
        end = strstr(text, ", ");
        end = end ? end + 2 : text + strlen(text);
        int length = (int)(end - text), ink = length - (end[-1] == ' ');
        if (column + ink + (*end == 0) > WIDTH) column = fprintf(out, "\n  ") - 1;
        const char* next = strstr(end, ", ");
        int after = next ? (int)(next - end) + 1 : (int)strlen(end) + 1;
        column += fprintf(out, "%.*s", *end && column + length + after > WIDTH ? ink : length, text);
    }
    fprintf(out, ";\n");
    return 0;
}

static void print_schema(FILE* out)
{
    const char* path = in_folder("documented.run");
    make_run(path, false, 1, 2);
    sqlite3* database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    fprintf(out, "```sql\n");
    assert_int_equal(sqlite3_exec(database, "SELECT sql FROM sqlite_schema WHERE sql NOT NULL", print_table, out, NULL),
                     SQLITE_OK);
    fprintf(out, "```\n");
    sqlite3_close(database);
}

// Columns along three axes are one row.
static void print_columns(FILE* out)
{
    int count;
    const SnRunColumn* c = sn_run_columns(&count);
    fprintf(out, "| column | unit | meaning |\n|---|---|---|\n");
    for (int i = 0, next; i < count; i = next) {
        assert_true(c[i].meaning[0]);
        fprintf(out, "| `%s`", c[i].name);
        for (next = i + 1; next < count && !c[next].meaning[0]; next++) {
            assert_string_equal(c[next].unit, c[i].unit);
            fprintf(out, " `%s`", c[next].name);
        }
        fprintf(out, " | %s | %s |\n", c[i].unit, c[i].meaning);
    }
}

static void print_events(FILE* out)
{
    fprintf(out, "| kind | target | numbers |\n|---|---|---|\n");
    for (int i = 0; sn_event_kind(i); i++) {
        const SnEventKind* kind = sn_event_kind(i);
        fprintf(out, "| `%s` | %s | %s |\n", kind->name, kind->target, kind->numbers);
    }
}

static const struct Section {
    const char* name;
    void (*print)(FILE* out);
} sections[] = {{"schema", print_schema}, {"step", print_columns}, {"event", print_events}};

// The text with what a section should have between its two comments; the old text is freed.
static char* with_section(char* text, const struct Section* section)
{
    char mark[32], *made, *whole;
    size_t size;
    snprintf(mark, sizeof mark, "<!-- %s: ", section->name);
    char* start = strstr(text, mark);
    if (!start) fail_msg("%s lacks the comment %s", page, mark);
    start = strchr(start, '\n') + 1;
    char* end = strstr(start, "<!-- end -->");
    assert_non_null(end);
    FILE* out = open_memstream(&made, &size);
    section->print(out);
    fclose(out);
    out = open_memstream(&whole, &size);
    fprintf(out, "%.*s%s%s", (int)(start - text), text, made, end);
    fclose(out);
    free(made), free(text);
    return whole;
}

static void test_tables_are_as_documented(void** state)
{
    (void)state;
    size_t size;
    char *have = read_bytes(page, &size), *text = strdup(have);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) text = with_section(text, &sections[i]);
    if (getenv("SINEW_WRITE_DOCS") && strcmp(have, text) != 0) {
        FILE* file = fopen(page, "w");
        fputs(text, file);
        fclose(file);
    } else if (strcmp(have, text) != 0) {
        fail_msg("%s differs from the tables; run this test with SINEW_WRITE_DOCS=1 and commit it", page);
    }
    free(have), free(text);
}

static int find_key(void* docs, int count, char** values, char** names)
{
    (void)count, (void)names;
    char key[64];
    SN_WRITTEN_TEXT(values[0]);
    snprintf(key, sizeof key, "| `%s` |", values[0]);
    char* digit = strpbrk(key, "0123456789");
    if (digit) *digit = 'N';
    if (!strstr(docs, key)) fail_msg("docs/run-file.md lacks the key %s of meta", key);
    return 0;
}

static void test_keys_are_explained(void** state)
{
    (void)state;
    size_t size;
    const char* path = in_folder("keys.run");
    make_run(path, false, 1, 2);
    char* docs = read_bytes(page, &size);
    sqlite3* database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "SELECT key FROM meta", find_key, docs, NULL), SQLITE_OK);
    sqlite3_close(database);
    free(docs);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tables_are_as_documented),
    cmocka_unit_test(test_keys_are_explained),
};
RUN_TESTS(tests, make_folder, remove_folder)
