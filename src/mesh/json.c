// JSON (RFC 8259): recursive descent, with a bound of depth.
#include "mesh/json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct Parser {
    SnReader* reader;
    const char* end;
    SnArena* arena;
} Parser;

static SnStatus read_value(Parser* p, int depth, SnJson* out);

static void skip(Parser* p)
{
    const char* at = p->reader->at;
    while (at < p->end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    p->reader->at = at;
}

static bool take(Parser* p, char wanted)
{
    skip(p);
    if (p->reader->at >= p->end || *p->reader->at != wanted) return false;
    p->reader->at++;
    return true;
}

static int hex_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// What stands after a backslash, as UTF-8; the number of bytes, 0: malformed.
static int unescape(const char** at, const char* end, char out[4])
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char* c = *at;
    const char* found = c < end && *c ? strchr(names, *c) : NULL;
    if (found) {
        out[0] = values[found - names];
        *at = c + 1;
        return 1;
    }
    if (c + 5 > end || *c != 'u') return 0;
    unsigned code = 0;
    for (int i = 1; i < 5; i++) {
        if (hex_of(c[i]) < 0) return 0;
        code = 16 * code + (unsigned)hex_of(c[i]);
    }
    *at = c + 5;
    int size = code < 0x80 ? 1 : code < 0x800 ? 2 : 3; // halves of pairs stay halves
    if (size == 1) out[0] = (char)code;
    if (size == 2) out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 63));
    if (size == 3)
        out[0] = (char)(0xe0 | code >> 12), out[1] = (char)(0x80 | (code >> 6 & 63)),
        out[2] = (char)(0x80 | (code & 63));
    return size;
}

static SnStatus read_text(Parser* p, const char** text)
{
    SnReader* r = p->reader;
    if (!take(p, '"')) return sn_malformed(r, "a text in quotation marks should be here");
    const char* close = r->at;
    while (close < p->end && *close != '"') close += *close == '\\' ? 2 : 1;
    if (close >= p->end) return sn_malformed(r, "a text lacks its closing quotation mark");
    char *out = sn_arena_allocate(p->arena, (size_t)(close - r->at) + 4), *to = out;
    if (!out) return SN_ERROR_MEMORY;
    for (const char* c = r->at; c < close;) {
        if (*c != '\\') {
            *to++ = *c++;
            continue;
        }
        c++;
        int size = unescape(&c, close, to);
        if (size == 0) return sn_reader_fail(r, c, SN_ERROR_FORMAT, "no such escape in a text");
        to += size;
    }
    *to = 0;
    *text = out;
    r->at = close + 1;
    return SN_OK;
}

static SnStatus add_child(Parser* p, SnJson* parent, SnJson** child)
{
    *child = sn_arena_allocate(p->arena, sizeof **child);
    if (!*child) return SN_ERROR_MEMORY;
    if (parent->last)
        parent->last->next = *child;
    else
        parent->first = *child;
    parent->last = *child;
    parent->count++;
    return SN_OK;
}

static SnStatus index_items(Parser* p, SnJson* list)
{
    list->items = sn_arena_allocate(p->arena, (size_t)list->count * sizeof *list->items + 1);
    if (!list->items) return SN_ERROR_MEMORY;
    int i = 0;
    for (SnJson* item = list->first; item; item = item->next) list->items[i++] = item;
    return SN_OK;
}

static SnStatus read_members(Parser* p, int depth, SnJson* out)
{
    bool map = out->kind == SN_JSON_MAP;
    char close = map ? '}' : ']';
    if (take(p, close)) return index_items(p, out);
    do {
        SnJson* child;
        SN_TRY(add_child(p, out, &child));
        if (map) SN_TRY(read_text(p, &child->key));
        if (map && !take(p, ':')) return sn_malformed(p->reader, "':' should be here");
        SN_TRY(read_value(p, depth + 1, child));
    } while (take(p, ','));
    if (!take(p, close)) return sn_malformed(p->reader, "',' or '%c' should be here", close);
    return index_items(p, out);
}

static SnStatus read_word(Parser* p, SnJson* out)
{
    static const struct {
        const char* word;
        SnJsonKind kind;
        double number;
    } words[] = {{"true", SN_JSON_BOOLEAN, 1}, {"false", SN_JSON_BOOLEAN, 0}, {"null", SN_JSON_NULL, 0}};
    SnReader* r = p->reader;
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(p->end - r->at) < length || memcmp(r->at, words[i].word, length) != 0) continue;
        out->kind = words[i].kind, out->number = words[i].number;
        r->at += length;
        return SN_OK;
    }
    char number[64], *stop;
    size_t length = 0;
    while (length < sizeof number - 1 && r->at + length < p->end && strchr("+-.0123456789eE", r->at[length]) &&
           r->at[length])
        number[length] = r->at[length], length++;
    number[length] = 0;
    out->kind = SN_JSON_NUMBER;
    out->number = strtod_l(number, &stop, r->locale);
    if (length == 0 || *stop || !isfinite(out->number)) return sn_malformed(r, "a value should be here");
    r->at += length;
    return SN_OK;
}

static SnStatus read_value(Parser* p, int depth, SnJson* out)
{
    skip(p);
    SnReader* r = p->reader;
    out->at = r->at;
    if (depth > DEEPEST) return sn_malformed(r, "lists and maps are more than %d deep", DEEPEST);
    if (r->at < p->end && (*r->at == '{' || *r->at == '[')) {
        out->kind = *r->at++ == '{' ? SN_JSON_MAP : SN_JSON_LIST;
        return read_members(p, depth, out);
    }
    if (r->at < p->end && *r->at == '"') {
        out->kind = SN_JSON_TEXT;
        return read_text(p, &out->text);
    }
    return read_word(p, out);
}

SnStatus sn_json_read(SnReader* reader, const char* end, SnArena* arena, const SnJson** value)
{
    Parser p = {reader, end, arena};
    SnJson* root = sn_arena_allocate(arena, sizeof *root);
    if (!root) return SN_ERROR_MEMORY;
    SN_TRY(read_value(&p, 0, root));
    skip(&p);
    if (reader->at < end && *reader->at) return sn_malformed(reader, "the file should end here");
    *value = root;
    return SN_OK;
}

const SnJson* sn_json_find(const SnJson* map, const char* key)
{
    if (!map || map->kind != SN_JSON_MAP) return NULL;
    for (const SnJson* child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

const SnJson* sn_json_item(const SnJson* list, int64_t index)
{
    return list && list->kind == SN_JSON_LIST && index >= 0 && index < list->count ? list->items[index] : NULL;
}

double sn_json_real(const SnJson* map, const char* key, double otherwise)
{
    const SnJson* found = sn_json_find(map, key);
    return found && found->kind == SN_JSON_NUMBER ? found->number : otherwise;
}

SnStatus sn_json_integer(const SnReader* reader, const SnJson* map, const char* key, int64_t lo, int64_t hi,
                         int64_t otherwise, int64_t* value)
{
    const SnJson* found = sn_json_find(map, key);
    *value = otherwise;
    if (!found) return SN_OK;
    if (found->kind != SN_JSON_NUMBER || found->number != floor(found->number) || found->number < (double)lo ||
        found->number > (double)hi)
        return sn_reader_fail(reader, found->at, SN_ERROR_FORMAT, "\"%s\" must be a whole number from %lld to %lld",
                              key, (long long)lo, (long long)hi);
    *value = (int64_t)found->number;
    return SN_OK;
}

const char* sn_json_text(const SnJson* map, const char* key, const char* otherwise)
{
    const SnJson* found = sn_json_find(map, key);
    return found && found->kind == SN_JSON_TEXT ? found->text : otherwise;
}

int sn_json_reals(const SnJson* list, int most, double* values)
{
    if (!list || list->kind != SN_JSON_LIST || list->count > most) return -1;
    for (int i = 0; i < list->count; i++) {
        if (list->items[i]->kind != SN_JSON_NUMBER) return -1;
        values[i] = list->items[i]->number;
    }
    return list->count;
}
