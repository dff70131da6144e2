// The tree: its nodes. How YAML becomes one is in tree_parse.c.
#include "scene/tree.h"

#include <stdio.h>
#include <string.h>

SnNode* sn_node_find(const SnNode* map, const char* key)
{
    if (!map || map->kind != SN_NODE_MAP) return NULL;
    for (SnNode* child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

SnNode* sn_node_item(const SnNode* list, int index)
{
    if (!list || list->kind != SN_NODE_LIST || index < 0) return NULL;
    SnNode* child = list->first;
    while (child && index-- > 0) child = child->next;
    return child;
}

bool sn_node_is_null(const SnNode* node)
{
    if (!node) return true;
    if (node->kind != SN_NODE_SCALAR || !node->plain) return false;
    return !*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

SnNode* sn_node_create(SnArena* arena, SnNodeKind kind, SnPlace place)
{
    SnNode* node = sn_arena_allocate(arena, sizeof *node);
    if (node) *node = (SnNode){.kind = kind, .place = place, .key_place = place, .text = ""};
    return node;
}

void sn_node_append(SnNode* parent, SnNode* child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

void sn_node_replace(SnNode* node, const SnNode* value)
{
    SnNode old = *node;
    *node = *value;
    node->key = old.key;
    node->key_place = old.key ? old.key_place : value->place;
    node->next = old.next;
}

// The end of the longest prefix of at most `limit` bytes that does not cut a UTF-8 character.
static int whole_characters(const char* text, int limit)
{
    while (limit > 0 && ((unsigned char)text[limit] & 0xc0) == 0x80) limit--;
    return limit;
}

SnNodeWords sn_node_words(const SnNode* node)
{
    SnNodeWords words;
    enum { LONGEST = 40 };
    if (sn_node_is_null(node))
        snprintf(words.text, sizeof words.text, "nothing");
    else if (node->kind == SN_NODE_LIST)
        snprintf(words.text, sizeof words.text, "a list of %d", node->count);
    else if (node->kind == SN_NODE_MAP)
        snprintf(words.text, sizeof words.text, "a mapping");
    else if (strlen(node->text) <= LONGEST)
        snprintf(words.text, sizeof words.text, "'%s'", node->text);
    else
        snprintf(words.text, sizeof words.text, "'%.*s...'", whole_characters(node->text, LONGEST), node->text);
    return words;
}
