// A slab of a mesh of tetrahedra: those with consecutive numbers, and nodes with consecutive numbers, which need not
// be theirs. So several processes read a mesh that none of them has room for.
#pragma once
#include "mesh/mesh.h"

// A group as far as the slab knows: elements of it, or nodes of its elements of fewer dimensions, by numbers of the
// whole, which may be there several times.
typedef struct SnSlabGroup {
    char* name;
    int tag, dimension;
    int count, capacity;
    int* items;
} SnSlabGroup;

typedef struct SnSlab {
    int number, slabs; // which it is, of how many
    bool counting;     // nodes and elements are only counted so far
    int all_nodes, all_elements;
    int first_node, node_count;
    double* nodes; // 3 x node_count
    int first_element, element_count;
    int* tetrahedra; // 4 x element_count: numbers of the whole
    int group_count, group_capacity;
    SnSlabGroup* groups;
} SnSlab;

// SN_ERROR_UNSUPPORTED: it can only be had as a whole. slab: number and slabs are given.
SnStatus sn_slab_make(const SnShape* shape, const SnShapeDef* def, SnSlab* slab);
SnStatus sn_slab_read(const SnMeshFormat* format, const char* path, SnSlab* slab);
void sn_slab_free(SnSlab* slab);

// The first of `all` things that slab `number` has, and the slab that has thing k.
int sn_slab_first(int all, int number, int slabs);
int sn_slab_of(int all, int k, int slabs);

// For those who make them: counts are known; room for nodes and elements of the slab.
SnStatus sn_slab_allocate(SnSlab* slab, int all_nodes, int all_elements);
SnStatus sn_slab_join(SnSlab* slab, int dimension, int tag, int item);

// What a builder does in place of putting nodes, elements and members of groups into a mesh, which only counts them.
SnStatus sn_slab_take_node(SnSlab* slab, int number, const double x[3]);
SnStatus sn_slab_take_element(SnSlab* slab, int number, const int64_t nodes[4]);
SnStatus sn_slab_take_member(SnSlab* slab, int dimension, int tag, int item, const int64_t* nodes);
SnStatus sn_slab_name_group(SnSlab* slab, int dimension, int tag, const char* name);
