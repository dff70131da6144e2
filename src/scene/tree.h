// A scene's text as a tree of scalars, lists and mappings, each with the place it was written at.
#pragma once
#include "scene/problems.h"

typedef enum SnNodeKind { SN_NODE_SCALAR, SN_NODE_LIST, SN_NODE_MAP } SnNodeKind;

typedef struct SnNode {
    SnNodeKind kind;
    bool plain; // a scalar without quotes
    SnPlace place;
    const char* text;  // of a scalar, otherwise ""
    const char* key;   // when it is a value of a mapping, otherwise NULL
    SnPlace key_place; // of the key; the same as place for list items
    int count;         // of children
    struct SnNode *first, *last, *next;
} SnNode;

// Bounds on what a file may ask for. Aliases are expanded by copying, so they count.
enum {
    SN_TREE_MOST_BYTES = 64 << 20,
    SN_TREE_MOST_NODES = 1000000,
    SN_TREE_MOST_DEPTH = 64,
    SN_TREE_MOST_KEYS = 1000,
    SN_TREE_MOST_ANCHORS = 1000,
};

// Parses one YAML document. Nodes live in the problems' arena; source must outlive them. SN_ERROR_FORMAT: a problem was
// recorded, there is no tree. Keys written twice are recorded as errors and the first is kept.
SnStatus sn_tree_parse(SnProblems* problems, const char* text, size_t length, const SnSource* source, SnNode** root);

SnNode* sn_node_find(const SnNode* map, const char* key); // NULL when absent; map may be NULL
SnNode* sn_node_item(const SnNode* list, int index);      // NULL when out of range
bool sn_node_is_null(const SnNode* node);                 // absent, nothing, ~ or null

// Makes an empty node; NULL when memory is out.
SnNode* sn_node_create(SnArena* arena, SnNodeKind kind, SnPlace place);
void sn_node_append(SnNode* parent, SnNode* child);
// Puts `value` in the place of `node`, which keeps its key and its position among its siblings.
void sn_node_replace(SnNode* node, const SnNode* value);

// "'abc'", "a list of 3", "a mapping", "nothing": for messages.
typedef struct SnNodeWords {
    char text[64];
} SnNodeWords;
SnNodeWords sn_node_words(const SnNode* node);
