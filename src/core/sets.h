// Sets that are joined: each item has another one of its set as its root, the set's first one itself (Tarjan 1975).
#pragma once

// The first item of the set that i is in.
static inline int sn_sets_root(int* root, int i)
{
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

// The lower number becomes the root, so that nothing depends on the order.
static inline void sn_sets_join(int* root, int a, int b)
{
    int i = sn_sets_root(root, a), j = sn_sets_root(root, b);
    root[i > j ? i : j] = i > j ? j : i;
}
