// The text of USD: prims, attributes, metadata (https://openusd.org/release/spec_usdpreviewsurface.html has examples).
#include <ctype.h>
#include <string.h>

#include "mesh/usda.h"

enum { DEEPEST = 200, MOST = INT32_MAX / 8 };

static void skip(SnReader* r) // what separates, too
{
    for (sn_skip_space(r); r->at < r->end && (*r->at == ',' || *r->at == ';'); sn_skip_space(r)) r->at++;
}

static bool is(SnReader* r, char c)
{
    sn_skip_space(r);
    return r->at < r->end && *r->at == c;
}

static bool take(SnReader* r, char c)
{
    if (!is(r, c)) return false;
    r->at++;
    return true;
}

static SnStatus expect(SnReader* r, char c, const char* where)
{
    if (take(r, c)) return SN_OK;
    return sn_malformed(r, r->at < r->end ? "'%c' should be here, %s" : "the file ends where '%c' should be, %s", c,
                        where);
}

static SnWord word_of(SnReader* r, const char* more)
{
    skip(r);
    const char* at = r->at;
    while (at < r->end && (isalnum((unsigned char)*at) || (*at && strchr(more, *at)))) at++;
    SnWord word = {r->at, (int)(at - r->at)};
    r->at = at;
    return word;
}

static SnWord identifier(SnReader* r) // of a type or an attribute
{
    return word_of(r, "_:.[]");
}

// "text", 'text', """text""", @file@ and <path>.
static SnStatus quoted(SnReader* r, SnWord* word)
{
    char close = *r->at == '<' ? '>' : *r->at;
    int marks = r->end - r->at > 5 && close != '>' && r->at[1] == close && r->at[2] == close ? 3 : 1;
    const char *start = r->at + marks, *at = start;
    for (;; at++) {
        if (at + marks > r->end) return sn_malformed(r, "a text without its end");
        if (*at == '\\' && close != '>' && close != '@' && at + 1 < r->end) {
            at++;
            continue;
        }
        int same = 0;
        while (same < marks && at[same] == close) same++;
        if (same == marks) break;
    }
    if (at - start > MOST) return sn_malformed(r, "a text that is too long");
    *word = (SnWord){start, (int)(at - start)};
    r->at = at + marks;
    return SN_OK;
}

// --- values ---

static SnStatus add_text(SnUsdaAttribute* a, SnWord word)
{
    if (!SN_GROW(a->texts, a->text_capacity, a->text_count + (int64_t)1, "texts")) return SN_ERROR_MEMORY;
    a->texts[a->text_count++] = word;
    return SN_OK;
}

static SnStatus add_number(SnReader* r, SnUsdaAttribute* a)
{
    double value;
    if (!sn_take_real(r, &value)) {
        SnWord word = word_of(r, "_"); // None, true
        if (word.length == 0) return sn_malformed(r, "a value should be here");
        return add_text(a, word);
    }
    if (a->number_count == MOST || !SN_GROW(a->numbers, a->number_capacity, a->number_count + (int64_t)1, "numbers"))
        return SN_ERROR_MEMORY;
    a->numbers[a->number_count++] = value;
    return SN_OK;
}

// All numbers and texts of a value, whatever brackets are around them.
static SnStatus read_value(SnReader* r, SnUsdaAttribute* a)
{
    int depth = 0;
    do {
        skip(r);
        if (r->at == r->end) return sn_malformed(r, "the file ends within a value");
        char c = *r->at;
        SnWord word;
        if (strchr("[({", c) && c) {
            r->at++, depth++;
        } else if (strchr("])}", c) && c) {
            r->at++, depth--;
        } else if (c == '=' || c == ':') {
            r->at++; // of dictionaries
        } else if (c && strchr("\"'@<", c)) {
            a->refers = a->refers || c == '@';
            SN_TRY(quoted(r, &word));
            SN_TRY(add_text(a, word));
        } else {
            SN_TRY(add_number(r, a));
        }
        if (depth < 0) return sn_malformed(r, "a bracket that was not opened");
    } while (depth > 0);
    return SN_OK;
}

// { 0: value, 1: value, ... }
static SnStatus read_samples(SnReader* r, SnUsdaAttribute* a)
{
    a->timed = true;
    SN_TRY(expect(r, '{', "before time samples"));
    for (skip(r); !take(r, '}'); skip(r)) {
        double time;
        int64_t next = a->sample_count + (int64_t)1;
        if (!sn_take_real(r, &time)) return sn_malformed(r, "the time code of a sample should be here");
        if (!(a->sample_count == 0 || time > a->times[a->sample_count - 1]))
            return sn_malformed(r, "time codes must increase");
        SN_TRY(expect(r, ':', "after a time code"));
        SN_TRY(read_value(r, a));
        if (!SN_GROW(a->times, a->time_capacity, next, "samples") ||
            !SN_GROW(a->ends, a->end_capacity, next, "samples"))
            return SN_ERROR_MEMORY;
        int before = a->sample_count > 0 ? a->ends[a->sample_count - 1] : 0;
        a->uneven = a->uneven || (a->sample_count > 0 && a->number_count - before != a->ends[0]);
        a->times[a->sample_count] = time;
        a->ends[a->sample_count++] = a->number_count;
    }
    return SN_OK;
}

static void free_attribute(SnUsdaAttribute* a)
{
    SN_FREE(a->numbers, a->texts, a->times, a->ends);
}

// --- metadata ---

typedef struct Metadata {
    void* user;
    SnStatus (*take)(void* user, SnReader* r, SnWord name, const SnUsdaAttribute* value);
} Metadata;

static bool is_list_edit(SnWord word)
{
    static const char* const words[] = {"prepend", "append", "delete",  "add",
                                        "reorder", "custom", "uniform", "varying"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sn_word_is(word, words[i])) return true;
    return false;
}

// ( "a comment" name = value ... ), where there is one
static SnStatus read_metadata(SnReader* r, const Metadata* metadata)
{
    if (!take(r, '(')) return SN_OK;
    for (skip(r); !take(r, ')'); skip(r)) {
        SnUsdaAttribute value = {0};
        SnWord name;
        if (is(r, '"') || is(r, '\'')) {
            SN_TRY(quoted(r, &name));
            continue;
        }
        do name = identifier(r);
        while (is_list_edit(name));
        if (name.length == 0) return sn_malformed(r, "the name of a piece of metadata, or ')', should be here");
        SN_TRY(expect(r, '=', "in metadata"));
        SnStatus status = read_value(r, &value);
        if (status == SN_OK) status = metadata->take(metadata->user, r, name, &value);
        free_attribute(&value);
        SN_TRY(status);
    }
    return SN_OK;
}

static SnStatus refuse_reference(SnReader* r, SnWord name, const SnUsdaAttribute* value)
{
    bool refers = sn_word_is(name, "references") || sn_word_is(name, "payload") || sn_word_is(name, "subLayers");
    if (!refers || !value->refers) return SN_OK;
    return sn_reader_fail(r, NULL, SN_ERROR_UNSUPPORTED,
                          "it refers to another file by '%.*s', which is not followed; make one file of it, "
                          "as by usdcat --flatten",
                          name.length, name.text);
}

static SnStatus take_of_layer(void* user, SnReader* r, SnWord name, const SnUsdaAttribute* value)
{
    SnUsda* u = user;
    double number = value->number_count > 0 ? value->numbers[0] : 0;
    SN_TRY(refuse_reference(r, name, value));
    if (sn_word_is(name, "upAxis")) u->z_up = value->text_count > 0 && sn_word_is(value->texts[0], "Z");
    if (sn_word_is(name, "startTimeCode")) u->start = number;
    bool scale = sn_word_is(name, "metersPerUnit"), rate = sn_word_is(name, "timeCodesPerSecond");
    if ((scale || rate) && !(number > 0 && number < 1e30))
        return sn_malformed(r, "%s must be above 0", scale ? "metersPerUnit" : "timeCodesPerSecond");
    if (scale) u->metres = number;
    if (rate) u->codes_per_second = number;
    return SN_OK;
}

static SnStatus take_of_prim(void* user, SnReader* r, SnWord name, const SnUsdaAttribute* value)
{
    SnUsdaPrim* p = user;
    SN_TRY(refuse_reference(r, name, value));
    bool off = (value->text_count > 0 && sn_word_is(value->texts[0], "false")) ||
               (value->number_count > 0 && value->numbers[0] == 0);
    if (sn_word_is(name, "active") && off) p->hidden = true;
    return SN_OK;
}

static SnStatus take_of_attribute(void* user, SnReader* r, SnWord name, const SnUsdaAttribute* value)
{
    (void)r;
    SnUsdaAttribute* a = user;
    if (sn_word_is(name, "interpolation") && value->text_count > 0) a->interpolation = value->texts[0];
    return SN_OK;
}

// --- prims ---

static bool ends_with(SnWord* word, const char* ending)
{
    int length = (int)strlen(ending);
    if (word->length < length || memcmp(word->text + word->length - length, ending, (size_t)length) != 0) return false;
    word->length -= length;
    return true;
}

// Those of invisible and guiding prims are left out with all that is in them.
static void note_hidden(SnUsdaPrim* p, const SnUsdaAttribute* a)
{
    if (a->text_count == 0 || a->timed) return;
    SnWord text = a->texts[0];
    if (sn_word_is(a->name, "visibility") && sn_word_is(text, "invisible")) p->hidden = true;
    if (sn_word_is(a->name, "purpose") && (sn_word_is(text, "guide") || sn_word_is(text, "proxy"))) p->hidden = true;
}

// [uniform] type name [= value] [(metadata)]; `word` is its first
static SnStatus read_property(SnUsda* u, int prim, SnWord word)
{
    SnReader* r = &u->reader;
    SnUsdaAttribute a = {0};
    while (is_list_edit(word)) word = identifier(r);
    a.type = word;
    a.name = is(r, '=') ? word : identifier(r);
    bool timed = ends_with(&a.name, ".timeSamples");
    if (a.name.length == 0) return sn_malformed(r, "a type and a name should be here");
    SnStatus status = SN_OK;
    if (take(r, '=')) status = timed ? read_samples(r, &a) : read_value(r, &a);
    if (status == SN_OK) status = read_metadata(r, &(Metadata){&a, take_of_attribute});
    if (status == SN_OK &&
        !SN_GROW(u->attributes, u->attribute_capacity, u->attribute_count + (int64_t)1, "attributes"))
        status = SN_ERROR_MEMORY;
    if (status != SN_OK) {
        free_attribute(&a);
        return status;
    }
    note_hidden(&u->prims[prim], &a);
    a.next = u->prims[prim].first;
    u->prims[prim].first = u->attribute_count;
    u->attributes[u->attribute_count++] = a;
    return SN_OK;
}

static SnStatus read_prim(SnUsda* u, int parent, int depth);

static SnStatus read_body(SnUsda* u, int prim, int depth)
{
    SnReader* r = &u->reader;
    SN_TRY(expect(r, '{', "before what is in a prim"));
    for (skip(r); !take(r, '}'); skip(r)) {
        SnWord word = identifier(r);
        if (word.length == 0) return sn_malformed(r, "an attribute, a prim or '}' should be here");
        if (sn_word_is(word, "variantSet"))
            return sn_reader_fail(r, word.text, SN_ERROR_UNSUPPORTED,
                                  "variants are not read; make one file without them, as by usdcat --flatten");
        bool is_prim = sn_word_is(word, "def") || sn_word_is(word, "over") || sn_word_is(word, "class");
        if (is_prim) r->at = word.text;
        SN_TRY(is_prim ? read_prim(u, prim, depth + 1) : read_property(u, prim, word));
    }
    return SN_OK;
}

// def Mesh "name" (metadata) { ... }
static SnStatus read_prim(SnUsda* u, int parent, int depth)
{
    SnReader* r = &u->reader;
    SnUsdaPrim p = {.parent = parent, .first = -1};
    skip(r);
    p.where = r->at;
    SnWord kind = identifier(r);
    bool defined = sn_word_is(kind, "def") || sn_word_is(kind, "over");
    if (!defined && !sn_word_is(kind, "class"))
        return sn_reader_fail(r, p.where, SN_ERROR_FORMAT, "def, over or class should be here");
    if (depth > DEEPEST) return sn_malformed(r, "prims in more than %d others", DEEPEST);
    p.hidden = !defined || (parent >= 0 && u->prims[parent].hidden);
    if (!is(r, '"')) p.type = identifier(r);
    if (!is(r, '"')) return sn_malformed(r, "the name of a prim, in quotation marks, should be here");
    SN_TRY(quoted(r, &p.name));
    SN_TRY(read_metadata(r, &(Metadata){&p, take_of_prim}));
    if (!SN_GROW(u->prims, u->prim_capacity, u->prim_count + (int64_t)1, "prims")) return SN_ERROR_MEMORY;
    u->prims[u->prim_count++] = p;
    return read_body(u, u->prim_count - 1, depth);
}

static SnStatus read_file(SnUsda* u)
{
    SnReader* r = &u->reader;
    static const char start[] = "#usda", binary[] = "PXR-USDC";
    u->metres = 0.01, u->codes_per_second = 24; // what USD takes where a file does not say
    if (r->size >= sizeof binary - 1 && memcmp(r->bytes, binary, sizeof binary - 1) == 0)
        return sn_reader_fail(r, NULL, SN_ERROR_UNSUPPORTED,
                              "a binary USD file; make text of it, as by usdcat -o FILE.usda");
    if (r->size < sizeof start - 1 || memcmp(r->bytes, start, sizeof start - 1) != 0)
        return sn_malformed(r, "a USD file of text starts with '#usda 1.0'");
    r->comment = '#';
    SN_TRY(read_metadata(r, &(Metadata){u, take_of_layer}));
    for (skip(r); r->at < r->end; skip(r)) SN_TRY(read_prim(u, -1, 0));
    return SN_OK;
}

SnStatus sn_usda_open(const char* path, SnUsda* file)
{
    *file = (SnUsda){0};
    SN_TRY(sn_reader_open(&file->reader, path));
    SnStatus status = read_file(file);
    if (status != SN_OK) sn_usda_close(file);
    return status;
}

void sn_usda_close(SnUsda* file)
{
    for (int i = 0; i < file->attribute_count; i++) free_attribute(&file->attributes[i]);
    SN_FREE(file->prims, file->attributes);
    sn_reader_close(&file->reader);
    *file = (SnUsda){0};
}

const SnUsdaAttribute* sn_usda_find(const SnUsda* file, int prim, const char* name)
{
    const SnUsdaAttribute* found = NULL;
    for (int i = file->prims[prim].first; i >= 0; i = file->attributes[i].next) {
        const SnUsdaAttribute* a = &file->attributes[i];
        bool empty = a->number_count + a->text_count == 0;
        if (!empty && sn_word_is(a->name, name) && (!found || a->timed)) found = a;
    }
    return found;
}

int sn_usda_length(const SnUsdaAttribute* a)
{
    if (a->uneven) return -1;
    return a->timed ? a->sample_count > 0 ? a->ends[0] : 0 : a->number_count;
}

double sn_usda_at(const SnUsdaAttribute* a, double code, int number)
{
    if (!a->timed) return a->numbers[number];
    int lo = 0, hi = a->sample_count - 1, length = a->ends[0];
    if (code <= a->times[0]) return a->numbers[number];
    if (code >= a->times[hi]) return a->numbers[(size_t)hi * (size_t)length + (size_t)number];
    while (hi - lo > 1) {
        int middle = (lo + hi) / 2;
        if (a->times[middle] <= code)
            lo = middle;
        else
            hi = middle;
    }
    double part = (code - a->times[lo]) / (a->times[hi] - a->times[lo]);
    const double* before = a->numbers + (size_t)lo * (size_t)length + number;
    return (1 - part) * before[0] + part * before[length];
}
