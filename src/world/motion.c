// Scripted motion: x(t) = c + R(rate t) (x0 - c) + velocity w(t) + key(t) + amplitude sin(2 pi f t), with t stopped at
// `until`; w(t) = t, or where the velocity turns, a triangle wave.
#include "world/motion.h"

#include <math.h>
#include <stdio.h>

#include "core/memory.h"
#include "core/pi.h"
#include "linalg/vec3.h"

const SnParameter sn_motion_parameters[] = {
    {"velocity", SN_NUMBER, offsetof(SnMotion, velocity), .count = 3, .value = "[0, 0, 0]", .unit = "m/s",
     .doc = "constant velocity"},
    {"turn", SN_NUMBER, offsetof(SnMotion, turn), .count = 2, .value = "[0, 0]", .range = ">=0", .unit = "m",
     .doc = "how far the velocity carries ahead and back, from the start, before it changes sign; zeros: it does not"},
    {"until", SN_NUMBER, offsetof(SnMotion, until), .value = "inf", .range = ">=0 <=inf", .unit = "s",
     .doc = "the motion stops here and the nodes are held"},
    {"release", SN_NUMBER, offsetof(SnMotion, release), .value = "inf", .range = ">=0 <=inf", .unit = "s",
     .doc = "the nodes are let go here"},
    {0},
};

const SnParameter sn_rotate_parameters[] = {
    {"axis", SN_NUMBER, offsetof(SnMotion, rotate_axis), .count = 3, .example = "[1, 0, 0]", .required = true,
     .doc = "direction of the axis, any length"},
    {"rate", SN_NUMBER, offsetof(SnMotion, rotate_rate), .example = "90", .required = true, .unit = "degrees/s",
     .doc = "counter-clockwise seen against the axis"},
    {"centre", SN_NUMBER, offsetof(SnMotion, rotate_centre), .count = 3, .example = "[0, 0, 0]", .unit = "m",
     .doc = "a point on the axis; without it the centre of the body's rest bounding box"},
    {0},
};

const SnParameter sn_oscillate_parameters[] = {
    {"amplitude", SN_NUMBER, offsetof(SnMotion, oscillate_amplitude), .count = 3, .example = "[0.1, 0, 0]",
     .required = true, .unit = "m", .doc = "the largest displacement"},
    {"frequency", SN_NUMBER, offsetof(SnMotion, oscillate_frequency), .example = "1.5", .required = true, .unit = "1/s",
     .doc = "whole swings per second"},
    {0},
};

static const SnParameter keyframe_parameters[] = {
    {"time", SN_NUMBER, offsetof(SnKeyframe, time), .unit = "s"},
    {"move", SN_NUMBER, offsetof(SnKeyframe, move), .count = 3, .unit = "m"},
    {0},
};

static SnStatus check_keyframes(const SnMotion* m)
{
    if (m->keyframe_count < 0 || (m->keyframe_count > 0 && !m->keyframes))
        return sn_fail(SN_ERROR_VALUE, "%d keyframes%s", m->keyframe_count,
                       m->keyframes ? "; there can be 0 or more" : " without a list");
    for (int i = 0; i < m->keyframe_count; i++) {
        char of[32];
        snprintf(of, sizeof of, "keyframe %d:", i);
        SN_TRY(sn_parameters_check(keyframe_parameters, &m->keyframes[i], of));
        if (i > 0 && !(m->keyframes[i].time > m->keyframes[i - 1].time))
            return sn_fail(SN_ERROR_VALUE, "keyframe times must increase: keyframe %d is at %g s, after %g s", i,
                           m->keyframes[i].time, m->keyframes[i - 1].time);
    }
    return SN_OK;
}

SnStatus sn_motion_check(const SnMotion* m)
{
    SnMotion in_degrees = *m; // as its row has it
    in_degrees.rotate_rate *= 180 / SN_PI;
    SN_TRY(sn_parameters_check(sn_motion_parameters, m, "motion"));
    SN_TRY(sn_parameters_check(sn_rotate_parameters, &in_degrees, "rotate"));
    SN_TRY(sn_parameters_check(sn_oscillate_parameters, m, "oscillate"));
    if (m->rotate_rate != 0 && sn_length3(m->rotate_axis) == 0)
        return sn_fail(SN_ERROR_VALUE, "a rotation needs an axis that is not zero");
    return check_keyframes(m);
}

SnStatus sn_motion_copy(const SnMotion* given, SnMotion* motion, SnKeyframe** keyframes)
{
    SN_TRY(sn_motion_check(given));
    *keyframes = sn_copy_memory(given->keyframes, (size_t)given->keyframe_count, sizeof **keyframes, "keyframes");
    if (!*keyframes) return SN_ERROR_MEMORY;
    *motion = *given;
    motion->keyframes = *keyframes;
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
