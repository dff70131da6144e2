// docs/run-file.md says what is in the file: its SQL is compared with the schema, its key list with meta.
#include <ctype.h>

#include "core/sanitizer.h"
#include "moments.h"

// One space for any white space, none around punctuation.
static void squeeze(char* text)
{
    char* to = text;
    for (const char* from = text; *from; from++) {
        if (!isspace((unsigned char)*from)) {
            *to++ = *from;
            continue;
        }
        bool inner = to > text && isalnum((unsigned char)to[-1]) && isalnum((unsigned char)from[1]);
        if (inner) *to++ = ' ';
    }
    *to = 0;
}

static char* read_docs(void)
{
    size_t size;
    return read_bytes(SN_SOURCE_DIR "/docs/run-file.md", &size);
}

static int compare_schema(void* docs, int count, char** values, char** names)
{
    (void)names;
    assert_int_equal(count, 1);
    SN_WRITTEN_TEXT(values[0]);
    char* sql = strdup(values[0]);
    squeeze(sql);
    char* found = strstr(docs, sql);
    if (!found) fail_msg("docs/run-file.md lacks: %s", values[0]);
    found[0] = '-'; // told, so that what is left is too much
    free(sql);
    return 0;
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

static void test_docs(void** state)
{
    (void)state;
    const char* path = in_folder("documented.run");
    make_run(path, false, 1, 2);
    char *keys = read_docs(), *docs = read_docs();
    squeeze(docs);
    sqlite3* database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database, "SELECT sql FROM sqlite_schema WHERE sql NOT NULL", compare_schema, docs, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "SELECT key FROM meta", find_key, keys, NULL), SQLITE_OK);
    sqlite3_close(database);
    if (strstr(docs, "CREATE TABLE ")) fail_msg("not in the file: %.60s", strstr(docs, "CREATE TABLE "));
    free(docs), free(keys);
}

static void test_step_columns_are_explained(void** state)
{
    (void)state;
    int count;
    const SnRunColumn* columns = sn_run_columns(&count);
    char* docs = read_docs();
    const char* section = strstr(docs, "### step");
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "`%s`", columns[i].name);
        if (strchr(columns[i].name, '_') && strstr(columns[i].name, "impulse")) name[strlen(name) - 2] = 'x';
        if (!strstr(section, name)) fail_msg("docs/run-file.md does not explain %s of step", columns[i].name);
    }
    free(docs);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_docs),
    cmocka_unit_test(test_step_columns_are_explained),
};
RUN_TESTS(tests, make_folder, remove_folder)
