// Runs and Huffman's code: Z_RLE of zlib, in a fifth of its time. Smoothly shaded pictures, as differences of
// neighbours, are mostly runs of zeros.
#include "view/deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SYMBOLS = 286, END = 256, LONGEST = 15, SHORTEST_RUN = 4, LONGEST_RUN = 258 };

typedef struct Code {
    uint16_t bits[SYMBOLS];
    uint8_t length[SYMBOLS]; // 0: never used
} Code;

// RFC 1951, 3.2.5: symbols 257 to 285, each with the shortest run it stands for and how many bits are added.
static const uint16_t run_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t run_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

static void begin(SnDeflate* s)
{
    s->sum = (uint32_t)adler32(0, NULL, 0);
    for (int length = 3, k = 0; length <= LONGEST_RUN; length++) {
        while (k < 28 && run_base[k + 1] <= length) k++;
        s->symbols[length] = (uint8_t)k;
    }
}

// How many bytes from `at` on are as the one before it.
static int run_length(const uint8_t* at, int most)
{
    int length = 0;
    uint64_t same = at[-1] * UINT64_C(0x0101010101010101), next;
    for (; length + 8 <= most; length += 8) {
        memcpy(&next, at + length, 8);
        if (next != same) break;
    }
    while (length < most && at[length] == at[-1]) length++;
    return length;
}

// Returns how many tokens; `counts` how often each symbol is needed.
static int find_tokens(SnDeflate* s, const uint8_t* bytes, int count, bool first, uint32_t counts[SYMBOLS])
{
    int tokens = 0;
    for (int i = 0; i < count;) {
        int most = count - i < LONGEST_RUN ? count - i : LONGEST_RUN;
        int run = (i > 0 || !first) && bytes[i] == bytes[i - 1] ? run_length(bytes + i, most) : 0;
        if (run >= SHORTEST_RUN) {
            s->tokens[tokens++] = (uint16_t)(END + run);
            counts[END + 1 + s->symbols[run]]++;
            i += run;
        } else {
            counts[s->tokens[tokens++] = bytes[i++]]++;
        }
    }
    s->tokens[tokens++] = END;
    counts[END]++;
    return tokens;
}

typedef struct Leaf {
    uint32_t count;
    int symbol;
} Leaf;

static int compare_leaves(const void* a, const void* b)
{
    const Leaf *p = a, *q = b;
    if (p->count != q->count) return p->count < q->count ? -1 : 1;
    return p->symbol - q->symbol;
}

// Counts in increasing order become lengths of codes, in place (Moffat & Katajainen 1995); n >= 2.
static void find_lengths(uint32_t* a, int n)
{
    int root = 0, leaf = 2, free = 1, used = 0, next;
    uint32_t depth = 0;
    a[0] += a[1];
    for (next = 1; next < n - 1; next++) {
        for (int child = 0; child < 2; child++) {
            bool inner = leaf >= n || (root < next && a[root] < a[leaf]);
            uint32_t weight = inner ? a[root] : a[leaf];
            if (inner)
                a[root++] = (uint32_t)next;
            else
                leaf++;
            a[next] = child ? a[next] + weight : weight;
        }
    }
    a[n - 2] = 0;
    for (next = n - 3; next >= 0; next--) a[next] = a[a[next]] + 1;
    for (root = n - 2, next = n - 1; free > 0; free = 2 * used, depth++, used = 0) {
        for (; root >= 0 && a[root] == depth; root--) used++;
        for (; free > used; free--) a[next--] = depth;
    }
}

// Codes of one length follow each other by symbol (RFC 1951, 3.2.2); their first bit goes first.
static void number_codes(Code* code)
{
    uint32_t next = 0;
    for (int length = 1; length <= LONGEST; length++, next <<= 1)
        for (int k = 0; k < SYMBOLS; k++) {
            if (code->length[k] != length) continue;
            uint32_t turned = 0;
            for (int i = 0; i < length; i++) turned |= (next >> i & 1) << (length - 1 - i);
            code->bits[k] = (uint16_t)turned;
            next++;
        }
}

static void make_code(const uint32_t counts[SYMBOLS], Code* code)
{
    Leaf leaves[SYMBOLS];
    uint32_t lengths[SYMBOLS];
    int n = 0;
    for (int k = 0; k < SYMBOLS; k++)
        if (counts[k] > 0 || k < 2) leaves[n++] = (Leaf){counts[k] + 1, k}; // two at least
    qsort(leaves, (size_t)n, sizeof *leaves, compare_leaves);
    for (bool long_ones = true; long_ones;) {
        for (int i = 0; i < n; i++) lengths[i] = leaves[i].count;
        find_lengths(lengths, n);
        long_ones = lengths[0] > LONGEST;
        for (int i = 0; i < n && long_ones; i++) leaves[i].count = leaves[i].count / 2 + 1;
    }
    memset(code, 0, sizeof *code);
    for (int i = 0; i < n; i++) code->length[leaves[i].symbol] = (uint8_t)lengths[i];
    number_codes(code);
}

static void put(SnDeflate* s, uint8_t** out, uint32_t bits, int length)
{
    s->held |= (uint64_t)bits << s->bits;
    s->bits += length;
    if (s->bits < 32) return;
    for (int i = 0; i < 32; i += 8) *(*out)++ = (uint8_t)(s->held >> i);
    s->bits -= 32, s->held >>= 32;
}

// Up to the last whole byte.
static void put_rest(SnDeflate* s, uint8_t** out)
{
    for (; s->bits >= 8; s->bits -= 8, s->held >>= 8) *(*out)++ = (uint8_t)s->held;
}

// Lengths of codes are written as four bits each; distances are one.
static void put_code(SnDeflate* s, uint8_t** out, const Code* code)
{
    put(s, out, SYMBOLS - 257, 5);
    put(s, out, 0, 5);
    put(s, out, 19 - 4, 4);
    for (int i = 0; i < 19; i++) put(s, out, i < 3 ? 0 : 4, 3); // 16, 17 and 18 come first, and are not used
    for (int k = 0; k <= SYMBOLS; k++) {
        uint32_t length = k < SYMBOLS ? code->length[k] : 1, turned = 0;
        for (int i = 0; i < 4; i++) turned |= (length >> i & 1) << (3 - i);
        put(s, out, turned, 4);
    }
}

static void put_tokens(SnDeflate* s, uint8_t** out, const Code* code, int count)
{
    for (int i = 0; i < count; i++) {
        int token = s->tokens[i];
        if (token <= END) {
            put(s, out, code->bits[token], code->length[token]);
            continue;
        }
        int run = token - END, k = s->symbols[run], length = code->length[END + 1 + k];
        uint32_t bits = code->bits[END + 1 + k] | (uint32_t)(run - run_base[k]) << length;
        put(s, out, bits, length + run_extra[k] + 1); // and the distance, a bit of 0
    }
}

size_t sn_deflate_block(SnDeflate* s, const uint8_t* bytes, int count, bool first, bool last, uint8_t* out)
{
    uint8_t* at = out;
    uint32_t counts[SYMBOLS] = {0};
    Code code;
    if (first) {
        begin(s);
        put(s, &at, 0x0178, 16); // deflate, a window of 32 kB, the fastest
    }
    s->sum = (uint32_t)adler32(s->sum, bytes, (uInt)count);
    int tokens = find_tokens(s, bytes, count, first, counts);
    make_code(counts, &code);
    put(s, &at, last ? 5 : 4, 3); // whether it is the last one; codes of its own
    put_code(s, &at, &code);
    put_tokens(s, &at, &code, tokens);
    if (!last) return (size_t)(at - out);
    put(s, &at, 0, 7); // to a whole byte
    put_rest(s, &at);
    s->bits = 0, s->held = 0;
    for (int i = 24; i >= 0; i -= 8) put(s, &at, s->sum >> i & 255, 8);
    return (size_t)(at - out);
}
