// Work arrays of a step, made with the problem.
#include "world/scratch.h"

#include "world/state.h"

SnStatus sn_scratch_create(const SnModel* model, const SnProblem* problem, SnScratch* s)
{
    int64_t n = 3 * (int64_t)model->node_count, pins = 3 * (int64_t)problem->pin_count;
    int64_t present = model->integrator->needs_force ? n : 0;
    double** arrays[] = {&s->target,    &s->xp,    &s->vp,       &s->stage_x, &s->stage_v,
                         &s->stopped_v, &s->slope, &s->reaction, &s->start_v};
    for (int i = 0; i < (int)(sizeof arrays / sizeof *arrays); i++)
        if (!SN_NEW(*arrays[i], n, "stages")) return SN_ERROR_MEMORY;
    bool made = SN_NEW(s->present_v, present, "stages") && SN_NEW(s->past_x, present, "stages") &&
                SN_NEW(s->loss_impulses, present * model->loss_count, "the ledger") &&
                SN_NEW(s->rub_impulse, present, "the ledger") && SN_NEW(s->pin_place, pins, "handles") &&
                SN_NEW(s->pin_displacement, pins, "handles") && SN_NEW(s->pin_force, pins, "handles");
    made = made && SN_NEW(s->saved, (int64_t)sn_state_size(model), "stages");
    return made ? SN_OK : SN_ERROR_MEMORY;
}

void sn_scratch_free(SnScratch* s)
{
    SN_FREE(s->target, s->xp, s->vp, s->stage_x, s->stage_v, s->stopped_v, s->slope, s->reaction, s->start_v,
            s->present_v, s->past_x, s->loss_impulses, s->rub_impulse, s->pin_place, s->pin_displacement, s->pin_force,
            s->saved);
    sn_constraint_set_free(&s->saved_constraints);
    sn_constraint_set_free(&s->begun_constraints);
    *s = (SnScratch){0};
}
