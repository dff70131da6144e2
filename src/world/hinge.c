// Hinges of a world (constraint/hinge.h): handles whose nodes turn together about an axis or a point.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "world/definitions.h"
#include "world/motion.h"
#include "world/world.h"

static void find_middle(const SnHandle* handle, double middle[3])
{
    memset(middle, 0, 3 * sizeof *middle);
    for (int64_t i = 0; i < handle->node_count; i++)
        for (int c = 0; c < 3; c++) middle[c] += handle->start[3 * i + c] / handle->node_count;
}

static SnStatus check(const SnHandleDef* def, const char* body)
{
    const char* with = def->axis_count > 0          ? "axes that it holds in"
                       : def->how == SN_HOLD_ENERGY ? "an energy that it holds by"
                       : def->target_count > 0      ? "targets of its nodes"
                                                    : NULL;
    if (with)
        return sn_fail(SN_ERROR_VALUE, "a handle of body '%s' is a hinge and has %s; it can have one of both", body,
                       with);
    for (int c = 0; c < 3; c++)
        if (!isfinite(def->hinge_axis[c]) || isinf(def->hinge_point[c]))
            return sn_fail(SN_ERROR_VALUE, "a hinge of body '%s' has an axis or a point that is not of numbers", body);
    return SN_OK;
}

SnStatus sn_handle_set_hinge(SnHandle* handle, const SnHandleDef* def, const char* body)
{
    if (!def->hinge) return SN_OK;
    SN_TRY(check(def, body));
    if (!SN_NEW(handle->hinge, 1, "a hinge")) return SN_ERROR_MEMORY;
    SnHinge* h = handle->hinge;
    double length = sn_length3(def->hinge_axis);
    find_middle(handle, h->point);
    for (int c = 0; c < 3; c++)
        if (!isnan(def->hinge_point[c])) h->point[c] = def->hinge_point[c];
    h->ball = !(length > 0);
    for (int c = 0; c < 3 && !h->ball; c++) h->axis[c] = def->hinge_axis[c] / length;
    h->node_count = handle->node_count, h->nodes = handle->nodes;
    return sn_hinge_build(h, handle->start);
}

void sn_handle_free_hinge(SnHandle* handle)
{
    if (handle->hinge) sn_hinge_free(handle->hinge);
    sn_free(handle->hinge);
    handle->hinge = NULL;
}

SnStatus sn_hinges_build(const SnModel* model, const SnProblem* problem, SnTies* ties)
{
    if (!SN_NEW(ties->hinges, model->handle_count, "handles")) return SN_ERROR_MEMORY;
    for (int i = 0; i < model->handle_count; i++) {
        if (!model->handles[i].hinge || problem->released[i]) continue;
        ties->hinges[ties->hinge_count] = *model->handles[i].hinge; // with its weights
        ties->hinges[ties->hinge_count++].number = i;
    }
    return SN_OK;
}

// Where the motion has the point and the tip of the axis.
static void place(const SnHandle* handle, double time, double point[3], double axis[3])
{
    double tip[3];
    for (int c = 0; c < 3; c++) tip[c] = handle->hinge->point[c] + handle->hinge->axis[c];
    sn_motion_apply(&handle->motion, time - handle->since, handle->hinge->point, point);
    sn_motion_apply(&handle->motion, time - handle->since, tip, tip);
    sn_subtract3(tip, point, axis);
}

void sn_hinges_place(const SnModel* model, const SnState* state, SnTies* ties, double time)
{
    double span = time - state->time;
    for (int i = 0; i < ties->hinge_count; i++) {
        SnHinge* h = &ties->hinges[i];
        place(&model->handles[h->number], state->time, h->last_point, h->last_axis);
        place(&model->handles[h->number], time, h->point, h->axis);
        for (int c = 0; c < 3; c++) {
            h->point_velocity[c] = span > 0 ? (h->point[c] - h->last_point[c]) / span : 0;
            h->axis_velocity[c] = span > 0 ? (h->axis[c] - h->last_axis[c]) / span : 0;
        }
    }
}

// w with sum_i m_i |v_i - u_i - w x r_i|^2 the least: about the axis, or in any direction.
static void find_turn(const SnHinge* h, const double spin[3], const double inertia[9], double w[3])
{
    double inverse[9], whole[9], size = inertia[0] + inertia[4] + inertia[8];
    memset(w, 0, 3 * sizeof *w);
    if (!(size > 0)) return;
    if (h->ball) {
        for (int k = 0; k < 9; k++) whole[k] = inertia[k] + (k % 4 == 0) * 1e-12 * size; // nodes may be in a line
        sn_invert3(whole, inverse);
        for (int c = 0; c < 3; c++) w[c] = sn_dot3(inverse + 3 * c, spin);
        return;
    }
    double about = 0;
    for (int c = 0; c < 3; c++) about += h->axis[c] * sn_dot3(inertia + 3 * c, h->axis);
    for (int c = 0; c < 3 && about > 1e-12 * size; c++) w[c] = h->axis[c] * sn_dot3(spin, h->axis) / about;
}

// u_i: as the motion takes the node along.
static void carry(const SnHinge* h, const double r[3], double u[3])
{
    double turn[3];
    sn_cross3(h->axis, h->axis_velocity, turn);
    sn_cross3(turn, r, u);
    for (int c = 0; c < 3; c++) u[c] += h->point_velocity[c];
}

double sn_hinge_lead(const SnHinge* h, const double* mass, const double* x, double* v, double* work)
{
    double spin[3] = {0}, inertia[9] = {0}, w[3], r[3], u[3], most = 0;
    for (int i = 0; i < h->node_count; i++) {
        int64_t at = 3 * (int64_t)h->nodes[i];
        double m = mass[h->nodes[i]], off[3], moment[3];
        sn_subtract3(x + at, h->point, r);
        carry(h, r, u);
        sn_subtract3(v + at, u, off);
        sn_cross3(r, off, moment);
        for (int a = 0; a < 3; a++) {
            spin[a] += m * moment[a];
            for (int c = 0; c < 3; c++) inertia[3 * a + c] += m * ((a == c ? sn_dot3(r, r) : 0) - r[a] * r[c]);
        }
    }
    find_turn(h, spin, inertia, w);
    for (int i = 0; i < h->node_count; i++) {
        int64_t at = 3 * (int64_t)h->nodes[i];
        double change[3];
        sn_subtract3(x + at, h->point, r);
        carry(h, r, u);
        sn_cross3(w, r, change);
        for (int c = 0; c < 3; c++) change[c] += u[c] - v[at + c];
        *work += mass[h->nodes[i]] * sn_dot3(change, u);
        most = fmax(most, sn_length3(change));
        for (int c = 0; c < 3; c++) v[at + c] += change[c];
    }
    return most;
}
