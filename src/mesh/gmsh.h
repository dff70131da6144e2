// What the files that read gmsh's .msh share: the state of a reading, and numbers that are text or binary.
#pragma once
#include "mesh/builder.h"
#include "mesh/tags.h"

typedef enum GmshVersion { GMSH_2_2, GMSH_4_0, GMSH_4_1 } GmshVersion;

// A geometric entity and the physical groups it belongs to.
typedef struct GmshEntity {
    int dimension, tag;
    int first, count; // in Gmsh.physicals
} GmshEntity;

typedef struct Gmsh {
    SnReader reader;
    SnMeshBuilder builder;
    struct SnSlab* slab; // that is read alone; NULL: all of it
    GmshVersion version;
    bool binary;
    SnNumberType size_type; // of a count or a tag in binary 4.1
    bool have_nodes, have_elements;
    SnTags nodes;
    SnTags elements[4]; // tags by dimension, for $ElementData; of the kept ones
    int skipped;        // elements of higher order
    GmshEntity* entities;
    int entity_count, entity_capacity;
    int* physicals;
    int physical_count, physical_capacity;
} Gmsh;

SnStatus sn_gmsh_int(Gmsh* g, int64_t* value, const char* what);  // an int
SnStatus sn_gmsh_size(Gmsh* g, int64_t* value, const char* what); // a size_t (4.1) or an unsigned long (4.0)
SnStatus sn_gmsh_real(Gmsh* g, double* value, const char* what);
// Fails unless `count` items of this many ints, sizes and reals fit into the rest of the file.
SnStatus sn_gmsh_fits(Gmsh* g, int64_t count, int ints, int sizes, int reals, const char* what);

SnStatus sn_gmsh_read_nodes(Gmsh* g);
SnStatus sn_gmsh_read_elements(Gmsh* g);
SnStatus sn_gmsh_read_entities(Gmsh* g);
SnStatus sn_gmsh_read_partitioned_entities(Gmsh* g);
SnStatus sn_gmsh_read_node_data(Gmsh* g);
SnStatus sn_gmsh_read_element_data(Gmsh* g);

SnStatus sn_gmsh_write(const SnMesh* mesh, const char* path); // 4.1, text
SnStatus sn_gmsh_write_as(const SnMesh* mesh, const char* path, const SnMeshWriteOptions* options);
