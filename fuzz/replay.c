// Runs every harness over its corpus, and over its bytes changed at random; prints TAP. `fuzz_replay CORPUS [ROUNDS]`.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "fuzz.h"

enum { MOST_BYTES = 1 << 18 };
static uint8_t bytes[MOST_BYTES], changed[MOST_BYTES];

const char* fuzz_bytes(const void* content, size_t size)
{
    return fuzz_file(content, size);
}

static size_t read_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    return size;
}

static void change(const FuzzTarget* target, size_t size, uint64_t seed)
{
    SnRandom random = {seed};
    memcpy(changed, bytes, size);
    if (target->mutate && seed % 2)
        size = target->mutate(changed, size, MOST_BYTES / 16, (unsigned)sn_random_bits(&random));
    for (uint64_t n = sn_random_bits(&random) % 4; n && size; n--)
        changed[sn_random_bits(&random) % size] = (uint8_t)sn_random_bits(&random);
    target->run(changed, size);
}

static int run_target(const FuzzTarget* target, const char* corpus, int rounds)
{
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%s/%s", corpus, target->name);
    DIR* directory = opendir(folder);
    int files = 0;
    for (struct dirent* entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        size_t size = read_file(path);
        target->run(bytes, size);
        for (int i = 0; i < rounds; i++) change(target, size, (uint64_t)i + 1);
        files++;
    }
    if (directory) closedir(directory);
    return files;
}

int main(int argc, char** argv)
{
    int count = 0, failed = 0, rounds = argc > 2 ? atoi(argv[2]) : 0;
    while (fuzz_targets[count].name) count++;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        int files = run_target(&fuzz_targets[i], argc > 1 ? argv[1] : "fuzz/corpus", rounds);
        printf("%sok %d - %s: %d inputs, each changed %d times\n", files ? "" : "not ", i + 1, fuzz_targets[i].name,
               files, rounds);
        failed += files == 0; // nothing was tested
    }
    return failed > 0;
}
