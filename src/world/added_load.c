// Loads and actuators that are added while a world runs, as the numbers of an event, and from these. What numbers
// cannot say is refused: wind of a function of the caller's own.
#include "world/added.h"
#include "world/event.h"
#include "world/written_parts.h"

static const SnPlain load_numbers[] = {
    SN_PLAIN(SnLoadDef, vector, 3),   SN_PLAIN(SnLoadDef, at, 3),      SN_PLAIN(SnLoadDef, pressure, 1),
    SN_PLAIN(SnLoadDef, gas, 1),      SN_PLAIN(SnLoadDef, ambient, 1), SN_PLAIN(SnLoadDef, exponent, 1),
    SN_PLAIN(SnLoadDef, volume, 1),   SN_PLAIN(SnLoadDef, density, 1), SN_PLAIN(SnLoadDef, drag, 1),
    SN_PLAIN(SnLoadDef, lift, 1),     SN_PLAIN(SnLoadDef, gust, 1),    SN_PLAIN(SnLoadDef, length, 1),
    SN_PLAIN(SnLoadDef, gradient, 9), SN_PLAIN(SnLoadDef, centre, 3),  SN_PLAIN(SnLoadDef, turn, 3),
    SN_PLAIN(SnLoadDef, period, 1),
};
static const SnPlain actuator_numbers[] = {
    SN_PLAIN(SnActuatorDef, growth, 3),  SN_PLAIN(SnActuatorDef, heat, 1),    SN_PLAIN(SnActuatorDef, expansion, 1),
    SN_PLAIN(SnActuatorDef, stretch, 1), SN_PLAIN(SnActuatorDef, tension, 1),
};
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static void put_load(SnWritten* n, const void* given)
{
    const SnLoadDef* def = given;
    sn_put_text(n, def->type);
    sn_put_plain(n, COUNT(load_numbers), load_numbers, def);
    sn_put_curve(n, &def->ramp);
    sn_put_chosen(n, def->nodes, def->node_count);
}

static void put_actuator(SnWritten* n, const void* given)
{
    const SnActuatorDef* def = given;
    sn_put_text(n, def->type);
    sn_put_plain(n, COUNT(actuator_numbers), actuator_numbers, def);
    sn_put_curve(n, &def->ramp);
    sn_put_chosen(n, def->elements, def->element_count);
}

SnStatus sn_added_check_load(const SnLoadDef* def)
{
    if (!def->field || strcmp(def->type, "wind") != 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE,
                   "a wind of the caller's function, of which a run file that is being written keeps nothing: add it "
                   "before (and sn_world_set_load has it rest), or close the file first");
}

SnStatus sn_added_note_load(SnWorld* world, const SnLoadDef* def)
{
    return sn_added_note(world, "add-load", def->body, put_load, def);
}

SnStatus sn_added_note_actuator(SnWorld* world, const SnActuatorDef* def)
{
    return sn_added_note(world, "add-actuator", def->body, put_actuator, def);
}

SnStatus sn_added_load(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    char type[SN_WRITTEN_NAME];
    int* nodes;
    sn_take_text(&r, type, SN_WRITTEN_NAME);
    SnLoadDef def = sn_default_load_def(type);
    def.body = e->target;
    sn_take_plain(&r, COUNT(load_numbers), load_numbers, &def);
    sn_take_curve(&r, &def.ramp);
    SN_TRY(sn_take_chosen(&r, &nodes, &def.node_count));
    def.nodes = nodes;
    bool fits = !r.bad && r.next == r.count;
    SnStatus status = fits ? sn_world_add_load(world, &def, NULL) : sn_reading_refuse(&r);
    sn_free(nodes);
    return status;
}

SnStatus sn_added_actuator(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    char type[SN_WRITTEN_NAME];
    int* elements;
    sn_take_text(&r, type, SN_WRITTEN_NAME);
    SnActuatorDef def = sn_default_actuator_def(type);
    def.body = e->target;
    sn_take_plain(&r, COUNT(actuator_numbers), actuator_numbers, &def);
    sn_take_curve(&r, &def.ramp);
    SN_TRY(sn_take_chosen(&r, &elements, &def.element_count));
    def.elements = elements;
    bool fits = !r.bad && r.next == r.count;
    SnStatus status = fits ? sn_world_add_actuator(world, &def, NULL) : sn_reading_refuse(&r);
    sn_free(elements);
    return status;
}
