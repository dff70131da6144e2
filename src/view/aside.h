// One thing done at a time in a thread beside its owner: a frame is written while the next one is drawn.
#pragma once
#include <sinew/base.h>

typedef SnStatus (*SnAsideWork)(void* context);
typedef struct SnAside SnAside;

SnStatus sn_aside_create(SnAside** aside);
// Begins it; what was begun before must have been waited for. Without a thread it is done at once.
void sn_aside_begin(SnAside* aside, SnAsideWork work, void* context);
// Until what was begun is done: its status, and its message as the owner's.
SnStatus sn_aside_wait(SnAside* aside);
void sn_aside_destroy(SnAside* aside); // waits, too
