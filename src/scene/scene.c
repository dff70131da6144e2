// Scenes: the file, its overrides, its parts, and the world made of them.
#include "scene/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/budget.h"
#include "core/getter.h"
#include "core/handle.h"
#include "integrator/integrator.h"
#include "scene/override.h"
#include "solver/solver.h"
#include "world/definitions.h"

void sn_scene_destroy(SnScene* scene)
{
    if (!sn_handle_gone(scene)) return;
    for (int i = 0; i < scene->body_count; i++) {
        sn_mesh_destroy(scene->bodies[i].mesh);
        sn_mesh_destroy(scene->bodies[i].skin);
        SN_FREE(scene->bodies[i].start, scene->bodies[i].velocity, scene->bodies[i].handle_of,
                scene->bodies[i].region_of_element, scene->bodies[i].young_scale, scene->bodies[i].fiber_directions);
    }
    for (int i = 0; i < scene->handle_count; i++)
        SN_FREE(scene->handles[i].nodes, scene->handles[i].keyframes, scene->handles[i].targets,
                scene->handles[i].target_times);
    for (int i = 0; i < scene->obstacle_count; i++) sn_free_obstacle(&scene->obstacles[i]);
    SN_FREE(scene->bodies, scene->handles, scene->obstacles);
    for (int i = 0; i < scene->slide_count; i++) sn_free_slide(&scene->slides[i]);
    for (int i = 0; i < scene->load_count; i++) sn_free(scene->loads[i].nodes);
    for (int i = 0; i < scene->probe_count; i++) sn_free_probe(&scene->probes[i]);
    for (int i = 0; i < scene->attachment_count; i++)
        SN_FREE(scene->attachments[i].nodes[0], scene->attachments[i].nodes[1]);
    sn_free(scene->attachments);
    SN_FREE(scene->slides, scene->loads, scene->actuators, scene->probes, scene->contact_pairs);
    sn_problems_free(&scene->problems);
    sn_arena_free(&scene->arena);
    sn_free(scene);
}

static SnStatus read_tree(SnScene* scene, size_t length, const char* const* overrides, int override_count,
                          SnNode** root)
{
    SnProblems* problems = &scene->problems;
    SnStatus status = sn_tree_parse(problems, scene->text, length, &scene->source, root);
    if (status == SN_ERROR_FORMAT) return SN_OK; // recorded
    SN_TRY(status);
    SnPlace start = {&scene->source, 1, 1};
    if (sn_node_is_null(*root) || (*root)->kind != SN_NODE_MAP) {
        sn_problem_error(problems, *root ? (*root)->place : start,
                         "a scene is a mapping that starts with a key such as 'bodies:', found %s",
                         sn_node_words(*root).text);
        *root = NULL;
        return SN_OK;
    }
    if (!sn_schema_expand(problems, &sn_scene_mapping, *root)) return SN_ERROR_MEMORY;
    for (int i = 0; i < override_count; i++) SN_TRY(sn_override_apply(problems, *root, overrides[i]));
    return sn_schema_expand(problems, &sn_scene_mapping, *root) ? SN_OK : SN_ERROR_MEMORY;
}

// auto, a number, or {nodes: number}.
static void read_subdomains(SnScene* scene)
{
    SnSolverDef* solver = &scene->part.world.solver;
    SnProblems* problems = &scene->problems;
    const char* what = "'subdomains' in solver";
    const SnNode* node = sn_node_find(scene->part.solver, "subdomains");
    if (sn_node_is_null(node) || (node->kind == SN_NODE_SCALAR && strcmp(node->text, "auto") == 0)) return;
    const SnNode* nodes = node->kind == SN_NODE_MAP && node->count == 1 ? sn_node_find(node, "nodes") : NULL;
    if (node->kind != SN_NODE_SCALAR && !nodes) {
        sn_problem_error(problems, node->place, "%s must be auto, a number or {nodes: 1000}, found %s", what,
                         sn_node_words(node).text);
        return;
    }
    int count = 0;
    const SnNode* number = nodes ? nodes : node;
    if (!sn_read_int(problems, number, what, &count) || !sn_check_range(problems, number, what, ">=1", count)) return;
    if (nodes)
        solver->subdomain_nodes = count;
    else
        solver->subdomains = count;
}

// Contacts are kept in ways that the solver has, and together with other constraints.
static void check_contact_method(SnScene* scene)
{
    const SnSolverDef* def = &scene->part.world.solver;
    const char *method = scene->part.world.contact.method, *constraints = def->constraints;
    const SnSolverType* solver = sn_solver_find(def->type);
    const SnNode* node = sn_node_find(scene->part.contact, "method");
    if (!node || !solver || strcmp(method, "auto") == 0) return;
    if (!solver->global_step && strcmp(method, "energy") != 0)
        sn_problem_error(&scene->problems, node->place,
                         "'method: %s' in contact needs `solver: admm` or `pd`; for %s contacts are energies: `auto` "
                         "or `energy`",
                         method, solver->name);
    else if (solver->global_step && strcmp(constraints, "auto") != 0 && strcmp(constraints, method) != 0)
        sn_problem_error(&scene->problems, node->place,
                         "'method: %s' in contact and 'constraints: %s' in solver disagree; leave one of them out",
                         method, constraints);
}

static void check_scaled(SnScene* scene)
{
    const SnSolverDef* def = &scene->part.world.solver;
    const SnNode* node = sn_node_find(scene->part.solver, "scaled");
    if (node && def->unscaled && !sn_solver_def_scales(def))
        sn_problem_error(&scene->problems, node->place,
                         "'scaled: false' in solver is for linear initial inverses, and '%s' is none; leave it out",
                         def->initial);
}

static SnStatus read_output(SnScene* scene)
{
    const SnNode* write = sn_node_find(scene->part.output, "write");
    scene->output.every = scene->part.every;
    scene->output.compress = scene->part.compress;
    scene->output.contacts = scene->part.contacts;
    scene->output.residuals = scene->part.residuals;
    if (sn_node_is_null(write) || !sn_check_list(&scene->problems, write, "'write' in output")) return SN_OK;
    const char** names = sn_arena_allocate(&scene->arena, ((size_t)write->count + 1) * sizeof *names);
    if (!names) return SN_ERROR_MEMORY;
    for (const SnNode* item = write->first; item; item = item->next) {
        if (item->kind == SN_NODE_SCALAR && !sn_node_is_null(item))
            names[scene->output.write_count++] = item->text;
        else
            sn_problem_error(&scene->problems, item->place, "'write' in output is a list of formats, found %s",
                             sn_node_words(item).text);
    }
    scene->output.write = names;
    return SN_OK;
}

static SnStatus read_from(SnScene* scene)
{
    const SnFromPart* part = &scene->part.from;
    if (!part->node || !part->run) return SN_OK;
    bool whole = part->run[0] == '/';
    scene->from.run = sn_arena_print(&scene->arena, "%s%s", whole ? "" : scene->folder, part->run);
    scene->from.frame = part->frame;
    return scene->from.run ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus build(SnScene* scene)
{
    SN_TRY(sn_build_copies(scene));
    int bodies = scene->part.bodies.count, handles = scene->part.handles.count, scripts = scene->part.scripts.count;
    const SnNode* list = sn_node_find(scene->part.node, "bodies");
    if (list && list->kind == SN_NODE_LIST && list->count == 0)
        sn_problem_error(&scene->problems, list->place, "'bodies' is empty; a scene needs at least one body");
    if (!SN_NEW(scene->bodies, bodies, "bodies") ||
        !SN_NEW(scene->handles, handles + SN_SCRIPT_HANDLES * scripts, "handles") ||
        !SN_NEW(scene->obstacles, scene->part.obstacles.count, "obstacles") ||
        !SN_NEW(scene->slides, scene->part.slides.count, "slides") ||
        !SN_NEW(scene->loads, scene->part.loads.count, "loads") ||
        !SN_NEW(scene->actuators, scene->part.actuators.count, "actuators") ||
        !SN_NEW(scene->attachments, scene->part.attach.count, "attachments") ||
        !SN_NEW(scene->probes, scene->part.measure.count + sn_force_probe_count(scene), "probes") ||
        !SN_NEW(scene->contact_pairs, scene->part.contact_pairs.count, "contact pairs"))
        return SN_ERROR_MEMORY;
    if (scene->dealer && !sn_scene_can_deal(scene)) scene->dealer = NULL;
    while (scene->body_count < bodies && !scene->undealt) SN_TRY(sn_build_body(scene, scene->body_count++));
    if (scene->undealt) return SN_OK;
    while (scene->handle_count < handles) SN_TRY(sn_build_handle(scene, scene->handle_count++));
    for (int i = 0; i < scripts; i++) SN_TRY(sn_build_script(scene, i));
    while (scene->obstacle_count < scene->part.obstacles.count)
        SN_TRY(sn_build_obstacle(scene, scene->obstacle_count++));
    while (scene->slide_count < scene->part.slides.count) SN_TRY(sn_build_slide(scene, scene->slide_count++));
    while (scene->load_count < scene->part.loads.count) SN_TRY(sn_build_load(scene, scene->load_count++));
    while (scene->actuator_count < scene->part.actuators.count)
        SN_TRY(sn_build_actuator(scene, scene->actuator_count++));
    while (scene->contact_pair_count < scene->part.contact_pairs.count)
        SN_TRY(sn_build_contact_pair(scene, scene->contact_pair_count++));
    while (scene->attachment_count < scene->part.attach.count)
        SN_TRY(sn_build_attachment(scene, scene->attachment_count++));
    while (scene->probe_count < scene->part.measure.count) SN_TRY(sn_build_probe(scene, scene->probe_count++));
    SN_TRY(sn_build_force_probes(scene));
    SN_TRY(read_from(scene));
    return read_output(scene);
}

// "name of the file", without folder and ending.
static char* base_name(SnScene* scene, const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* base = slash ? slash + 1 : path;
    const char* dot = strrchr(base, '.');
    return sn_arena_text(&scene->arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

// Before anything else is read: what lengths are. A word that there is not is said later.
static void read_convention(SnScene* scene, const SnNode* root)
{
    const SnNode *units = sn_node_find(root, "units"), *up = sn_node_find(root, "up");
    SnConvention* c = &scene->convention;
    *c = (SnConvention){.metres = 1};
    if (units && units->kind == SN_NODE_SCALAR && sn_convention_read(units->text, NULL, c) != SN_OK) c->metres = 1;
    if (up && up->kind == SN_NODE_SCALAR) c->z_up = strcmp(up->text, "z") == 0;
    scene->problems.metres = c->metres;
}

// Down, where the scene does not say where that is.
static void set_gravity(SnScene* scene)
{
    double* g = scene->part.world.gravity;
    if (!scene->convention.z_up || sn_node_find(scene->part.node, "gravity")) return;
    g[2] = g[1], g[1] = 0;
}

// The least that an element was seen to take, in solids, bars and sheets: without a matrix, and with the smallest of
// them (projective dynamics in a cube of 48 000 tetrahedra); auto takes 1200 there, and 1800 in one of 384 000.
static size_t element_bytes(const SnSolverDef* solver)
{
    enum { BARE = 300, MATRIX = 700 };
    bool bare = strcmp(solver->type, "lbfgs") == 0 && strcmp(solver->initial, "identity") == 0;
    return bare ? BARE : MATRIX;
}

// Only SN_ERROR_MEMORY; what is wrong with the scene is recorded.
static SnStatus interpret(SnScene* scene, size_t length, const char* const* overrides, int override_count)
{
    SnNode* root = NULL;
    SN_TRY(read_tree(scene, length, overrides, override_count, &root));
    read_convention(scene, root);
    sn_schema_read(&scene->problems, &sn_scene_mapping, root, "the scene", &scene->part);
    if (!scene->part.name) scene->part.name = base_name(scene, scene->source.file);
    if (!scene->part.name) return SN_ERROR_MEMORY;
    set_gravity(scene);
    const SnWorldDef* world = &scene->part.world;
    sn_check_strangers(&scene->problems, &sn_integrator_table, scene->part.integrator, "integrator",
                       sn_integrator_find(world->integrator), NULL);
    read_subdomains(scene);
    check_contact_method(scene);
    check_scaled(scene);
    sn_budget_expect(element_bytes(&world->solver));
    return root ? build(scene) : SN_OK;
}

static SnStatus keep_text(SnScene* scene, const char* text, size_t length, const char* name)
{
    const char* slash = strrchr(name, '/');
    scene->text = sn_arena_text(&scene->arena, text, length);
    scene->source.file = sn_arena_text(&scene->arena, name, strlen(name));
    scene->folder = sn_arena_text(&scene->arena, name, slash ? (size_t)(slash + 1 - name) : 0);
    return scene->text && scene->source.file && scene->folder ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus check_overrides(const char* const* overrides, int count)
{
    if (count < 0) return sn_fail(SN_ERROR_VALUE, "%d overrides; there can be 0 or more", count);
    for (int i = 0; i < count; i++)
        if (!overrides || !overrides[i])
            return sn_fail(SN_ERROR_VALUE, "override %d of %d is NULL; it must be a text such as time.step=0.01", i,
                           count);
    return SN_OK;
}

// What some processes have found in their parts is wrong for all of them.
static void agree(SnScene* scene, SnStatus status)
{
    const SnMeshDealer* dealer = scene->dealer;
    SnProblems* problems = &scene->problems;
    if (!dealer) return;
    if (status != SN_OK) dealer->fail(dealer->self);
    for (int i = 0; i < problems->count && status == SN_OK; i++)
        if (!problems->items[i].warning) status = sn_fail(SN_ERROR_VALUE, "%s", problems->items[i].message);
    if (dealer->agree(dealer->self, status) != SN_OK && problems->errors == 0)
        sn_problem_error(problems, (SnPlace){&scene->source, 1, 1}, "%s", sn_last_error());
}

static SnStatus parse(const char* text, size_t length, const char* name, const char* const* overrides,
                      int override_count, const SnMeshDealer* dealer, SnScene** out)
{
    SnScene* scene;
    if (!SN_NEW(scene, 1, "a scene")) return SN_ERROR_MEMORY;
    sn_handle_made(scene);
    scene->problems.arena = &scene->arena;
    scene->dealer = dealer;
    SnStatus status = keep_text(scene, text, length, name);
    if (status == SN_OK) status = interpret(scene, length, overrides, override_count);
    if (!scene->undealt) agree(scene, status);
    if (status == SN_OK) status = sn_problems_finish(&scene->problems);
    bool usable = status == SN_OK || status == SN_ERROR_FORMAT || status == SN_ERROR_VALUE, again = scene->undealt;
    if (usable && !again)
        *out = scene;
    else
        sn_scene_destroy(scene);
    return again ? parse(text, length, name, overrides, override_count, NULL, out) : status;
}

SnStatus sn_scene_parse_dealt(const char* text, size_t length, const char* name, const char* const* overrides,
                              int override_count, const SnMeshDealer* dealer, SnScene** out)
{
    *out = NULL;
    SN_TRY(check_overrides(overrides, override_count));
    return parse(text, length, name, overrides, override_count, dealer, out);
}

SnStatus sn_scene_parse(const char* text, size_t length, const char* name, const char* const* overrides,
                        int override_count, SnScene** out)
{
    SN_NEED(out);
    *out = NULL;
    SN_NEED(text);
    SN_NEED(name);
    return sn_scene_parse_dealt(text, length, name, overrides, override_count, NULL, out);
}

static SnStatus read_all(FILE* file, const char* path, char** text, size_t* length)
{
    int capacity = 0;
    for (;;) {
        if (!SN_GROW(*text, capacity, (int64_t)*length + 65536, "the scene's text")) return SN_ERROR_MEMORY;
        size_t got = fread(*text + *length, 1, 65536, file);
        *length += got;
        if (ferror(file)) return sn_fail(SN_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0 || *length > SN_TREE_MOST_BYTES) return SN_OK; // a larger one is refused by the parser
    }
}

SnStatus sn_scene_load_dealt(const char* path, const char* const* overrides, int override_count,
                             const SnMeshDealer* dealer, SnScene** scene)
{
    *scene = NULL;
    SN_TRY(check_overrides(overrides, override_count));
    char* text = NULL;
    size_t length = 0;
    FILE* file = fopen(path, "rb");
    if (!file) return sn_fail(SN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    SnStatus status = read_all(file, path, &text, &length);
    fclose(file);
    if (status == SN_OK) status = parse(text ? text : "", length, path, overrides, override_count, dealer, scene);
    sn_free(text);
    return status;
}

SnStatus sn_scene_load(const char* path, const char* const* overrides, int override_count, SnScene** scene)
{
    SN_NEED(scene);
    *scene = NULL;
    SN_NEED(path);
    return sn_scene_load_dealt(path, overrides, override_count, NULL, scene);
}

SN_GETTER(int, sn_scene_problem_count, const SnScene*, problems.count)

SnSceneProblem sn_scene_problem(const SnScene* scene, int index)
{
    if (!sn_handle_lives(scene) || index < 0 || index >= scene->problems.count)
        return (SnSceneProblem){.file = "", .message = "there is no such problem"};
    return scene->problems.items[index];
}

SN_GETTER(const char*, sn_scene_name, const SnScene*, part.name)
SN_GETTER(const char*, sn_scene_text, const SnScene*, text)
SN_GETTER(int, sn_scene_frames, const SnScene*, part.frames)

SnWorldDef* sn_scene_world_def(SnScene* scene)
{
    return sn_handle_lives(scene) ? &scene->part.world : NULL;
}

SnConvention sn_scene_convention(const SnScene* scene)
{
    return scene->convention;
}

const SnSceneOutput* sn_scene_output(const SnScene* scene)
{
    return &scene->output;
}

SnStatus sn_scene_check_formats(SnScene* scene, const SnTable* formats)
{
    const char* names[SN_MOST_NAMES];
    int count = sn_table_names(formats, names);
    const SnNode* write = sn_node_find(scene->part.output, "write");
    const SnNode* item = write && write->kind == SN_NODE_LIST ? write->first : NULL;
    for (; item; item = item->next)
        if (item->kind == SN_NODE_SCALAR && !sn_table_find(formats, item->text)) // others are reported already
            sn_report_unknown(&scene->problems, item->place, "format", item->text, "'write' of output", names, count);
    return sn_problems_finish(&scene->problems);
}

static SnStatus add_bodies(const SnScene* scene, SnWorld* world)
{
    for (int i = 0; i < scene->body_count; i++) {
        const SnSceneBody* body = &scene->bodies[i];
        SnBodyDef def = sn_default_body_def();
        def.name = body->name;
        def.mesh = body->mesh;
        def.skin = body->skin;
        def.skin_weights = body->part->skin.weights;
        def.start = body->start;
        def.velocity = body->velocity;
        def.element = body->part->def.element;
        def.shelf = body->part->def.shelf;
        def.material = body->material;
        def.regions = body->regions;
        def.region_count = body->region_count;
        def.region_of_element = body->region_of_element;
        def.young_scale = body->young_scale;
        def.fiber_directions = body->fiber_directions;
        def.damping = body->dampings;
        def.limits = body->limits;
        def.damping_count = body->damping_count;
        def.contact = body->contact;
        SN_TRY(sn_world_add_body(world, &def, NULL));
    }
    for (int i = 0; i < scene->handle_count; i++) SN_TRY(sn_world_add_handle(world, &scene->handles[i].def, NULL));
    for (int i = 0; i < scene->obstacle_count; i++)
        SN_TRY(sn_world_add_obstacle(world, &scene->obstacles[i].def, NULL));
    for (int i = 0; i < scene->slide_count; i++) SN_TRY(sn_world_add_slide(world, &scene->slides[i].def, NULL));
    for (int i = 0; i < scene->load_count; i++) SN_TRY(sn_world_add_load(world, &scene->loads[i].def, NULL));
    for (int i = 0; i < scene->actuator_count; i++)
        SN_TRY(sn_world_add_actuator(world, &scene->actuators[i].def, NULL));
    for (int i = 0; i < scene->attachment_count; i++)
        SN_TRY(sn_world_add_attachment(world, &scene->attachments[i].def, NULL));
    for (int i = 0; i < scene->probe_count; i++) SN_TRY(sn_world_add_probe(world, &scene->probes[i].def, NULL));
    for (int i = 0; i < scene->contact_pair_count; i++)
        SN_TRY(sn_world_add_contact_pair(world, &scene->contact_pairs[i]));
    return SN_OK;
}

int sn_scene_take_linear(SnScene* scene)
{
    int count = 0;
    SnBodyPart* parts = scene->part.bodies.items;
    for (int i = 0; i < scene->part.bodies.count; i++) {
        if (parts[i].def.element != SN_ELEMENT_AUTO) continue;
        parts[i].def.element = SN_ELEMENT_LINEAR;
        count += scene->bodies[i].material.poisson > SN_LOCKING;
    }
    return count;
}

SnStatus sn_scene_create_unstarted(const SnScene* scene, SnWorld** world)
{
    SN_NEED(world);
    *world = NULL;
    SN_HANDLE(scene);
    if (scene->problems.errors > 0)
        return sn_fail(SN_ERROR_VALUE, "%s has %d problem%s and cannot be simulated", scene->source.file,
                       scene->problems.errors, scene->problems.errors > 1 ? "s" : "");
    SnWorld* made;
    SN_TRY(sn_world_create(&scene->part.world, &made));
    SN_FINISH(add_bodies(scene, made), made, sn_world_destroy, world);
}

const SnSceneFrom* sn_scene_from(const SnScene* scene)
{
    return scene->from.run ? &scene->from : NULL;
}

SnStatus sn_scene_create_world(const SnScene* scene, SnWorld** world)
{
    SN_NEED(world);
    *world = NULL;
    SN_HANDLE(scene);
    if (sn_scene_from(scene))
        return sn_fail(
            SN_ERROR_UNSUPPORTED,
            "%s starts from another run (`from`), which `sinew run` can do, and sn_run_start_world in C; leave "
            "it out here",
            scene->source.file);
    return sn_scene_create_unstarted(scene, world);
}
