// Overrides: walk the path, create what is missing, put the value there.
#include "scene/override.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEGMENTS = 32, SEGMENT_BYTES = 128 };

static bool all_digits(const char* text)
{
    return *text && text[strspn(text, "0123456789")] == 0;
}

static SnNode* item_of(const SnNode* list, const char* segment)
{
    for (SnNode* item = list->first; item; item = item->next) {
        const SnNode* name = sn_node_find(item, "name");
        if (name && name->kind == SN_NODE_SCALAR && strcmp(name->text, segment) == 0) return item;
    }
    return all_digits(segment) && strlen(segment) < 9 ? sn_node_item(list, atoi(segment)) : NULL;
}

// "0 to 2 or bar, floor"
static void list_items(const SnNode* list, char* text, size_t size)
{
    const char* before = " or ";
    snprintf(text, size, list->count ? "items are 0 to %d" : "it is empty", list->count - 1);
    for (const SnNode* item = list->first; item; item = item->next) {
        const SnNode* name = sn_node_find(item, "name");
        if (!name || name->kind != SN_NODE_SCALAR) continue;
        sn_append(text, size, "%s'%.40s'", before, name->text);
        before = ", ";
    }
}

// The child that a segment names; a missing key of a mapping is created as an empty mapping. NULL: a problem.
static SnNode* step(SnProblems* problems, SnNode* node, const char* segment, SnPlace place)
{
    if (node->kind == SN_NODE_LIST) {
        SnNode* item = item_of(node, segment);
        char items[256];
        list_items(node, items, sizeof items);
        if (!item)
            sn_problem_error(problems, place, "'%s' is not in the list '%s'; %s", segment, node->key ? node->key : "",
                             items);
        return item;
    }
    if (sn_node_is_null(node)) node->kind = SN_NODE_MAP;
    if (node->kind != SN_NODE_MAP) {
        sn_problem_error(problems, place, "'%s' is %s and has no key '%s'", node->key ? node->key : "the item",
                         sn_node_words(node).text, segment);
        return NULL;
    }
    SnNode* child = sn_node_find(node, segment);
    if (child) return child;
    child = sn_node_create(problems->arena, SN_NODE_MAP, place);
    char* key = sn_arena_text(problems->arena, segment, strlen(segment));
    if (!child || !key) {
        problems->out_of_memory = true;
        return NULL;
    }
    child->key = key;
    sn_node_append(node, child);
    return child;
}

// Puts the value where the path leads from this node on; `*` leads to every item of a list.
static void put(SnProblems* problems, SnNode* node, const char* path, const char* end, SnPlace place,
                const SnNode* value)
{
    for (int depth = 0; path <= end; depth++) {
        const char* stop = memchr(path, '.', (size_t)(end - path));
        if (!stop) stop = end;
        char segment[SEGMENT_BYTES];
        if (stop == path || stop - path >= SEGMENT_BYTES || depth == MOST_SEGMENTS) {
            sn_problem_error(problems, place, "the path has an empty or overlong part; write it as bodies.0.name");
            return;
        }
        snprintf(segment, sizeof segment, "%.*s", (int)(stop - path), path);
        path = stop + 1;
        if (node->kind == SN_NODE_LIST && strcmp(segment, "*") == 0) {
            for (SnNode* item = node->first; item; item = item->next) put(problems, item, path, end, place, value);
            return;
        }
        node = step(problems, node, segment, place);
        if (!node) return;
    }
    sn_node_replace(node, value);
}

SnStatus sn_override_apply(SnProblems* problems, SnNode* root, const char* override)
{
    SnSource* source = sn_arena_allocate(problems->arena, sizeof *source);
    char* text = sn_arena_text(problems->arena, override, strlen(override));
    if (!source || !text) return SN_ERROR_MEMORY;
    *source = (SnSource){"--set", text};
    SnPlace place = {source, 0, 0};
    const char* equals = strchr(text, '=');
    if (!equals || equals == text) {
        sn_problem_error(problems, place, "an override is written path=value, as in time.step=1/60");
        return SN_OK;
    }
    SnNode* value = NULL;
    SnStatus status = sn_tree_parse(problems, equals + 1, strlen(equals + 1), source, &value);
    if (status == SN_ERROR_FORMAT) return SN_OK; // recorded
    SN_TRY(status);
    if (!value) {
        sn_problem_error(problems, place, "the value is missing");
        return SN_OK;
    }
    put(problems, root, text, equals, place, value);
    return problems->out_of_memory ? SN_ERROR_MEMORY : SN_OK;
}
