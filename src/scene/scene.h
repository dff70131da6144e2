// What the program needs of a scene beyond the public API: outputs, printed defaults and the reference.
#pragma once
#include <sinew/scene.h>

#include <stdio.h>

#include "core/convention.h"

typedef struct SnSceneOutput {
    int every;                // steps from one stored frame to the next
    bool compress;            // frames of the run file
    bool contacts, residuals; // are kept in it
    int write_count;
    const char* const* write; // names of export formats
} SnSceneOutput;

// Where it starts: at a frame of another run.
typedef struct SnSceneFrom {
    const char* run; // its path
    int frame;       // negative: from the end
} SnSceneFrom;
// Bodies whose `element` is left to Sinew become linear ones, for who knows no others; how many there were.
int sn_scene_take_linear(SnScene* scene);
const SnSceneFrom* sn_scene_from(const SnScene* scene); // NULL: as it stands
// sn_scene_create_world without a look at `from`, which is for who can open runs (sn_run_start_world).
SnStatus sn_scene_create_unstarted(const SnScene* scene, SnWorld** world);

// --- scenes whose meshes nobody has as a whole ---

// A mesh that is to be had: a shape, or a file.
struct SnShape;
struct SnShapeDef;
struct SnMeshFormat;
typedef struct SnMeshSource {
    const struct SnShape* shape;
    const struct SnShapeDef* def;
    const struct SnMeshFormat* format;
    const char* path;
} SnMeshSource;

// Deals a mesh out to several processes, who all call it: each gets a part (mesh/part.h). SN_ERROR_UNSUPPORTED, to all
// of them: it can only be had as a whole.
typedef struct SnMeshDealer {
    void* self;
    SnStatus (*deal)(void* self, const SnMeshSource* source, SnMesh** mesh);
    SnStatus (*agree)(void* self, SnStatus status); // one's error is that of all
    void (*fail)(void* self);                       // ends all: one cannot go on while others wait for it
} SnMeshDealer;
// sn_scene_load, in all processes at once: where the scene can be had in parts, it is; otherwise each has all of it.
SnStatus sn_scene_load_dealt(const char* path, const char* const* overrides, int override_count,
                             const SnMeshDealer* dealer, SnScene** scene);
SnStatus sn_scene_parse_dealt(const char* text, size_t length, const char* name, const char* const* overrides,
                              int override_count, const SnMeshDealer* dealer, SnScene** scene);
bool sn_scene_is_dealt(const SnScene* scene);
struct SnMeshPart* sn_scene_take_part(SnScene* scene, int body); // the caller destroys it
void sn_scene_forget_meshes(SnScene* scene);                     // of bodies, once its world is made

const SnSceneOutput* sn_scene_output(const SnScene* scene);
SnConvention sn_scene_convention(const SnScene* scene); // what its lengths and axes are; the world has metres

// Adds an error for every format of output.write that is not in the table; call it with that of the exporters.
// Returns what sn_scene_load would have returned with them.
SnStatus sn_scene_check_formats(SnScene* scene, const struct SnTable* formats);

// Every key with its default, unit and meaning, as a scene that can be run.
SnStatus sn_scene_print_defaults(FILE* stream);
// The scene reference as Markdown, from the same tables.
SnStatus sn_scene_print_reference(FILE* stream);
