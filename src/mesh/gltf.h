// glTF 2.0 (.gltf, .glb): the file with its buffers, the scene's parts with their vertices, and animations.
#pragma once
#include "mesh/json.h"

typedef struct SnGltfBuffer {
    const unsigned char* bytes;
    size_t size;
    SnReader file; // of its own; path NULL: it is in the glTF file, or was a text
} SnGltfBuffer;

typedef struct SnGltf {
    SnReader reader;
    SnArena arena;
    const SnJson* root;
    int buffer_count;
    SnGltfBuffer* buffers;
} SnGltf;

// --- gltf_file.c ---
SnStatus sn_gltf_open(const char* path, SnGltf* file);
void sn_gltf_close(SnGltf* file);
// An item of one of the root's lists, such as "meshes"; an error names both when it is not there.
SnStatus sn_gltf_item(const SnGltf* file, const char* list, int64_t index, const SnJson** item);
int sn_gltf_count(const SnGltf* file, const char* list);
// The numbers of an accessor of so many components each, allocated: integers as they are, or from -1 to 1 where they
// are normalised.
SnStatus sn_gltf_numbers(const SnGltf* file, int64_t accessor, int components, double** values, int* count);

// --- gltf_scene.c ---
typedef struct SnGltfNode {
    double translation[3], rotation[4], scale[3]; // rotation: x y z w
    bool has_matrix;
    double matrix[12], world[12]; // three rows of four
    int parent;                   // -1: none
    int order;                    // of nodes in the scene: parents come first; -1: not in it
    int weight_count;
    double* weights; // of morph targets, as they are now
} SnGltfNode;

typedef struct SnGltfSkin {
    int joint_count;
    int* joints;
    double* inverse; // 12 x joint_count
} SnGltfSkin;

// A primitive of a mesh at a node.
typedef struct SnGltfPart {
    int node, skin; // skin -1: none
    int count;      // vertices
    double* points; // 3 x count
    double* uvs;    // 2 x count; NULL: none
    int target_count;
    double** targets;         // 3 x count each; NULL entries move nothing
    double *joints, *weights; // 4 x count, of a skin
    int index_count;
    int* indices; // triangles, or, of lines, pairs
    bool lines;
    const char* name; // of the node, or the mesh
} SnGltfPart;

typedef struct SnGltfScene {
    SnGltf file;
    int node_count, ordered_count;
    SnGltfNode* nodes;
    int* order; // ordered_count nodes
    int skin_count;
    SnGltfSkin* skins;
    int part_count, part_capacity;
    SnGltfPart* parts;
} SnGltfScene;

SnStatus sn_gltf_scene_open(const char* path, SnGltfScene* scene);
void sn_gltf_scene_close(SnGltfScene* scene);
// Where the nodes are, from their own places, which may have been animated.
void sn_gltf_scene_place(SnGltfScene* scene);
// A vertex of a part, then.
void sn_gltf_vertex(const SnGltfScene* scene, const SnGltfPart* part, int vertex, double x[3]);
// The vertices of all parts; vertices of one node at the same place are one. *owner is allocated: which one each is,
// part after part; first[i]: which vertex, so counted, the i-th one is.
SnStatus sn_gltf_weld(const SnGltfScene* scene, int** owner, int** first, int* count);

// --- gltf_motion.c ---
// Nodes as the first animation has them at a time (s).
typedef struct SnGltfMotion SnGltfMotion;
SnStatus sn_gltf_motion_create(SnGltfScene* scene, SnGltfMotion** motion);
void sn_gltf_motion_destroy(SnGltfMotion* motion);
double sn_gltf_motion_end(const SnGltfMotion* motion); // s
void sn_gltf_motion_apply(const SnGltfMotion* motion, SnGltfScene* scene, double time);
