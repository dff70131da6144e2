// What the files that write gmsh's .msh share: numbers that become text or bytes, and the sets of groups.
#pragma once
#include "mesh/gmsh.h"
#include "mesh/writer.h"

typedef struct GmshOutput {
    SnWriter writer;
    GmshVersion version;
    bool binary;
    bool in_line;        // text: a number stands in this line already
    const SnMesh* whole; // what is written is of second order, and this; NULL: it is linear
} GmshOutput;

void sn_gmsh_begin(GmshOutput* o, const char* section); // "$section"
void sn_gmsh_end(GmshOutput* o, const char* section);   // "$Endsection"
void sn_gmsh_put_int(GmshOutput* o, int value);         // an int
void sn_gmsh_put_size(GmshOutput* o, int64_t value);    // a size_t (4.1) or an unsigned long (4.0)
void sn_gmsh_put_tag(GmshOutput* o, int64_t value);     // of a node or an element: a size_t in 4.1, otherwise an int
void sn_gmsh_put_real(GmshOutput* o, double value);
void sn_gmsh_end_line(GmshOutput* o); // nothing in binary files

// The items of one dimension and the groups of each; sets of groups are entities 1, 2, ...
typedef struct GmshSets {
    int item_count;
    int* start;   // item_count + 1, into tags
    int* tags;    // of the groups of each item
    int* entity;  // of each item; 0: not written (a node in no group)
    int* order;   // items sorted by their sets
    int* example; // an item of each entity
    int entity_count, block_count;
} GmshSets;

// The number of each group in the file: its own, or a new one when that is not positive, as in files of other formats;
// to gmsh a sign is an orientation. *numbers is allocated.
SnStatus sn_gmsh_number_groups(const SnMesh* mesh, const char* path, int** numbers);
SnStatus sn_gmsh_find_sets(const SnMesh* mesh, const int* numbers, int dimension, GmshSets* s);
void sn_gmsh_free_sets(GmshSets* s);
