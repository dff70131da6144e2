// Heights from grey pictures: PGM by our own reader, PNG by libpng, which is left with longjmp when it fails.
#include "obstacle/height_map.h"

#include <limits.h>
#include <png.h>
#include <string.h>

#include "core/sanitizer.h"
#include "mesh/reader.h"

enum {
    MOST_SIDE = SN_TERRAIN_MOST_SIDE,
    FREE_PIXELS = 1 << 20, // any picture may have as many,
    PIXELS_PER_BYTE = 32,  // larger ones as many for each byte of their file: real ground compresses less
    DEFLATE_MOST = 1032,   // bytes that zlib can make of one
};

typedef struct Map {
    SnReader* reader;
    int columns, rows;
    double* heights;
    // PNG:
    png_structp png;
    png_infop info;
    png_bytep row;
    bool grey;
    char message[200];
} Map;

// A terrain takes some sixty bytes for each pixel, and a few bytes of a file can claim a great many of them.
static SnStatus check_area(const Map* m, int64_t columns, int64_t rows)
{
    const SnReader* r = m->reader;
    int64_t pixels = columns * rows;
    if (columns > MOST_SIDE || rows > MOST_SIDE)
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: %lld x %lld pixels; at most %d to a side are possible, scale the picture down", r->path,
                       (long long)columns, (long long)rows, MOST_SIDE);
    if (pixels > SN_TERRAIN_MOST)
        return sn_fail(SN_ERROR_FORMAT, "%s: %lld x %lld pixels; at most %d million in all are possible, scale it down",
                       r->path, (long long)columns, (long long)rows, SN_TERRAIN_MOST / 1000000);
    if (pixels > FREE_PIXELS && pixels / PIXELS_PER_BYTE > (int64_t)r->size)
        return sn_fail(
            SN_ERROR_FORMAT,
            "%s: %lld x %lld pixels in %lld bytes: the picture is nearly empty; scale it down to at most %d in "
            "all",
            r->path, (long long)columns, (long long)rows, (long long)r->size, FREE_PIXELS);
    return SN_OK;
}

static SnStatus read_pgm(Map* m)
{
    SnReader* r = m->reader;
    SnWord word;
    int64_t columns, rows, white, grey;
    r->comment = '#';
    SN_TRY(sn_read_word(r, &word, "the picture's type"));
    bool text = sn_word_is(word, "P2");
    SN_TRY(sn_read_integer(r, 1, MOST_SIDE, &columns, "the width"));
    SN_TRY(sn_read_integer(r, 1, MOST_SIDE, &rows, "the height"));
    SN_TRY(sn_read_integer(r, 1, 65535, &white, "the value of white"));
    if (!text) r->comment = 0, r->binary = true, r->big_endian = true, r->at += r->at < r->end; // one white space
    SnNumberType type = white > 255 ? SN_UINT16 : SN_UINT8;
    SN_TRY(check_area(m, columns, rows));
    SN_TRY(sn_reader_fits(r, columns * rows, text ? 1 : sn_number_size(type), "pixels"));
    m->columns = (int)columns, m->rows = (int)rows;
    if (!SN_NEW(m->heights, columns * rows, "heights")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < columns * rows; i++) {
        SN_TRY(text ? sn_read_integer(r, 0, white, &grey, "a pixel")
                    : sn_read_binary_integer(r, type, &grey, "a pixel"));
        if (grey > white)
            return sn_reader_fail(r, NULL, SN_ERROR_FORMAT, "pixel %lld is %lld, above white, which is %lld",
                                  (long long)i, (long long)grey, (long long)white);
        m->heights[i] = (double)grey / (double)white;
    }
    return SN_OK;
}

static void give_bytes(png_structp png, png_bytep bytes, size_t count)
{
    SnReader* r = png_get_io_ptr(png);
    if (count > (size_t)(r->end - r->at)) png_error(png, "it ends too early");
    memcpy(bytes, r->at, count);
    r->at += count;
}

static void keep_message(png_structp png, png_const_charp message)
{
    Map* m = png_get_error_ptr(png);
    snprintf(m->message, sizeof m->message, "%s", message);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

// Grey of 8 or 16 bits, whatever it was stored as; false: it has colours.
static bool read_png_header(Map* m)
{
    png_read_info(m->png, m->info);
    m->grey = !(png_get_color_type(m->png, m->info) & PNG_COLOR_MASK_COLOR);
    png_uint_32 columns = png_get_image_width(m->png, m->info), rows = png_get_image_height(m->png, m->info);
    if (!m->grey) return false;
    m->columns = columns > INT_MAX ? INT_MAX : (int)columns, m->rows = rows > INT_MAX ? INT_MAX : (int)rows;
    png_set_expand_gray_1_2_4_to_8(m->png);
    png_set_strip_alpha(m->png);
    png_set_interlace_handling(m->png);
    png_read_update_info(m->png, m->info);
    return true;
}

// Pixels of 16 bits have their high byte first. Interlaced pictures are read several times, each filling in more.
static void read_png_rows(Map* m)
{
    bool wide = png_get_bit_depth(m->png, m->info) == 16;
    size_t size = png_get_rowbytes(m->png, m->info);
    int passes = png_get_interlace_type(m->png, m->info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    for (int i = 0; i < passes * m->rows; i++) {
        png_bytep row = m->row + size * (size_t)(i % m->rows);
        png_read_row(m->png, row, NULL);
        SN_WRITTEN(row, size);
    }
    for (int64_t i = 0; i < (int64_t)m->columns * m->rows; i++) {
        const png_byte* p = m->row + (size_t)(i / m->columns) * size + (size_t)(i % m->columns) * (wide ? 2 : 1);
        m->heights[i] = wide ? (256.0 * p[0] + p[1]) / 65535 : p[0] / 255.0;
    }
}

static SnStatus read_png_into(Map* m)
{
    const char* path = m->reader->path;
    if (setjmp(png_jmpbuf(m->png)))
        return sn_fail(SN_ERROR_FORMAT, "%s: not a readable PNG file: %s", path, m->message);
    png_set_read_fn(m->png, m->reader, give_bytes);
    if (!read_png_header(m))
        return sn_fail(SN_ERROR_FORMAT, "%s: the picture has colours; heights are grey, as in a PGM or a grey PNG",
                       path);
    SN_TRY(check_area(m, m->columns, m->rows));
    size_t size = png_get_rowbytes(m->png, m->info);
    int64_t bits = png_get_bit_depth(m->png, m->info) == 16 ? 16 : 1; // 8 may have been 1 in the file
    if ((int64_t)m->columns * m->rows / 8 * bits > (int64_t)DEFLATE_MOST * (int64_t)m->reader->size)
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: not a readable PNG file: it ends too early: %d x %d pixels cannot be in %lld bytes", path,
                       m->columns, m->rows, (long long)m->reader->size);
    if (!SN_NEW(m->heights, (int64_t)m->columns * m->rows, "heights") ||
        !SN_NEW(m->row, size * (size_t)m->rows, "heights"))
        return SN_ERROR_MEMORY;
    read_png_rows(m);
    return SN_OK;
}

static SnStatus read_png(Map* m)
{
    m->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, m, keep_message, ignore_warning);
    m->info = m->png ? png_create_info_struct(m->png) : NULL;
    SnStatus status = m->info ? read_png_into(m) : sn_fail(SN_ERROR_MEMORY, "not enough memory for a picture");
    if (m->png) png_destroy_read_struct(&m->png, &m->info, NULL);
    sn_free(m->row);
    return status;
}

SnStatus sn_height_map_load(const char* path, int* columns, int* rows, double** heights)
{
    SnReader reader;
    Map map = {.reader = &reader};
    *heights = NULL;
    SN_TRY(sn_reader_open(&reader, path));
    SN_TRUST_LIBRARIES();
    bool png = reader.size >= 8 && png_sig_cmp((png_const_bytep)reader.bytes, 0, 8) == 0;
    bool pgm = reader.size > 2 && reader.bytes[0] == 'P' && (reader.bytes[1] == '2' || reader.bytes[1] == '5');
    SnStatus status = png   ? read_png(&map)
                      : pgm ? read_pgm(&map)
                            : sn_fail(SN_ERROR_FORMAT, "%s: neither a PNG nor a PGM (P2, P5) picture", path);
    sn_reader_close(&reader);
    *columns = map.columns, *rows = map.rows;
    if (status == SN_OK)
        *heights = map.heights;
    else
        sn_free(map.heights);
    return status;
}
