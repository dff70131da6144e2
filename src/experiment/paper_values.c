// What figures measure.
#include "experiment/paper_values.h"

#include <math.h>

#include "linalg/vec3.h"

static double energy_of(const SnStepReport* r)
{
    return r->energy.kinetic + r->energy.elastic + r->energy.gravity;
}

double sn_value_energy_left(const SnMoment* m)
{
    if (isinf(m->now->gradient)) return INFINITY; // the step had no end that could be reckoned with
    return energy_of(m->now) / energy_of(m->start);
}

double sn_value_energy(const SnMoment* m)
{
    return energy_of(m->now);
}

double sn_value_kinetic(const SnMoment* m)
{
    return m->now->energy.kinetic;
}

double sn_value_spin_left(const SnMoment* m)
{
    return m->now->angular_momentum[2] / m->start->angular_momentum[2];
}

double sn_value_viscous_part(const SnMoment* m)
{
    return m->now->energy.viscous / energy_of(m->start);
}

double sn_value_numerical(const SnMoment* m)
{
    return m->now->energy.numerical;
}

double sn_value_iterations(const SnMoment* m)
{
    return m->now->iterations;
}

double sn_value_ms(const SnMoment* m)
{
    return m->ms;
}

double sn_value_unconverged(const SnMoment* m)
{
    return m->now->outcome != SN_OUTCOME_CONVERGED;
}

double sn_value_seam(const SnMoment* m)
{
    double sums[2] = {0, 0};
    int counts[2] = {0, 0};
    for (int i = 0; i < m->node_count; i++)
        if (m->residual[i] > 0) sums[m->shared[i]] += m->residual[i], counts[m->shared[i]]++;
    return counts[0] && counts[1] ? (sums[1] / counts[1]) / (sums[0] / counts[0]) : 0;
}

double sn_value_gradient(const SnMoment* m)
{
    return m->now->gradient;
}

double sn_value_contacts(const SnMoment* m)
{
    return m->now->contacts;
}

double sn_value_depth(const SnMoment* m)
{
    return m->now->depth;
}

double sn_value_distance(const SnMoment* m)
{
    double most = 0;
    for (int i = 0; m->x_reference && i < m->node_count; i++)
        most = fmax(most, sn_distance3(m->x + 3 * i, m->x_reference + 3 * i));
    return most;
}

static double mean_of(const SnMoment* m, const double* x, int axis)
{
    double sum = 0;
    for (int i = 0; i < m->node_count; i++) sum += x[3 * i + axis];
    return sum / m->node_count;
}

double sn_value_travel(const SnMoment* m)
{
    double x = mean_of(m, m->x, 0) - mean_of(m, m->x_start, 0), z = mean_of(m, m->x, 2) - mean_of(m, m->x_start, 2);
    return sqrt(x * x + z * z);
}

double sn_value_height(const SnMoment* m)
{
    return mean_of(m, m->x, 1);
}

double sn_value_sink(const SnMoment* m)
{
    return mean_of(m, m->x_start, 1) - mean_of(m, m->x, 1);
}

double sn_value_width(const SnMoment* m)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < m->node_count; i++) lo = fmin(lo, m->x[3 * i]), hi = fmax(hi, m->x[3 * i]);
    return hi - lo;
}

double sn_value_speed(const SnMoment* m)
{
    double mass = 0;
    for (int b = 0; b < sn_world_body_count(m->world); b++) {
        SnBodyInfo info;
        if (sn_world_body(m->world, b, &info) == SN_OK) mass += info.mass;
    }
    return sqrt(m->now->momentum[0] * m->now->momentum[0] + m->now->momentum[2] * m->now->momentum[2]) / mass;
}

double sn_value_strain(const SnMoment* m)
{
    double most = 0;
    for (int b = 0; b < sn_world_body_count(m->world); b++) {
        SnBodyInfo info;
        if (sn_world_body(m->world, b, &info) != SN_OK) continue;
        const double* x = m->x + 3 * (size_t)info.first_node;
        for (int t = 0; t < info.surface_count; t++)
            for (int k = 0; k < 3; k++) {
                int i = info.surface[3 * t + k], j = info.surface[3 * t + (k + 1) % 3];
                double rest = sn_distance3(info.rest + 3 * i, info.rest + 3 * j);
                most = fmax(most, fabs(sn_distance3(x + 3 * i, x + 3 * j) / rest - 1));
            }
    }
    return most;
}

// Turns from up to down along the nodes whose rest is at z = 0, in the order of their rest along x.
double sn_value_wrinkles(const SnMoment* m)
{
    enum { MOST = 400 };
    SnBodyInfo info;
    double along[MOST], height[MOST], turned = 0;
    int count = 0, folds = 0;
    if (sn_world_body(m->world, sn_world_body_count(m->world) - 1, &info) != SN_OK) return 0;
    const double* x = m->x + 3 * (size_t)info.first_node;
    for (int i = 0; i < info.node_count && count < MOST; i++) {
        if (fabs(info.rest[3 * i + 2]) > 1e-6) continue;
        int k = count++;
        for (; k > 0 && along[k - 1] > info.rest[3 * i]; k--) along[k] = along[k - 1], height[k] = height[k - 1];
        along[k] = info.rest[3 * i], height[k] = x[3 * i + 1];
    }
    bool up = true;
    for (int i = 0; i < count; i++) {
        if (i == 0 || (up ? height[i] > turned : height[i] < turned)) turned = height[i];
        if (fabs(height[i] - turned) > 5e-3) folds += up, up = !up, turned = height[i];
    }
    return folds;
}

double sn_number_last(int count, const double* times, const double* values)
{
    (void)times;
    return values[count - 1];
}

// Of the steps; the start is none.
double sn_number_mean(int count, const double* times, const double* values)
{
    return sn_number_sum(count, times, values) / (count > 1 ? count - 1 : 1);
}

double sn_number_sum(int count, const double* times, const double* values)
{
    (void)times;
    double sum = 0;
    for (int i = 1; i < count; i++) sum += values[i];
    return sum;
}

double sn_number_most(int count, const double* times, const double* values)
{
    (void)times;
    double most = values[0];
    for (int i = 1; i < count; i++) most = fmax(most, values[i]);
    return most;
}

double sn_number_least(int count, const double* times, const double* values)
{
    (void)times;
    double least = values[0];
    for (int i = 1; i < count; i++) least = fmin(least, values[i]);
    return least;
}

// How fast the mean decays from one fifth of the course to the next, 1/s.
static double decay(int count, const double* times, const double* values, int fifth)
{
    double mean[2] = {0, 0};
    int part = count / 5;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < part; i++) mean[k] += values[(fifth + k) * part + i];
    return log(mean[0] / mean[1]) / (times[part] - times[0]);
}

double sn_number_slowing(int count, const double* times, const double* values)
{
    return decay(count, times, values, 0) / decay(count, times, values, 3);
}

double sn_race_iterations(const SnRace* race, const SnRacer* racer, double level)
{
    (void)level;
    double sum = 0;
    for (int i = 0; i < race->count; i++) sum += racer->steps[i].iterations;
    return sum / race->count;
}

double sn_race_error_mean(const SnRace* race, const SnRacer* racer, double level)
{
    (void)level;
    double sum = 0;
    for (int i = 0; i < race->count; i++) sum += racer->steps[i].error;
    return fmax(sum / race->count, 1e-16);
}

double sn_race_ms(const SnRace* race, const SnRacer* racer, double level)
{
    (void)level;
    double sum = 0;
    for (int i = 0; i < race->count; i++) sum += racer->steps[i].ms;
    return sum / race->count;
}

// The first point of the hardest step's first stage that is good enough; the last one, of those that never are, is
// taken for infinity.
static const SnRacePoint* reach(const SnRace* race, const SnRacer* racer, double level)
{
    int step = sn_race_hardest(race);
    const SnRaceStep* s = &racer->steps[step];
    for (int p = 0; p < s->point_count; p++) {
        const SnRacePoint* point = &racer->points[s->first_point + p];
        if (point->stage == 0 && sn_race_error(race, step, point) <= level) return point;
    }
    return NULL;
}

double sn_race_iterations_to(const SnRace* race, const SnRacer* racer, double level)
{
    const SnRacePoint* point = reach(race, racer, level);
    return point ? point->iteration : INFINITY;
}

double sn_race_iterations_to_norm(const SnRace* race, const SnRacer* racer, double level)
{
    const SnRaceStep* s = &racer->steps[sn_race_hardest(race)];
    for (int p = 0; p < s->point_count; p++) {
        const SnRacePoint* point = &racer->points[s->first_point + p];
        if (point->stage == 0 && point->gradient <= level * race->characteristic) return point->iteration;
    }
    return INFINITY;
}

double sn_race_ms_to(const SnRace* race, const SnRacer* racer, double level)
{
    const SnRacePoint* point = reach(race, racer, level);
    return point ? point->ms : INFINITY;
}

// The point after so many iterations, or where it ended before.
static const SnRacePoint* point_at(const SnRace* race, const SnRacer* racer, double level)
{
    const SnRaceStep* s = &racer->steps[sn_race_hardest(race)];
    const SnRacePoint* last = NULL;
    for (int p = 0; p < s->point_count; p++) {
        const SnRacePoint* point = &racer->points[s->first_point + p];
        if (point->stage == 0 && point->iteration <= level) last = point;
    }
    return last;
}

double sn_race_error_at(const SnRace* race, const SnRacer* racer, double level)
{
    const SnRacePoint* point = point_at(race, racer, level);
    return point ? fmax(sn_race_error(race, sn_race_hardest(race), point), 1e-16) : NAN;
}

double sn_race_distance_at(const SnRace* race, const SnRacer* racer, double level)
{
    const SnRacePoint* point = point_at(race, racer, level);
    return point ? point->distance : NAN;
}
