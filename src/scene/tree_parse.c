// YAML into a tree, from libyaml's events. Files are untrusted: depth, size, aliases and keys are bounded.
#include "scene/tree.h"

#include <string.h>
#include <yaml.h>

#include "core/sanitizer.h"

typedef struct Anchor {
    const char* name;
    const SnNode* node;
} Anchor;

typedef struct Builder {
    yaml_parser_t parser;
    SnProblems* problems;
    SnArena* arena;
    const SnSource* source;
    const char* text;
    size_t length;
    int node_count, anchor_count;
    Anchor* anchors; // SN_TREE_MOST_ANCHORS
} Builder;

static SnPlace place_at(const Builder* builder, size_t line, size_t column)
{
    if (builder->source->override) return (SnPlace){builder->source, 0, 0};
    return (SnPlace){builder->source, (int)line + 1, (int)column + 1};
}

static SnPlace place_of(const Builder* builder, yaml_mark_t mark)
{
    return place_at(builder, mark.line, mark.column);
}

#define MALFORMED(builder, place, ...)                                                                 \
    ((builder)->problems->malformed = true, sn_problem_error((builder)->problems, place, __VA_ARGS__), \
     (builder)->problems->out_of_memory ? SN_ERROR_MEMORY : SN_ERROR_FORMAT)

// libyaml's words, and ours.
static const struct {
    const char *problem, *remedy;
} remedies[] = {
    {"did not find expected ',' or ']'", "the list opened with '[' is not closed, or a comma is missing"},
    {"did not find expected ',' or '}'", "the mapping opened with '{' is not closed, or a comma is missing"},
    {"did not find expected key", "this line is indented differently from the keys above it"},
    {"did not find expected '-' indicator", "this line is indented differently from the list items above it"},
    {"mapping values are not allowed in this context",
     "a ':' is not expected here; check the indentation of this line and the one above, or put the text in quotes"},
    {"could not find expected ':'", "a key needs ': ' and a value after it"},
    {"found character that cannot start any token",
     "indent with spaces, not tabs, and put texts that start with @, ` or % in quotes"},
    {"found unexpected end of stream", "a quote is not closed"},
    {"block sequence entries are not allowed in this context", "start the list on the line after its key"},
    {"control characters are not allowed", "this is not a text file"},
    {"invalid leading UTF-8 octet", "this is not UTF-8 text"},
    {"invalid trailing UTF-8 octet", "this is not UTF-8 text"},
    {"incomplete UTF-8 octet sequence", "this is not UTF-8 text"},
    {"did not find expected <document start>", "after the end of the document nothing may follow"},
};

static const char* remedy_of(const char* problem)
{
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (strcmp(problem, remedies[i].problem) == 0) return remedies[i].remedy;
    return NULL;
}

// Errors of libyaml's reader come with a byte offset only.
static SnPlace place_of_offset(const Builder* builder, size_t offset)
{
    size_t line = 0, start = 0;
    for (size_t i = 0; i < offset && i < builder->length; i++)
        if (builder->text[i] == '\n') line++, start = i + 1;
    return place_at(builder, line, offset - start);
}

static SnStatus report_syntax(Builder* builder)
{
    const yaml_parser_t* parser = &builder->parser;
    if (parser->error == YAML_MEMORY_ERROR) return sn_fail(SN_ERROR_MEMORY, "out of memory while reading YAML");
    const char* problem = parser->problem ? parser->problem : "not understood";
    const char* remedy = remedy_of(problem);
    SnPlace place = parser->error == YAML_READER_ERROR ? place_of_offset(builder, parser->problem_offset)
                                                       : place_of(builder, parser->problem_mark);
    char context[128] = "";
    if (parser->context && parser->error != YAML_READER_ERROR) {
        if (builder->source->override)
            snprintf(context, sizeof context, " %s,", parser->context);
        else
            snprintf(context, sizeof context, " %s that starts at line %zu,", parser->context,
                     parser->context_mark.line + 1);
    }
    return MALFORMED(builder, place, "YAML syntax:%s %s%s%s", context, problem, remedy ? "; " : "",
                     remedy ? remedy : "");
}

static SnStatus next_event(Builder* builder, yaml_event_t* event)
{
    bool good = yaml_parser_parse(&builder->parser, event);
    SN_WRITTEN(&builder->parser, sizeof builder->parser);
    SN_WRITTEN(event, sizeof *event);
    SN_WRITTEN_TEXT(builder->parser.problem), SN_WRITTEN_TEXT(builder->parser.context);
    if (!good) return report_syntax(builder);
    if (event->type == YAML_SCALAR_EVENT) SN_WRITTEN(event->data.scalar.value, event->data.scalar.length + 1);
    if (event->type == YAML_SCALAR_EVENT) SN_WRITTEN_TEXT(event->data.scalar.anchor);
    if (event->type == YAML_ALIAS_EVENT) SN_WRITTEN_TEXT(event->data.alias.anchor);
    if (event->type == YAML_SEQUENCE_START_EVENT) SN_WRITTEN_TEXT(event->data.sequence_start.anchor);
    if (event->type == YAML_MAPPING_START_EVENT) SN_WRITTEN_TEXT(event->data.mapping_start.anchor);
    return SN_OK;
}

static SnStatus create_node(Builder* builder, SnNodeKind kind, SnPlace place, SnNode** node)
{
    if (++builder->node_count > SN_TREE_MOST_NODES)
        return MALFORMED(builder, place, "the text has more than %d values (aliases count as often as they are used)",
                         SN_TREE_MOST_NODES);
    *node = sn_node_create(builder->arena, kind, place);
    return *node ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus copy_text(Builder* builder, const yaml_event_t* event, const char** text)
{
    const char* value = (const char*)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, 0, length))
        return MALFORMED(builder, place_of(builder, event->start_mark), "a text must not contain a zero byte");
    *text = sn_arena_text(builder->arena, value, length);
    return *text ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus copy_tree(Builder* builder, const SnNode* from, int depth, SnPlace used_at, SnNode** to)
{
    if (depth > SN_TREE_MOST_DEPTH) return MALFORMED(builder, used_at, "nested more than %d deep", SN_TREE_MOST_DEPTH);
    if (builder->node_count >= SN_TREE_MOST_NODES) // at the alias, not at the anchor
        return MALFORMED(builder, used_at, "this alias makes the scene larger than %d values", SN_TREE_MOST_NODES);
    SN_TRY(create_node(builder, from->kind, from->place, to));
    (*to)->plain = from->plain;
    (*to)->text = from->text;
    (*to)->key = from->key;
    (*to)->key_place = from->key_place;
    for (const SnNode* child = from->first; child; child = child->next) {
        SnNode* copy;
        SN_TRY(copy_tree(builder, child, depth + 1, used_at, &copy));
        sn_node_append(*to, copy);
    }
    return SN_OK;
}

static SnStatus read_alias(Builder* builder, const yaml_event_t* event, int depth, SnNode** node)
{
    const char* name = (const char*)event->data.alias.anchor;
    SnPlace place = place_of(builder, event->start_mark);
    for (int i = builder->anchor_count - 1; i >= 0; i--) // the latest of a name
        if (strcmp(builder->anchors[i].name, name) == 0) {
            SN_TRY(copy_tree(builder, builder->anchors[i].node, depth, place, node));
            (*node)->key = NULL;
            (*node)->key_place = (*node)->place;
            return SN_OK;
        }
    return MALFORMED(builder, place, "the alias '*%.60s' has no anchor '&%.60s' before it", name, name);
}

static SnStatus keep_anchor(Builder* builder, const char* name, const SnNode* node)
{
    if (builder->anchor_count == SN_TREE_MOST_ANCHORS)
        return MALFORMED(builder, node->place, "more than %d anchors", SN_TREE_MOST_ANCHORS);
    char* copy = sn_arena_text(builder->arena, name, strlen(name));
    if (!copy) return SN_ERROR_MEMORY;
    builder->anchors[builder->anchor_count++] = (Anchor){copy, node};
    return SN_OK;
}

static SnStatus read_value(Builder* builder, const yaml_event_t* event, int depth, SnNode** node);

static SnStatus read_list(Builder* builder, SnNode* list, int depth)
{
    for (;;) {
        yaml_event_t event;
        SN_TRY(next_event(builder, &event));
        bool end = event.type == YAML_SEQUENCE_END_EVENT;
        SnNode* item = NULL;
        SnStatus status = end ? SN_OK : read_value(builder, &event, depth + 1, &item);
        yaml_event_delete(&event);
        if (end || status != SN_OK) return status;
        sn_node_append(list, item);
    }
}

// `<<: *anchor` takes over the anchor's keys that the mapping does not have itself.
static SnStatus merge(Builder* builder, SnNode* map, const SnNode* from, int depth)
{
    if (from->kind == SN_NODE_LIST) {
        for (const SnNode* item = from->first; item; item = item->next) SN_TRY(merge(builder, map, item, depth));
        return SN_OK;
    }
    if (from->kind != SN_NODE_MAP)
        return MALFORMED(builder, from->key_place, "'<<' takes over keys of mappings, but this is %s",
                         sn_node_words(from).text);
    for (const SnNode* child = from->first; child; child = child->next) {
        SnNode* copy;
        if (sn_node_find(map, child->key)) continue;
        SN_TRY(copy_tree(builder, child, depth + 1, from->key_place, &copy));
        sn_node_append(map, copy);
        if (map->count > SN_TREE_MOST_KEYS)
            return MALFORMED(builder, from->key_place, "a mapping of more than %d keys", SN_TREE_MOST_KEYS);
    }
    return SN_OK;
}

static SnStatus read_key(Builder* builder, const yaml_event_t* event, const char** key)
{
    if (event->type != YAML_SCALAR_EVENT)
        return MALFORMED(builder, place_of(builder, event->start_mark), "a key must be a plain text");
    return copy_text(builder, event, key);
}

static SnStatus read_entry(Builder* builder, SnNode* map, const char* key, SnPlace key_place, int depth,
                           SnNode** merged)
{
    yaml_event_t event;
    SnNode* value;
    SN_TRY(next_event(builder, &event));
    SnStatus status = read_value(builder, &event, depth + 1, &value);
    yaml_event_delete(&event);
    SN_TRY(status);
    value->key = key;
    value->key_place = key_place;
    const SnNode* before = sn_node_find(map, key);
    if (strcmp(key, "<<") == 0 && !*merged) {
        *merged = value;
    } else if (before) {
        (void)MALFORMED(builder, key_place, "the key '%.60s' is here a second time; it was already given at line %d",
                        key, before->key_place.line);
    } else {
        sn_node_append(map, value);
    }
    if (map->count > SN_TREE_MOST_KEYS)
        return MALFORMED(builder, key_place, "a mapping of more than %d keys", SN_TREE_MOST_KEYS);
    return SN_OK;
}

static SnStatus read_map(Builder* builder, SnNode* map, int depth)
{
    SnNode* merged = NULL;
    for (;;) {
        yaml_event_t event;
        SN_TRY(next_event(builder, &event));
        bool end = event.type == YAML_MAPPING_END_EVENT;
        const char* key = NULL;
        SnPlace place = place_of(builder, event.start_mark);
        SnStatus status = end ? SN_OK : read_key(builder, &event, &key);
        yaml_event_delete(&event);
        SN_TRY(status);
        if (end) return merged ? merge(builder, map, merged, depth) : SN_OK;
        SN_TRY(read_entry(builder, map, key, place, depth, &merged));
    }
}

static SnStatus read_collection(Builder* builder, const yaml_event_t* event, int depth, SnNode** node)
{
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    SnPlace place = place_of(builder, event->start_mark);
    SN_TRY(create_node(builder, list ? SN_NODE_LIST : SN_NODE_MAP, place, node));
    return list ? read_list(builder, *node, depth) : read_map(builder, *node, depth);
}

static SnStatus read_scalar(Builder* builder, const yaml_event_t* event, SnNode** node)
{
    SN_TRY(create_node(builder, SN_NODE_SCALAR, place_of(builder, event->start_mark), node));
    (*node)->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return copy_text(builder, event, &(*node)->text);
}

static SnStatus read_value(Builder* builder, const yaml_event_t* event, int depth, SnNode** node)
{
    const yaml_char_t* anchor = NULL;
    if (depth > SN_TREE_MOST_DEPTH)
        return MALFORMED(builder, place_of(builder, event->start_mark), "nested more than %d deep", SN_TREE_MOST_DEPTH);
    switch (event->type) {
    case YAML_ALIAS_EVENT: return read_alias(builder, event, depth, node);
    case YAML_SCALAR_EVENT:
        SN_TRY(read_scalar(builder, event, node));
        anchor = event->data.scalar.anchor;
        break;
    case YAML_SEQUENCE_START_EVENT:
        SN_TRY(read_collection(builder, event, depth, node));
        anchor = event->data.sequence_start.anchor;
        break;
    case YAML_MAPPING_START_EVENT:
        SN_TRY(read_collection(builder, event, depth, node));
        anchor = event->data.mapping_start.anchor;
        break;
    default: return MALFORMED(builder, place_of(builder, event->start_mark), "a value is missing");
    }
    return anchor ? keep_anchor(builder, (const char*)anchor, *node) : SN_OK;
}

// One document: its root, then the end of the stream.
static SnStatus read_document(Builder* builder, SnNode** root)
{
    for (;;) {
        yaml_event_t event;
        SN_TRY(next_event(builder, &event));
        yaml_event_type_t type = event.type;
        SnPlace place = place_of(builder, event.start_mark);
        SnStatus status = SN_OK;
        if (type == YAML_DOCUMENT_START_EVENT && *root)
            status = MALFORMED(builder, place, "a second document starts here; a scene is one document");
        else if (type != YAML_STREAM_START_EVENT && type != YAML_STREAM_END_EVENT &&
                 type != YAML_DOCUMENT_START_EVENT && type != YAML_DOCUMENT_END_EVENT)
            status = read_value(builder, &event, 1, root);
        yaml_event_delete(&event);
        if (type == YAML_STREAM_END_EVENT || status != SN_OK) return status;
    }
}

SnStatus sn_tree_parse(SnProblems* problems, const char* text, size_t length, const SnSource* source, SnNode** root)
{
    Builder builder = {.problems = problems, .arena = problems->arena, .source = source, .text = text};
    *root = NULL;
    builder.length = length;
    if (length > SN_TREE_MOST_BYTES)
        return MALFORMED(&builder, place_at(&builder, 0, 0), "larger than %d MiB", SN_TREE_MOST_BYTES >> 20);
    if (!SN_NEW(builder.anchors, SN_TREE_MOST_ANCHORS, "YAML anchors")) return SN_ERROR_MEMORY;
    if (!yaml_parser_initialize(&builder.parser)) {
        sn_free(builder.anchors);
        return sn_fail_memory("the YAML parser", sizeof builder.parser);
    }
    yaml_parser_set_input_string(&builder.parser, (const unsigned char*)text, length);
    SnStatus status = read_document(&builder, root);
    yaml_parser_delete(&builder.parser);
    sn_free(builder.anchors);
    if (status != SN_OK) *root = NULL;
    return status;
}
