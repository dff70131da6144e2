// A share of a problem: where several processes solve one together, each has some of its elements and the nodes of
// these; a node between processes has a copy in each of them, and belongs to one.
//
// What is summed over elements is then summed over the copies of each node (sn_share_add), and vectors have the same
// bits in all copies. Sums over nodes are over those that are one's own, and then over all processes (sn_share_sum):
// every process gets the same bits, and so all of them decide alike. Without a share (one process) the functions do
// nothing, or what stands beside them.
//
// Whoever sums is waited for: all processes call these functions equally often, in the same order.
#pragma once
#include "core/tasks.h"

struct SnShare {
    void* self;
    int node_count;                                         // here, copies included
    int64_t all_nodes;                                      // of all processes, each once
    const bool* own;                                        // node_count: the node is this process's
    const bool* ghost;                                      // node_count: it is here for constraints alone
    const int* number;                                      // node_count: of the node in the whole
    int body_count;                                         // of the whole
    const int* body;                                        // node_count: that the node is of
    bool first;                                             // it counts what is to be counted once
    int span_count;                                         // own nodes, as ranges
    const int* spans;                                       // 2 x span_count: the first, and one after the last
    void (*sum)(void* self, int count, double* values);     // over all processes
    void (*largest)(void* self, int count, double* values); // of all processes
    void (*add)(void* self, int width, double* values);     // width x node_count: each copy gets the sum of all copies
};

// This process's share, of the problem that the tasks are for; NULL: all of it.
void sn_tasks_set_share(SnTasks* tasks, const SnShare* share);
const SnShare* sn_tasks_share(const SnTasks* tasks);

double sn_share_once(const SnTasks* tasks, double value); // in the first process, 0 in others
bool sn_share_owns(const SnTasks* tasks, int node);
bool sn_share_is_ghost(const SnTasks* tasks, int node);      // no element of this process has it
int sn_share_number(const SnTasks* tasks, int node);         // in the whole
double sn_share_count(const SnTasks* tasks, int node_count); // nodes of the whole

void sn_share_sum(const SnTasks* tasks, int count, double* values);
double sn_share_total(const SnTasks* tasks, double value);
double sn_share_largest(const SnTasks* tasks, double value);
double sn_share_smallest(const SnTasks* tasks, double value);
void sn_share_most(const SnTasks* tasks, int count, double* values); // the largest of each
bool sn_share_any(const SnTasks* tasks, bool value);
void sn_share_add(const SnTasks* tasks, int width, double* values);
// Each copy gets what the node has where it belongs.
void sn_share_spread(const SnTasks* tasks, int width, double* values);

// A sum over all nodes, in chunks as of sn_tasks_sum: this process's, to be added to those of the others; or of all.
double sn_share_own_sum(SnTasks* tasks, int node_count, int grain, SnSumTask* task, void* context);
double sn_share_node_sum(SnTasks* tasks, int node_count, int grain, SnSumTask* task, void* context);

// The largest of all processes' values, at most `most` of them and in order, with the numbers of their nodes in the
// whole; values: sorted, the largest first; nodes: of this process.
void sn_share_pick(const SnTasks* tasks, int most, int* count, double* values, int* nodes);
