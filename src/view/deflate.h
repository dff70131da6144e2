// Bytes as a zlib stream (RFC 1950, 1951), quickly: runs of one byte, and the rest by Huffman's code.
#pragma once
#include <sinew/base.h>

enum { SN_DEFLATE_BLOCK = 1 << 16 };                   // the most bytes at once
enum { SN_DEFLATE_ROOM = 2 * SN_DEFLATE_BLOCK + 512 }; // as many as come out of these at most

typedef struct SnDeflate {
    uint64_t held; // bits that make no word of 32 yet
    int bits;
    uint32_t sum;                          // Adler's
    uint8_t symbols[259];                  // of runs, by length
    uint16_t tokens[SN_DEFLATE_BLOCK + 1]; // of a block: bytes, 256: the end, above: runs
} SnDeflate;

// Of zeros before the first block. bytes[-1] is the last one of the block before, anything else before the first.
// Returns how many bytes were put into `out`, which has SN_DEFLATE_ROOM.
size_t sn_deflate_block(SnDeflate* stream, const uint8_t* bytes, int count, bool first, bool last, uint8_t* out);
