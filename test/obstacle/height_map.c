// Terrains from pictures: the same heights from each kind of file, and what is wrong with others.
#include "check.h"

#include <png.h>
#include <unistd.h>
#include <zlib.h>

#include "core/sanitizer.h"
#include "obstacle/obstacle.h"

enum { MAP_COLUMNS = 5, MAP_ROWS = 4 };

static int map_value(int i, int white)
{
    return i * 7919 % (white + 1);
}

static void write_pgm(const char* path, bool text, int white)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P%d\n# a comment\n%d %d\n%d\n", text ? 2 : 5, MAP_COLUMNS, MAP_ROWS, white);
    for (int i = 0; i < MAP_COLUMNS * MAP_ROWS; i++) {
        int value = map_value(i, white);
        if (text) fprintf(file, "%d%c", value, i % 3 ? ' ' : '\n');
        if (!text && white > 255) fputc(value >> 8, file);
        if (!text) fputc(value & 255, file);
    }
    check(fclose(file) == 0);
}

static void write_png(const char* path, int bits, int colour, int interlace)
{
    FILE* file = fopen(path, "wb");
    SN_TRUST_LIBRARIES();
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    check(file && info && !setjmp(png_jmpbuf(png)));
    png_init_io(png, file);
    png_set_IHDR(png, info, MAP_COLUMNS, MAP_ROWS, bits, colour, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_byte bytes[MAP_ROWS][8 * MAP_COLUMNS] = {{0}};
    png_bytep rows[MAP_ROWS];
    int parts = colour == PNG_COLOR_TYPE_RGB ? 3 : colour == PNG_COLOR_TYPE_GRAY_ALPHA ? 2 : 1;
    for (int i = 0; i < MAP_COLUMNS * MAP_ROWS; i++) {
        int row = i / MAP_COLUMNS, at = i % MAP_COLUMNS * parts * bits / 8, value = map_value(i, (1 << bits) - 1);
        rows[row] = bytes[row];
        if (bits == 16) bytes[row][at] = (png_byte)(value >> 8);
        bytes[row][at + bits / 8 - 1] = (png_byte)value;
    }
    png_set_rows(png, info, rows);
    png_write_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    png_destroy_write_struct(&png, &info);
    check(fclose(file) == 0);
}

static void check_same_terrain(const char* path, int white)
{
    double heights[MAP_COLUMNS * MAP_ROWS], g[2][3];
    SnObstacleShape shape = sn_obstacle("terrain");
    SnObstacle given, read;
    for (int i = 0; i < MAP_COLUMNS * MAP_ROWS; i++) heights[i] = map_value(i, white) / (double)white;
    memcpy(shape.size, (const double[]){4, 0.5, 3}, sizeof shape.size);
    shape.columns = MAP_COLUMNS, shape.rows = MAP_ROWS, shape.heights = heights;
    check_ok(sn_obstacle_create(&given, &shape));
    shape.columns = shape.rows = 0, shape.heights = NULL, shape.height_map = path;
    check_ok(sn_obstacle_create(&read, &shape));
    for (int i = 0; i < 40; i++) {
        const double p[3] = {0.1 * i, 0.3 * (i % 4) - 0.1, 0.07 * i};
        check_near(sn_obstacle_distance(&read, p, g[0]), sn_obstacle_distance(&given, p, g[1]), 0);
    }
    sn_obstacle_destroy(&given), sn_obstacle_destroy(&read);
}

static void check_bad_map(const char* path, const char* message)
{
    SnObstacleShape shape = sn_obstacle("terrain");
    SnObstacle obstacle;
    shape.height_map = path;
    if (sn_obstacle_create(&obstacle, &shape) == SN_OK) fail_msg("%s is taken", path);
    if (!strstr(sn_last_error(), message) || !strstr(sn_last_error(), path))
        fail_msg("\"%s\" instead of \"%s\"", sn_last_error(), message);
}

static void cut_short(const char* path, long size)
{
    check(truncate(path, size) == 0);
}

static void test_terrain_from_picture(void** state)
{
    (void)state;
    char path[] = "/tmp/sinew-terrain-XXXXXX";
    int file = mkstemp(path);
    check(file >= 0 && close(file) == 0);
    const int whites[] = {255, 65535, 100, 4095};
    for (int i = 0; i < 8; i++) {
        write_pgm(path, i % 2, whites[i / 2]);
        check_same_terrain(path, whites[i / 2]);
    }
    for (int i = 0; i < 8; i++) {
        int bits = i % 2 ? 16 : 8;
        write_png(path, bits, i / 2 % 2 ? PNG_COLOR_TYPE_GRAY_ALPHA : PNG_COLOR_TYPE_GRAY,
                  i / 4 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE);
        check_same_terrain(path, (1 << bits) - 1);
    }
    cut_short(path, 80), check_bad_map(path, "not a readable PNG file");
    write_png(path, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE), check_bad_map(path, "has colours; heights are grey");
    write_pgm(path, false, 65535), cut_short(path, 50), check_bad_map(path, "pixels");
    write_pgm(path, true, 255), cut_short(path, 60), check_bad_map(path, "a pixel");
    cut_short(path, 12), check_bad_map(path, "the width");
    cut_short(path, 0), check_bad_map(path, "neither a PNG nor a PGM");
    remove(path);
    check_bad_map(path, "");
}

// A PNG whose header claims so many pixels, with as many bytes behind it as are wanted.
static void write_claim(const char* path, unsigned columns, unsigned rows, int more)
{
    unsigned char bytes[33] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
    unsigned sizes[2] = {columns, rows};
    for (int i = 0; i < 8; i++) bytes[16 + i] = (unsigned char)(sizes[i / 4] >> (24 - 8 * (i % 4)));
    bytes[24] = 1; // one bit each, grey
    unsigned long crc = crc32(0, bytes + 12, 17);
    for (int i = 0; i < 4; i++) bytes[29 + i] = (unsigned char)(crc >> (24 - 8 * i));
    FILE* file = fopen(path, "wb");
    check(file && fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes);
    static const unsigned char end[] = {0, 0, 0, 0, 'I', 'D', 'A', 'T', 0x35, 0xaf, 0x06, 0x1e};
    for (int i = 0; i < more; i++) check(fwrite(end, 1, sizeof end, file) == sizeof end);
    check(fclose(file) == 0);
}

// A small file cannot make a large terrain.
static void test_pictures_that_claim_too_much(void** state)
{
    (void)state;
    char path[] = "/tmp/sinew-terrain-XXXXXX";
    int file = mkstemp(path);
    check(file >= 0 && close(file) == 0);
    FailingMemory memory;
    start_failing(&memory, -1);
    memory.most = 1 << 20;
    write_claim(path, 20000, 20000, 3), check_bad_map(path, "million in all");
    write_claim(path, 2147483647, 2147483647, 3), check_bad_map(path, path);
    write_claim(path, 21000, 10, 3), check_bad_map(path, "at most 20000 to a side");
    write_claim(path, 4000, 4000, 3), check_bad_map(path, "nearly empty; scale it down");
    write_claim(path, 1000, 1000, 3), check_bad_map(path, "cannot be in 69 bytes");
    FILE* pgm = fopen(path, "wb");
    check(pgm && fputs("P2 4000 4000 255 1 2 3", pgm) >= 0 && fclose(pgm) == 0);
    check_bad_map(path, "nearly empty");
    stop_failing(&memory);
    remove(path);
}

// In binary as in text.
static void test_pixels_above_white(void** state)
{
    (void)state;
    char path[] = "/tmp/sinew-terrain-XXXXXX";
    int file = mkstemp(path);
    static const char* const texts[] = {"P2 2 2 100 1 2 3 101", "P5 2 2 100\n\x01\x02\x03\x65",
                                        "P5 1 2 1000\n\x01\x02\x03\xff"};
    check(file >= 0 && close(file) == 0);
    for (int i = 0; i < 3; i++) {
        FILE* pgm = fopen(path, "wb");
        check(pgm && fputs(texts[i], pgm) >= 0 && fclose(pgm) == 0);
        check_bad_map(path, "pixel");
    }
    remove(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pictures_that_claim_too_much),
    cmocka_unit_test(test_pixels_above_white),
    cmocka_unit_test(test_terrain_from_picture),
};
RUN_TESTS(tests, NULL, NULL)
