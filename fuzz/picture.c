// Pictures of heights: the bytes as a file, or, where the first one is odd, as the parts of a PNG that is put together
// with checksums that are right.
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/random.h"
#include "fuzz.h"
#include "obstacle/obstacle.h"

void fuzz_picture(const uint8_t* bytes, size_t size);
size_t fuzz_mutate_picture(uint8_t* bytes, size_t size, size_t most, unsigned seed);

static size_t put_chunk(uint8_t* out, const char* type, const uint8_t* data, size_t size)
{
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(size >> (24 - 8 * i));
    memcpy(out + 4, type, 4);
    if (size) memcpy(out + 8, data, size);
    unsigned long crc = crc32(0, out + 4, (unsigned)size + 4);
    for (int i = 0; i < 4; i++) out[8 + size + i] = (uint8_t)(crc >> (24 - 8 * i));
    return size + 12;
}

// Width, height, depth, kind and interlacing from the first bytes, pixels from the rest.
static size_t put_png(uint8_t* out, FuzzInput in)
{
    static const uint8_t depths[] = {1, 2, 4, 8, 16, 8, 16, 3};
    uint8_t header[13] = {0};
    uLongf packed = compressBound(in.left) + 16;
    uint8_t* data = malloc(packed);
    size_t used = 8;
    memcpy(out, "\x89PNG\r\n\x1a\n", 8);
    header[3] = (uint8_t)fuzz_byte(&in), header[2] = (uint8_t)(fuzz_byte(&in) % 4);
    header[7] = (uint8_t)fuzz_byte(&in), header[6] = (uint8_t)(fuzz_byte(&in) % 4);
    header[8] = depths[fuzz_byte(&in) % 8];
    header[9] = (uint8_t)(fuzz_byte(&in) % 8), header[12] = (uint8_t)(fuzz_byte(&in) % 3);
    FUZZ_CHECK(data && compress(data, &packed, in.at, in.left) == Z_OK);
    used += put_chunk(out + used, "IHDR", header, sizeof header);
    used += put_chunk(out + used, "IDAT", data, packed);
    used += put_chunk(out + used, "IEND", NULL, 0);
    free(data);
    return used;
}

static void make_terrain(const void* bytes, size_t size)
{
    SnObstacleShape shape = sn_obstacle("terrain");
    SnObstacle obstacle;
    double gradient[3];
    shape.height_map = fuzz_bytes(bytes, size);
    if (sn_obstacle_create(&obstacle, &shape) == SN_OK) {
        sn_obstacle_distance(&obstacle, (double[]){0.3, 0.1, 0.7}, gradient);
        sn_obstacle_destroy(&obstacle);
    } else
        FUZZ_CHECK(*sn_last_error());
}

void fuzz_picture(const uint8_t* bytes, size_t size)
{
    if (size < 2 || size > 1 << 16) return;
    SnBudget budget;
    fuzz_begin(&budget);
    if (bytes[0] % 2) {
        uint8_t* png = malloc(2 * size + 1000);
        make_terrain(png, put_png(png, (FuzzInput){bytes + 1, size - 1}));
        free(png);
    } else
        make_terrain(bytes + 1, size - 1);
    fuzz_end(&budget);
}

// Changes bytes of the header rarely, and of the pixels mostly.
size_t fuzz_mutate_picture(uint8_t* bytes, size_t size, size_t most, unsigned seed)
{
    SnRandom random = {seed};
    if (size < 16 && most >= 16) memset(bytes + size, 0, 16 - size), bytes[0] = 1, size = 16;
    for (uint64_t edits = 1 + sn_random_bits(&random) % 8; edits; edits--) {
        size_t at = sn_random_bits(&random) % 4 ? sn_random_bits(&random) % size : sn_random_bits(&random) % 9;
        bytes[at % size] = (uint8_t)sn_random_bits(&random);
    }
    if (sn_random_bits(&random) % 4 == 0) size = 2 + sn_random_bits(&random) % (most - 2);
    return size;
}
