// Scripted motion: x(t) = c + R(rate t) (x0 - c) + velocity w(t) + key(t) + amplitude sin(2 pi f t), with t stopped at
// `until`; w(t) = t, or where the velocity turns, a triangle wave.
#include "world/motion.h"

#include <math.h>

#include "core/pi.h"
#include "linalg/vec3.h"

static bool all_finite(const double* v, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

SnStatus sn_motion_check(const SnMotion* m)
{
    if (!all_finite(m->velocity, 3) || !all_finite(m->rotate_axis, 3) || !all_finite(m->rotate_centre, 3) ||
        !isfinite(m->rotate_rate))
        return sn_fail(SN_ERROR_VALUE, "a motion's numbers must be finite");
    if (isnan(m->until) || isnan(m->release)) return sn_fail(SN_ERROR_VALUE, "until and release must be times");
    if (!all_finite(m->oscillate_amplitude, 3) || !isfinite(m->oscillate_frequency))
        return sn_fail(SN_ERROR_VALUE, "an oscillation's numbers must be finite");
    if (!(m->turn[0] >= 0 && m->turn[1] >= 0) || !all_finite(m->turn, 2))
        return sn_fail(SN_ERROR_VALUE, "a motion turns %g m ahead and %g m back; both must be 0 or positive",
                       m->turn[0], m->turn[1]);
    const double* a = m->rotate_axis;
    if (m->rotate_rate != 0 && a[0] == 0 && a[1] == 0 && a[2] == 0)
        return sn_fail(SN_ERROR_VALUE, "a rotation needs an axis that is not zero");
    for (int i = 0; i < m->keyframe_count; i++) {
        if (!isfinite(m->keyframes[i].time) || !all_finite(m->keyframes[i].move, 3))
            return sn_fail(SN_ERROR_VALUE, "keyframe %d is not finite", i);
        if (i > 0 && !(m->keyframes[i].time > m->keyframes[i - 1].time))
            return sn_fail(SN_ERROR_VALUE, "keyframe times must increase: keyframe %d is at %g s, after %g s", i,
                           m->keyframes[i].time, m->keyframes[i - 1].time);
    }
    return SN_OK;
}

// The keyframes before and after a time; the same one outside.
static void around(const SnMotion* m, double time, const SnKeyframe** before, const SnKeyframe** after)
{
    const SnKeyframe* k = m->keyframes;
    int next = 0;
    while (next < m->keyframe_count && k[next].time <= time) next++;
    *before = &k[next > 0 ? next - 1 : 0];
    *after = &k[next < m->keyframe_count ? next : m->keyframe_count - 1];
}

static void keyframed(const SnMotion* m, double time, double move[3])
{
    const SnKeyframe *a, *b;
    move[0] = move[1] = move[2] = 0;
    if (m->keyframe_count == 0) return;
    around(m, time, &a, &b);
    double span = b->time - a->time, u = span > 0 ? (time - a->time) / span : 0;
    for (int c = 0; c < 3; c++) move[c] = (1 - u) * a->move[c] + u * b->move[c];
}

static void keyframed_velocity(const SnMotion* m, double time, double velocity[3])
{
    const SnKeyframe *a, *b;
    velocity[0] = velocity[1] = velocity[2] = 0;
    if (m->keyframe_count == 0) return;
    around(m, time, &a, &b);
    double span = b->time - a->time;
    for (int c = 0; c < 3 && span > 0; c++) velocity[c] = (b->move[c] - a->move[c]) / span;
}

// Rodrigues' formula about a unit axis.
static void rotate(const double axis[3], double angle, double v[3])
{
    double length = sn_length3(axis);
    double k[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    double c = cos(angle), s = sin(angle), along = sn_dot3(k, v) * (1 - c);
    double cross[3];
    sn_cross3(k, v, cross);
    for (int i = 0; i < 3; i++) v[i] = v[i] * c + cross[i] * s + k[i] * along;
}

// The time that the velocity has carried forth, less that which it carried back: 0 up to `ahead`, down to -back, up.
static double carried(const SnMotion* m, double t)
{
    const double* v = m->velocity;
    double speed = sn_length3(v);
    if (m->turn[0] + m->turn[1] == 0 || speed == 0) return t;
    double ahead = m->turn[0] / speed, back = m->turn[1] / speed, lap = 2 * (ahead + back);
    double phase = fmod(t, lap);
    if (phase <= ahead) return phase;
    return phase <= 2 * ahead + back ? 2 * ahead - phase : phase - lap;
}

// Whether the velocity carries forth (1) or back (-1) at this time.
static double carries(const SnMotion* m, double t)
{
    const double* v = m->velocity;
    double speed = sn_length3(v);
    if (m->turn[0] + m->turn[1] == 0 || speed == 0) return 1;
    double ahead = m->turn[0] / speed, back = m->turn[1] / speed, phase = fmod(t, 2 * (ahead + back));
    return phase > ahead && phase <= 2 * ahead + back ? -1 : 1;
}

void sn_motion_apply(const SnMotion* m, double time, const double start[3], double out[3])
{
    double t = time < m->until ? time : m->until, move[3];
    for (int c = 0; c < 3; c++) out[c] = start[c];
    if (m->rotate_rate != 0) {
        for (int c = 0; c < 3; c++) out[c] -= m->rotate_centre[c];
        rotate(m->rotate_axis, m->rotate_rate * t, out);
        for (int c = 0; c < 3; c++) out[c] += m->rotate_centre[c];
    }
    keyframed(m, t, move);
    double forth = carried(m, t), wave = sin(2 * SN_PI * m->oscillate_frequency * t);
    for (int c = 0; c < 3; c++) out[c] += m->velocity[c] * forth + move[c] + m->oscillate_amplitude[c] * wave;
}

void sn_motion_pose(const SnMotion* m, double time, SnPose* pose)
{
    const double origin[3] = {0};
    sn_motion_apply(m, time, origin, pose->shift);
    for (int a = 0; a < 3; a++) {
        double unit[3] = {a == 0, a == 1, a == 2}, there[3];
        sn_motion_apply(m, time, unit, there);
        for (int c = 0; c < 3; c++) pose->rotation[3 * c + a] = there[c] - pose->shift[c];
    }
}

void sn_motion_velocity(const SnMotion* m, double time, double lean, const double start[3], double out[3])
{
    double t = time < m->until ? time : m->until, side = time + lean > 0 ? time + lean : 0;
    out[0] = out[1] = out[2] = 0;
    if (side > m->until) return;
    if (m->rotate_rate != 0) { // rate k x (R (x0 - c))
        const double* k = m->rotate_axis;
        double arm[3], length = sn_length3(k), rate = m->rotate_rate / length;
        for (int c = 0; c < 3; c++) arm[c] = start[c] - m->rotate_centre[c];
        rotate(k, m->rotate_rate * t, arm);
        for (int c = 0; c < 3; c++)
            out[c] = rate * (k[(c + 1) % 3] * arm[(c + 2) % 3] - k[(c + 2) % 3] * arm[(c + 1) % 3]);
    }
    double keys[3], forth = carries(m, side), turn = 2 * SN_PI * m->oscillate_frequency, wave = turn * cos(turn * t);
    keyframed_velocity(m, side, keys);
    for (int c = 0; c < 3; c++) out[c] += m->velocity[c] * forth + keys[c] + m->oscillate_amplitude[c] * wave;
}
