// Figures after Brown, Overby, Forootaninia, Narain 2018, "Accurate dissipative forces in optimization integrators":
// order of accuracy, loss to the integrator, angular momentum, power laws, damping by stretch.
#include <math.h>
#include <stdio.h>

#include "experiment/paper.h"

static double energy_of(const SnStepReport* r)
{
    return r->energy.kinetic + r->energy.elastic + r->energy.gravity;
}

static double energy_left(const SnStepReport* now, const SnStepReport* start)
{
    return energy_of(now) / energy_of(start);
}

static double spin_left(const SnStepReport* now, const SnStepReport* start)
{
    return now->angular_momentum[2] / start->angular_momentum[2];
}

static const SnStepReport* end_of(const SnTrialRun* run)
{
    return &run->reports[run->count - 1];
}

// --- 2: order of accuracy ---

enum { LENGTHS = 4, FEWEST = 16 };

static double distance(const SnTrialRun* a, const SnTrialRun* b)
{
    double most = 0;
    for (int k = 0; k < 3 * a->node_count; k++) most = fmax(most, fabs(a->x[k] - b->x[k]));
    return most;
}

// The scene's 0.4 s in so many steps.
static SnStatus run_in(SnSheet* sheet, const char* integrator, int steps, SnTrialRun* run)
{
    char chosen[128], step[64], frames[64];
    snprintf(chosen, sizeof chosen, "integrator=%s", integrator);
    snprintf(step, sizeof step, "time.step=0.4/%d", steps);
    snprintf(frames, sizeof frames, "time.frames=%d", steps);
    return sn_trial_run(sheet, "diss-sway", &(SnTrial){integrator, {chosen, step, frames}}, run);
}

static SnStatus make_order(SnSheet* sheet)
{
    static const struct {
        const char *name, *integrator;
        double order;
    } rows[] = {
        {"backward Euler", "backward-euler", 1},
        {"BDF2, dissipation of first order", "{type: bdf2, dissipation-order: 1}", 1},
        {"BDF2", "{type: bdf2, dissipation-order: 2}", 2},
        {"TR-BDF2, dissipation of first order", "{type: tr-bdf2, dissipation-order: 1}", 1},
        {"TR-BDF2", "{type: tr-bdf2, dissipation-order: 2}", 2},
    };
    SnTrialRun reference;
    SN_TRY(run_in(sheet, rows[4].integrator, 16 * (FEWEST << (LENGTHS - 1)), &reference));
    SnPlot* plot = sn_sheet_plot(sheet, "error against step length", "step, s", "distance to the reference, m");
    plot->x.logarithmic = plot->y.logarithmic = true, plot->x.floor = plot->y.floor = 1e-9;
    for (int i = 0; i < 5; i++) {
        double lengths[LENGTHS], errors[LENGTHS];
        for (int k = 0; k < LENGTHS; k++) {
            SnTrialRun run;
            SN_TRY(run_in(sheet, rows[i].integrator, FEWEST << k, &run));
            lengths[k] = 0.4 / (FEWEST << k);
            errors[k] = distance(&run, &reference);
        }
        double order = log2(errors[LENGTHS - 2] / errors[LENGTHS - 1]);
        SN_TRY(sn_sheet_add_curve(sheet, rows[i].name, LENGTHS, lengths, errors));
        sn_sheet_measured(sheet, "%s: order %.2f, error %.2g m", rows[i].name, order, errors[LENGTHS - 1]);
        sn_sheet_expect(sheet, fabs(order - rows[i].order) < 0.25, "%s is of order %.2f instead of %g", rows[i].name,
                        order, rows[i].order);
    }
    return SN_OK;
}

const SnFigure sn_figure_diss_2 = {
    .name = "diss-2",
    .source = "Brown et al. 2018, Fig. 2",
    .shows = "the order of accuracy of integrators on a damped body",
    .expected = "backward Euler is of first order; BDF2 and TR-BDF2 of second, provided that dissipation is too",
    .make = make_order,
};

// --- 3: loss to the integrator ---

static SnStatus make_spin(SnSheet* sheet)
{
    static const SnTrial trials[] = {
        {"backward Euler", {"integrator=backward-euler"}},
        {"BDF2", {"integrator=bdf2"}},
        {"TR-BDF2", {"integrator=tr-bdf2"}},
    };
    SnTrialRun runs[3];
    double energy[3], spin[3];
    sn_sheet_plot(sheet, "energy of a spinning beam", "time, s", "part of the energy that is left");
    for (int i = 0; i < 3; i++) {
        SN_TRY(sn_trial_run(sheet, "diss-spin", &trials[i], &runs[i]));
        SN_TRY(sn_sheet_add_run(sheet, trials[i].name, &runs[i], energy_left));
    }
    sn_sheet_plot(sheet, "angular momentum of a spinning beam", "time, s", "part that is left");
    for (int i = 0; i < 3; i++) {
        SN_TRY(sn_sheet_add_run(sheet, trials[i].name, &runs[i], spin_left));
        energy[i] = 1 - energy_left(end_of(&runs[i]), &runs[i].reports[0]);
        spin[i] = fabs(1 - spin_left(end_of(&runs[i]), &runs[i].reports[0]));
        sn_sheet_measured(sheet, "%s: %.2f %% of the energy and %.3f %% of the angular momentum are lost in 2 s",
                          trials[i].name, 100 * energy[i], 100 * spin[i]);
    }
    sn_sheet_expect(sheet, energy[0] > energy[1] && energy[1] > energy[2], "the losses of energy are in another order");
    sn_sheet_expect(sheet, spin[0] > spin[1] && spin[1] > spin[2], "the losses of momentum are in another order");
    return SN_OK;
}

const SnFigure sn_figure_diss_3 = {
    .name = "diss-3",
    .source = "Brown et al. 2018, Fig. 3",
    .shows = "energy and angular momentum that integrators lose on a stretched, spinning beam",
    .expected = "backward Euler loses most of both, BDF2 less, TR-BDF2 least",
    .make = make_spin,
};

// --- 6: Rayleigh damping and angular momentum ---

static SnStatus make_rayleigh(SnSheet* sheet)
{
    static const SnTrial trials[] = {
        {"no damping", {"integrator=tr-bdf2"}},
        {"Rayleigh", {"bodies.beam.damping=[{type: rayleigh, beta: 0.05}]"}},
        {"Rayleigh by velocity gradient",
         {"bodies.beam.damping=[{type: rayleigh, beta: 0.05, conserve-momentum: true}]"}},
        {"Rayleigh by projector", {"bodies.beam.damping=[{type: rayleigh, beta: 0.05, conserve-momentum: projector}]"}},
    };
    double lost[4];
    sn_sheet_plot(sheet, "Rayleigh damping of a spinning beam", "time, s", "angular momentum that is left");
    for (int i = 0; i < 4; i++) {
        SnTrialRun run;
        SN_TRY(sn_trial_run(sheet, "diss-spin", &trials[i], &run));
        SN_TRY(sn_sheet_add_run(sheet, trials[i].name, &run, spin_left));
        lost[i] = 1 - spin_left(end_of(&run), &run.reports[0]);
        double viscous = end_of(&run)->energy.viscous / energy_of(&run.reports[0]);
        sn_sheet_measured(sheet,
                          "%s: %.3f %% of the angular momentum lost in 2 s, and %.1f %% of the energy to damping",
                          trials[i].name, 100 * lost[i], 100 * viscous);
        sn_sheet_expect(sheet, i == 0 || viscous > 0.02, "%s takes only %.2g of the energy", trials[i].name, viscous);
    }
    sn_sheet_expect(sheet, lost[1] > 0.05, "plain Rayleigh damping loses only %.2g of the angular momentum", lost[1]);
    for (int i = 2; i < 4; i++)
        sn_sheet_expect(sheet, fabs(lost[i]) < 0.005, "%s loses %.2g of it", trials[i].name, lost[i]);
    return SN_OK;
}

const SnFigure sn_figure_diss_6 = {
    .name = "diss-6",
    .source = "Brown et al. 2018, Fig. 6",
    .shows = "Rayleigh damping of a spinning beam with and without conservation of momentum",
    .expected = "plain Rayleigh damping slows the rotation down; corrected it does not, and damps all the same",
    .make = make_rayleigh,
};

// --- 7 and 8: how the decay depends on speed and stretch ---

// The mean energy between two times over that at the start.
static double mean_energy(const SnTrialRun* run, double from, double to)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < run->count; i++)
        if (run->reports[i].time >= from && run->reports[i].time < to) sum += energy_of(&run->reports[i]), count++;
    return sum / (count ? count : 1) / energy_of(&run->reports[0]);
}

// How fast the energy decays (1/s) from the third of the run that starts at `from` to the next.
static double decay(const SnTrialRun* run, double from, double span)
{
    return log(mean_energy(run, from, from + span) / mean_energy(run, from + span, from + 2 * span)) / span;
}

static SnStatus make_power(SnSheet* sheet)
{
    static const SnTrial trials[] = {
        {"p = 0", {"bodies.bar.damping=[{type: fast-power-law, exponent: 0, strength: 6000}]"}},
        {"p = 1", {"bodies.bar.damping=[{type: fast-power-law, exponent: 1, strength: 1000}]"}},
        {"p = 2", {"bodies.bar.damping=[{type: fast-power-law, exponent: 2, strength: 1000}]"}},
    };
    double early[3], late[3], moving = 0;
    SnPlot* plot = sn_sheet_plot(sheet, "a stretched bar let go", "time, s", "energy that is left");
    plot->y.logarithmic = true, plot->y.floor = 1e-6;
    for (int i = 0; i < 3; i++) {
        SnTrialRun run;
        SN_TRY(sn_trial_run(sheet, "diss-pull", &trials[i], &run));
        SN_TRY(sn_sheet_add_run(sheet, trials[i].name, &run, energy_left));
        early[i] = decay(&run, 0, 1), late[i] = decay(&run, 1, 1);
        sn_sheet_measured(sheet, "%s: energy decays at %.2f /s, then at %.2f /s", trials[i].name, early[i], late[i]);
        if (i == 0) moving = end_of(&run)->energy.kinetic / energy_of(&run.reports[0]);
    }
    sn_sheet_measured(sheet, "p = 0: %.1e of the energy moves at the end", moving);
    sn_sheet_expect(sheet, moving < 1e-6, "with p = 0 it still moves at the end");
    sn_sheet_expect(sheet, fabs(late[1] / early[1] - 1) < 0.35, "with p = 1 the decay is not exponential");
    sn_sheet_expect(sheet, late[2] < 0.65 * early[2], "with p = 2 the decay does not slow down");
    return SN_OK;
}

const SnFigure sn_figure_diss_7 = {
    .name = "diss-7",
    .source = "Brown et al. 2018, Fig. 7",
    .shows = "power laws of damping with exponents 0, 1 and 2",
    .expected = "p = 0 comes to rest in finite time, p = 1 decays exponentially, p = 2 slower and slower",
    .make = make_power,
};

static SnStatus make_spline(SnSheet* sheet)
{
#define CURVE "curve: [[0.5, 20], [0.8, 2], [0.92, 0.1], [1, 0.1], [1.08, 0.1], [1.2, 2], [1.5, 20]]"
    static const SnTrial trials[] = {
        {"principal stretches", {"bodies.bar.damping=[{type: principal-stretch, beta: 0.01}]"}},
        {"spline, largest factor", {"bodies.bar.damping=[{type: spline, beta: 0.01, " CURVE "}]"}},
        {"spline, per stretch", {"bodies.bar.damping=[{type: spline, beta: 0.01, per-stretch: true, " CURVE "}]"}},
    };
    SnPlot* plot = sn_sheet_plot(sheet, "damping that depends on the stretch", "time, s", "energy that is left");
    plot->y.logarithmic = true, plot->y.floor = 1e-6;
    for (int i = 0; i < 3; i++) {
        SnTrialRun run;
        SN_TRY(sn_trial_run(sheet, "diss-pull", &trials[i], &run));
        SN_TRY(sn_sheet_add_run(sheet, trials[i].name, &run, energy_left));
        double early = decay(&run, 0, 0.6), late = decay(&run, 1.8, 0.6);
        sn_sheet_measured(sheet, "%s: energy decays at %.2f /s, later at %.2f /s", trials[i].name, early, late);
        if (i == 0)
            sn_sheet_expect(sheet, early < 2 * late, "%s: the decay slows down from %.2g to %.2g /s", trials[i].name,
                            early, late);
        else
            sn_sheet_expect(sheet, early > 2 * late, "%s: the decay goes on, %.2g and %.2g /s", trials[i].name, early,
                            late);
    }
    return SN_OK;
}

const SnFigure sn_figure_diss_8 = {
    .name = "diss-8",
    .source = "Brown et al. 2018, Fig. 8",
    .shows = "damping by principal stretches, and the same with a factor that is a spline of the stretch",
    .expected =
        "a spline that is low near rest damps large stretches fast and leaves small vibrations; a constant does not",
    .make = make_spline,
};
