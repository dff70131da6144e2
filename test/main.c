// Runs the tests of a room, file by file: `test_ROOM` all of them, `test_ROOM NAME` those whose name matches, as in
// `build/test_world 'test_spinning*'`.
#include "check.h"

enum { MOST_FILES = 64 };
static int (*files[MOST_FILES])(void);
static int file_count;

void add_test_file(int (*run)(void))
{
    if (file_count == MOST_FILES) abort();
    files[file_count++] = run;
}

int main(int argc, char** argv)
{
    int failed = 0;
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    for (int i = 0; i < file_count; i++) failed += files[i]() != 0;
    return failed != 0;
}
