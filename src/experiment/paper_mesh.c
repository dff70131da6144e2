// Another mesh in the place of a study's first body: as large as that, and where it is.
#include <math.h>
#include <string.h>

#include "experiment/paper.h"
#include <sinew/mesh.h>

typedef struct Box {
    double lo[3], hi[3];
} Box;

static Box box_of(int count, const double* x)
{
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < 3 * count; i++) {
        box.lo[i % 3] = fmin(box.lo[i % 3], x[i]);
        box.hi[i % 3] = fmax(box.hi[i % 3], x[i]);
    }
    return box;
}

static double longest(const Box* box)
{
    return fmax(box->hi[0] - box->lo[0], fmax(box->hi[1] - box->lo[1], box->hi[2] - box->lo[2]));
}

// The box of the first body as the study has it.
static SnStatus measure_body(const SnStudy* study, const SnOverrides* list, Box* box)
{
    const char* text;
    SnScene* scene = NULL;
    SnWorld* world = NULL;
    SnBodyInfo body;
    SN_TRY(sn_paper_scene(study->scene, &text));
    SnStatus status = sn_scene_parse(text, strlen(text), study->scene, list->items, list->count, &scene);
    if (status == SN_OK) status = sn_scene_create_world(scene, &world);
    if (status == SN_OK) status = sn_world_body(world, 0, &body);
    if (status == SN_OK) *box = box_of(body.node_count, body.rest);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static SnStatus measure_mesh(const char* path, Box* box)
{
    SnMesh* mesh;
    SN_TRY(sn_mesh_load(path, &mesh));
    *box = box_of(sn_mesh_node_count(mesh), sn_mesh_nodes(mesh));
    sn_mesh_destroy(mesh);
    return longest(box) > 0 ? SN_OK : sn_fail(SN_ERROR_VALUE, "%s: the mesh has no size", path);
}

SnStatus sn_study_take_mesh(const SnStudy* study, const char* path, SnOverrides* list)
{
    Box body, mesh;
    double move[3];
    SN_TRY(measure_body(study, list, &body));
    SN_TRY(measure_mesh(path, &mesh));
    double scale = longest(&body) / longest(&mesh);
    for (int i = 0; i < 3; i++) move[i] = 0.5 * (body.lo[i] + body.hi[i]) - 0.5 * scale * (mesh.lo[i] + mesh.hi[i]);
    SnArena* arena = &list->arena;
    bool good =
        sn_overrides_add(list, sn_arena_print(arena, "bodies.0.mesh={file: '%s'}", path)) &&
        sn_overrides_add(list, sn_arena_print(arena, "bodies.0.place={scale: %.17g, move: [%.17g, %.17g, %.17g]}",
                                              scale, move[0], move[1], move[2]));
    return good ? SN_OK : SN_ERROR_MEMORY;
}
