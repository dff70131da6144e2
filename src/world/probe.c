// Probes: their definitions, and their values at the end of each step.
#include <stdio.h>
#include <string.h>

#include "core/getter.h"
#include "core/handle.h"
#include "linalg/vec3.h"
#include "world/definitions.h"
#include "world/event.h"

const SnParameter sn_probe_parameters[] = {
    {"what", SN_CHOICE, offsetof(SnProbeDef, what), .table = &sn_probe_type_table, .second = &sn_field_table,
     .required = true, .example = "displacement",
     .doc = "what is measured, see [Probes](#probes) and [fields](fields.md)"},
    {"take", SN_CHOICE, offsetof(SnProbeDef, take), .names = (const char* const[]){"mean", "min", "max", NULL},
     .value = "mean",
     .doc = "of a field or `position`, of all nodes or elements there are: of each component by itself"},
    {0},
};

SnProbeDef sn_default_probe_def(const char* what)
{
    SnProbeDef def = {.handle = -1, .obstacle = -1, .load = -1, .attachment = -1, .pair = {-1, -1}};
    sn_parameters_default(sn_probe_parameters, &def);
    def.what = what;
    def.where.body = def.to.body = def.at.body = -1;
    return def;
}

void sn_probe_free(SnProbe* p)
{
    SN_FREE(p->name, p->where.nodes, p->to.nodes, p->at.nodes, p->elements);
}

int sn_probe_count(const SnProbe* probe)
{
    return probe->type ? probe->type->count : probe->field->components;
}

SnValue sn_probe_value(const SnProbe* probe, int index)
{
    static const char* const axes[] = {"x", "y", "z"};
    static const char* const tensor[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
    static const char* const principal[] = {"1", "2", "3"};
    if (probe->type) {
        SnValue value = probe->type->values[index];
        if (!value.what) value.what = probe->type->name;
        return value;
    }
    const SnField* f = probe->field;
    const char* const* names = f->components == 6 ? tensor : f->of_nodes ? axes : principal;
    return (SnValue){f->name, f->components > 1 ? names[index] : "", f->unit};
}

// --- definitions ---

static SnStatus choose(const SnModel* model, const SnProbe* probe, const SnPlaceDef* def, const char* key,
                       SnProbePlace* place)
{
    char who[120];
    snprintf(who, sizeof who, "'%s' of probe '%.60s' names", key, probe->name);
    SN_TRY(sn_model_check_body(model, def->body, who));
    SN_TRY(sn_body_choose_nodes(&model->bodies[def->body], def->nodes, def->node_count, who, &place->nodes,
                                &place->count));
    if (place->count > 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "'%s' of probe '%s' has no nodes; it needs one at least", key, probe->name);
}

// Elements with all corners among the nodes; where there are none, those that have one there.
static SnStatus choose_elements(const SnModel* model, SnProbe* probe)
{
    const SnBody* body = &model->bodies[probe->def.where.body];
    SnElements e = sn_body_elements(body);
    bool* chosen;
    if (!SN_NEW(probe->elements, e.count, "a probe") || !SN_NEW(chosen, body->node_count, "a probe"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < probe->where.count; i++) chosen[probe->where.nodes[i] - body->first_node] = true;
    for (int least = e.nodes; least > 0 && probe->element_count == 0; least = least > 1 ? 1 : 0)
        for (int i = 0; i < e.count; i++) {
            int found = 0;
            for (int a = 0; a < e.nodes; a++) found += chosen[e.items[(int64_t)e.nodes * i + a]];
            if (found >= least) probe->elements[probe->element_count++] = body->first_element + i;
        }
    sn_free(chosen);
    if (probe->element_count > 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "probe '%s' measures the field '%s' where body '%s' has no elements", probe->name,
                   probe->field->name, body->name);
}

static SnStatus check_number(const SnProbe* probe, int index, int count, const char* noun)
{
    if (index < count) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "probe '%s' is of %s %d; the world has %d", probe->name, noun, index, count);
}

static SnStatus check_sources(const SnModel* model, const SnProbe* probe)
{
    const SnProbeDef* d = &probe->def;
    int pair = d->pair[0] >= 0 || d->pair[1] >= 0, of = probe->type->of;
    int given = (d->handle >= 0) + (d->obstacle >= 0) + (d->load >= 0) + (d->attachment >= 0) + pair;
    if (given != 1)
        return sn_fail(SN_ERROR_VALUE,
                       "probe '%s' of a %s is of %d things; it must be of one handle, obstacle, load, attachment "
                       "or pair of bodies",
                       probe->name, probe->type->name, given);
    SN_TRY(check_number(probe, d->handle, model->handle_count, "handle"));
    SN_TRY(check_number(probe, d->obstacle, model->obstacle_count, "obstacle"));
    SN_TRY(check_number(probe, d->load, model->load_count, "load"));
    SN_TRY(check_number(probe, d->attachment, model->attachment_count, "attachment"));
    for (int k = 0; k < 2 && pair; k++) SN_TRY(sn_model_check_body(model, d->pair[k], "a probe names"));
    if (pair && d->pair[0] == d->pair[1])
        return sn_fail(SN_ERROR_VALUE, "probe '%s' is of a body and itself; what that exerts has no sum", probe->name);
    if ((of & SN_PROBE_CHAMBER) &&
        (d->load < 0 || (!model->loads[d->load].type->pressure && !model->loads[d->load].type->filled)))
        return sn_fail(SN_ERROR_VALUE, "probe '%s' of a chamber is of a load of kind gas or volume", probe->name);
    if ((of & SN_PROBE_TOUCH) && !pair && d->obstacle < 0)
        return sn_fail(SN_ERROR_VALUE, "probe '%s' of contact is of an obstacle or a pair of bodies", probe->name);
    return SN_OK;
}

// A surface around a volume: the areas of its triangles, as vectors, add up to nothing.
static bool is_closed(const SnBody* body)
{
    double sum[3] = {0}, all = 0;
    for (int i = 0; i < body->surface_count; i++) {
        double area[3];
        sn_load_area(body->surface + 3 * (int64_t)i, body->rest, area);
        for (int c = 0; c < 3; c++) sum[c] += area[c];
        all += sn_length3(area);
    }
    return sn_length3(sum) <= 1e-9 * all;
}

static SnStatus check_body(const SnModel* model, const SnProbe* probe)
{
    SN_TRY(sn_model_check_body(model, probe->def.where.body, "a probe names"));
    const SnBody* body = &model->bodies[probe->def.where.body];
    if (probe->type->of & SN_PROBE_CLOSED && body->surface_count > 0 && !is_closed(body))
        return sn_fail(SN_ERROR_VALUE,
                       "body '%s' is an open sheet, which encloses no volume; a solid or a closed one does",
                       body->name);
    if (body->surface_count > 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "body '%s' is made of edges and has no %s; a sheet or a solid has", body->name,
                   probe->type->name);
}

static SnStatus fill(const SnModel* model, const SnProbeDef* def, SnProbe* probe)
{
    char usual[32];
    snprintf(usual, sizeof usual, "probe %d", model->probe_count);
    probe->def = *def, probe->work = -1, probe->first = model->value_count;
    if (!(probe->name = sn_copy_text(def->name ? def->name : usual))) return SN_ERROR_MEMORY;
    if (!def->what)
        return sn_fail(SN_ERROR_VALUE, "probe '%s' measures nothing; what, such as displacement?", probe->name);
    SN_TRY(sn_parameters_check(sn_probe_parameters, def, "probe"));
    probe->type = sn_probe_type_find(def->what);
    probe->field = probe->type ? NULL : sn_table_find(&sn_field_table, def->what);
    probe->take = !def->take || !strcmp(def->take, "mean") ? SN_TAKE_MEAN
                  : strcmp(def->take, "min")               ? SN_TAKE_MAX
                                                           : SN_TAKE_MIN;
    int of = sn_probe_is_of(def->what);
    if (of & SN_PROBE_WHERE) SN_TRY(choose(model, probe, &def->where, "where", &probe->where));
    if (of & SN_PROBE_TO) SN_TRY(choose(model, probe, &def->to, "to", &probe->to));
    if (of & SN_PROBE_AT) SN_TRY(choose(model, probe, &def->at, "at", &probe->at));
    if (of & SN_PROBE_BODY) SN_TRY(check_body(model, probe));
    if (of & SN_PROBE_BY) SN_TRY(check_sources(model, probe));
    return probe->field && probe->field->of_element ? choose_elements(model, probe) : SN_OK;
}

// The account of its work.
static SnStatus open_account(SnWorld* world, SnProbe* probe)
{
    SnModel* model = &world->model;
    if (!probe->type || !(probe->type->of & SN_PROBE_WORKS)) return SN_OK;
    if (!SN_GROW(model->works, model->work_capacity, model->work_count + 1, "probes")) return SN_ERROR_MEMORY;
    const SnProbeDef* d = &probe->def;
    model->works[model->work_count] = d->handle >= 0       ? (SnWork){SN_WORK_OF_HANDLE, d->handle, -1}
                                      : d->obstacle >= 0   ? (SnWork){SN_WORK_OF_OBSTACLE, d->obstacle, -1}
                                      : d->load >= 0       ? (SnWork){SN_WORK_OF_LOAD, d->load, -1}
                                      : d->attachment >= 0 ? (SnWork){SN_WORK_OF_ATTACHMENT, d->attachment, -1}
                                                           : (SnWork){SN_WORK_OF_PAIR, d->pair[0], d->pair[1]};
    probe->work = model->work_count++;
    SnStatus status = sn_state_grow(&world->state, model);
    if (status != SN_OK) model->work_count--;
    return status;
}

SnStatus sn_probes_build(const SnModel* model, SnMeasured* m)
{
    bool nodes = false, elements = false, loads = false;
    for (int i = 0; i < model->probe_count; i++) {
        const SnProbe* probe = &model->probes[i];
        nodes |= (probe->field && probe->field->of_nodes) || (probe->type && (probe->type->of & SN_PROBE_TOUCH));
        elements |= probe->field && probe->field->of_element;
        loads |= probe->type && (probe->type->of & SN_PROBE_BY) && probe->def.load >= 0;
    }
    int64_t n = model->node_count;
    if (nodes && !SN_NEW(m->numbers, 6 * n, "probes")) return SN_ERROR_MEMORY;
    if (elements && !SN_NEW(m->borne, model->element_count, "probes")) return SN_ERROR_MEMORY;
    if (loads && (!SN_NEW(m->force, 3 * n, "probes") || !SN_NEW(m->drag, n, "probes"))) return SN_ERROR_MEMORY;
    return SN_OK;
}

void sn_probes_discard(SnMeasured* m)
{
    SN_FREE(m->borne, m->numbers, m->force, m->drag);
    *m = (SnMeasured){.values = m->values, .capacity = m->capacity};
}

SnStatus sn_world_add_probe(SnWorld* world, const SnProbeDef* def, int* index)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SnModel* model = &world->model;
    if (sn_world_lives(world)) return sn_world_refuse_late("probes");
    if (!SN_GROW(model->probes, model->probe_capacity, model->probe_count + 1, "probes")) return SN_ERROR_MEMORY;
    SnProbe* probe = &model->probes[model->probe_count];
    *probe = (SnProbe){0};
    SnStatus status = fill(model, def, probe);
    SnMeasured* m = &world->measured;
    if (status == SN_OK && !SN_GROW(m->values, m->capacity, model->value_count + sn_probe_count(probe), "probes"))
        status = SN_ERROR_MEMORY;
    if (status == SN_OK) status = open_account(world, probe);
    if (status != SN_OK) {
        sn_probe_free(probe);
        return status;
    }
    probe->def.name = probe->def.what = probe->def.take = NULL;
    probe->def.where.nodes = probe->def.to.nodes = probe->def.at.nodes = NULL;
    sn_world_discard_problem(world); // it has room for works
    model->value_count += sn_probe_count(probe);
    if (index) *index = model->probe_count;
    model->probe_count++;
    return SN_OK;
}

SN_GETTER(int, sn_world_value_count, const SnWorld*, model.value_count)

SnStatus sn_world_value(const SnWorld* world, int index, SnValueInfo* info)
{
    SN_HANDLE(world);
    SN_NEED(info);
    for (int i = 0; i < world->model.probe_count && index >= 0; i++) {
        const SnProbe* probe = &world->model.probes[i];
        if (index >= probe->first + sn_probe_count(probe)) continue;
        SnValue value = sn_probe_value(probe, index - probe->first);
        *info = (SnValueInfo){probe->name, value.what, value.component, value.unit};
        return SN_OK;
    }
    return sn_fail(SN_ERROR_VALUE, "there is no value %d; the probes of the world have %d", index,
                   world->model.value_count);
}

// --- at the end of a step ---

// One of several that the take is of, with its weight in the mean.
static void take(SnTake how, bool first, int count, const double* value, double weight, double* out)
{
    for (int c = 0; c < count; c++) {
        if (how == SN_TAKE_MEAN)
            out[c] = (first ? 0 : out[c]) + weight * value[c];
        else if (first || (how == SN_TAKE_MIN ? value[c] < out[c] : value[c] > out[c]))
            out[c] = value[c];
    }
}

static void read_elements(const SnMeasured* m, const SnProbe* probe, double* out)
{
    double all = 0, value[6];
    int count = probe->field->components;
    for (int i = 0; i < probe->element_count; i++) all += m->borne[probe->elements[i]].volume;
    for (int i = 0; i < probe->element_count; i++) {
        const SnBorne* borne = &m->borne[probe->elements[i]];
        probe->field->of_element(borne, value);
        take(probe->take, i == 0, count, value, borne->volume / all, out);
    }
}

static SnStatus read_nodes(SnWorld* world, const SnProbe* probe, double* out)
{
    double* numbers = world->measured.numbers;
    int count = probe->field->components;
    memset(numbers, 0, (size_t)count * (size_t)world->model.node_count * sizeof *numbers);
    SN_TRY(probe->field->of_nodes(world, numbers));
    for (int i = 0; i < probe->where.count; i++)
        take(probe->take, i == 0, count, numbers + count * (int64_t)probe->where.nodes[i], 1.0 / probe->where.count,
             out);
    return SN_OK;
}

SnStatus sn_probes_measure(SnWorld* world, SnStepReport* report)
{
    const SnModel* model = &world->model;
    SnMeasured* m = &world->measured;
    report->value_count = model->value_count, report->values = m->values;
    if (m->borne) {
        memset(m->borne, 0, (size_t)model->element_count * sizeof *m->borne);
        sn_potential_bear(world->problem.potential, world->state.x, world->state.v, m->borne);
    }
    for (int i = 0; i < model->probe_count; i++) {
        const SnProbe* probe = &model->probes[i];
        double* out = m->values + probe->first;
        if (probe->type)
            probe->type->read(world, probe, out);
        else if (probe->field->of_element)
            read_elements(m, probe, out);
        else
            SN_TRY(read_nodes(world, probe, out));
    }
    return SN_OK;
}
