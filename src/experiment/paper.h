// Figures and tables of the papers, made anew: simulations or races, curves, pictures, and whether what a paper shows
// is seen here. A figure is a row of data (figures_*.c); the few kinds there are share one study.
#pragma once
#include <sinew/scene.h>
#include <stdio.h>

#include "core/arena.h"
#include "core/table.h"
#include "experiment/race.h"
#include "scene/override_list.h"
#include "view/plot.h"

enum {
    SN_MOST_PLOTS = 4,
    SN_MOST_CURVES = 12,
    SN_MOST_QUANTITIES = 3,
    SN_MOST_CLAIMS = 10,
    SN_MOST_VALUES = 10,
    SN_MOST_CHANGES = 8,
    SN_MOST_THEIRS = 16,
};

// One of those that are compared: the study's scene with some values changed, or a solver.
typedef struct SnVariant {
    const char* name;
    const char* changes[SN_MOST_CHANGES]; // as of `--set`
    const char* solver;                   // as of `sinew race`; NULL: the scene's
    const char* scene;                    // another scene than the study's; or NULL
} SnVariant;

// A step of a simulation.
typedef struct SnMoment {
    const SnStepReport *now, *start; // of this step and of the start
    const SnWorld* world;
    double ms;                 // of processor time that it took
    const double *x, *x_start; // 3 x node_count
    const double* x_reference; // where the study's reference ended; NULL: it has none
    const double* residual;    // N, node_count, of the last iteration; NULL: the study has no subdomains
    const bool* shared;        // node_count: by several of the study's subdomains
    int node_count;
} SnMoment;
typedef double SnMomentValue(const SnMoment* moment);
// What a course of values comes to: its last, its mean ...
typedef double SnNumber(int count, const double* times, const double* values);
// What a racer comes to; level is the quantity's.
typedef double SnRaceNumber(const SnRace* race, const SnRacer* racer, double level);

// What a paper shows: number of one variant against factor times that of another, or against the factor alone. With a
// sweep a variant is "NAME @ VALUE". The relations are <, > and, of sweeps, "order": values halve the step, and the
// number falls with this power of it, to a quarter.
typedef struct SnClaim {
    const char *variant, *relation;
    double factor;
    const char* other; // NULL: the factor alone
} SnClaim;

// What the paper, or its authors' code, says of a variant.
typedef struct SnTheirs {
    const char* variant;
    double number;
} SnTheirs;

typedef struct SnQuantity {
    const char* label;         // of the axis, with the unit
    SnMomentValue* value;      // of each step
    SnNumber* number;          // of the course of values; NULL: the last
    const char* says;          // what the number is; NULL: the label
    SnRaceNumber* race_number; // of races, in place of value and number
    double level;
    bool logarithmic;
    double floor; // of a logarithmic axis
    bool hidden;  // not plotted
    SnClaim claims[SN_MOST_CLAIMS];
    const char* whose; // are the numbers that stand beside ours; NULL: there are none
    SnTheirs theirs[SN_MOST_THEIRS];
} SnQuantity;

// What the plots of a race show of each iterate.
typedef enum SnRaceView {
    SN_RACE_ERROR,    // of the energy, relative
    SN_RACE_DISTANCE, // m, from the minimum
    SN_RACE_NORM,     // of the gradient, over the characteristic force
} SnRaceView;

typedef struct SnStudy {
    const char* scene;                  // of scenes/paper, or of scenes/gallery
    const char* set[SN_MOST_CHANGES];   // changes to it
    const char* full[SN_MOST_CHANGES];  // further ones with --full, up to the paper's size
    SnVariant variants[SN_MOST_CURVES]; // who is compared
    const char* sweep[2];               // each variant for each value: changes with a %s in them
    const char* values[SN_MOST_VALUES]; // of the sweep; numbers or words
    const char* also[SN_MOST_VALUES];   // one more change with a value; or NULL
    const char* axis;                   // its label
    bool linear_axis;                   // the values are not powers
    const char* reference[2];           // a run of the first variant with these changes first: where it ends is known
    bool rk4;                           // which is made by the classical Runge-Kutta method
    int race_after, race_steps;         // a race over so many steps; 0: simulations
    const char* race_reference;         // the solver that is converged first; NULL: newton
    bool fit;                           // no simulations: the materials that variants name are fitted by lines
    bool spectrum;        // condition numbers over those steps, or at the end of them for each value of the sweep; the
                          // variants' solvers are initial inverses
    SnRaceView race_view; // what the plots show
    SnQuantity quantities[SN_MOST_QUANTITIES];
    int subdomains;     // that residuals are looked at by
    const char* colour; // of the pictures, as of `render`; NULL: of the bodies
    int frames[5];      // which are drawn of each variant, after frame 0 or among the last (negative); 0: no more
    double camera[6];   // eye and target; zeros: fitted
} SnStudy;

// The papers, by short names, and a figure or table of one.
typedef struct SnFigure {
    const char* name;     // diss-6
    const char* shows;    // one line
    const char* source;   // "Brown et al. 2018, Fig. 6"
    const char* expected; // what the paper shows, in our words
    const char* differs;  // why a claim does not hold here, where that is known; or NULL
    const char* setting;  // how our scene differs from the paper's; or NULL
    bool quick;           // a matter of seconds: part of the tests
    SnStudy study;
} SnFigure;

SN_TABLE(SnFigure, figure)

typedef struct SnFinding {
    char text[320];
    bool holds;
} SnFinding;

// What a figure comes to.
typedef struct SnSheet {
    SnArena arena; // of everything below
    int plot_count;
    SnPlot plots[SN_MOST_PLOTS];
    SnCurveData curves[SN_MOST_PLOTS][SN_MOST_CURVES];
    char measured[6000]; // lines with numbers
    int finding_count;
    SnFinding findings[SN_MOST_QUANTITIES * SN_MOST_CLAIMS];
    char notes[800]; // steps that did not converge
    bool has_picture;
    double seconds;    // of processor time
    char failure[600]; // it could not be made
} SnSheet;

typedef struct SnFigureOptions {
    const char* folder; // is made when it is not there
    const char* mesh;   // in place of the first body's; or NULL
    bool full;          // the paper's size
    bool film;          // of those that have pictures; run files stay, too
    int threads;        // 0: one, so that times are comparable
} SnFigureOptions;

// Makes the sheet, and of it NAME.csv, NAME-1.svg ..., NAME.png (pictures) and NAME.txt in the folder. The caller frees
// the sheet's arena, also after a failure.
SnStatus sn_figure_make(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet);
bool sn_sheet_agrees(const SnSheet* sheet);
// What the paper shows, what was measured, and the verdict, as text.
void sn_figure_print(const SnFigure* figure, const SnSheet* sheet, FILE* file);

// One page with all of them: index.html in the folder.
SnStatus sn_paper_report(const char* folder, int count, const SnFigure* const* figures, const SnSheet* sheets);

// --- What these are made of ---

SnStatus sn_study_make(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet);
SnStatus sn_study_changes(const SnStudy* study, const SnFigureOptions* options, SnOverrides* list); // of all variants
bool sn_study_add_value(const SnStudy* study, const char* value, SnOverrides* list); // of the sweep; NULL: none
double sn_study_value_number(const char* text, int place);                           // of a sweep, for the axis
void sn_study_set_axis(const SnStudy* study, SnPlot* plot);                          // that of its sweep
SnStatus sn_study_take_mesh(const SnStudy* study, const char* path, SnOverrides* list);
SnStatus sn_study_spectrum(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet);
SnStatus sn_study_rk4(SnWorld* world, int steps, double h, double* x); // x: 3 x node_count, at the end
SnStatus sn_study_fit(const SnFigure* figure, SnSheet* sheet);
SnStatus sn_study_race(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet);

// A row of the measured lines, and the claims of a quantity about numbers by the variants' names.
SnStatus sn_sheet_judge(SnSheet* sheet, const SnQuantity* quantity, int count, const char* const* names,
                        const double* numbers);
SnPlot* sn_sheet_plot(SnSheet* sheet, const char* title, const char* x_label, const char* y_label);
SnStatus sn_sheet_add_curve(SnSheet* sheet, const char* name, int count, const double* x, const double* y);

// Pictures of runs under each other, frames beside each other, as NAME.png; or nothing, where there is no OpenGL.
SnStatus sn_figure_draw(const SnFigure* figure, const SnFigureOptions* options, int count, const char* const* runs,
                        SnSheet* sheet);
// The text of a scene of the papers or of the gallery.
SnStatus sn_paper_scene(const char* name, const char** text);
// Path of a file of a figure in the folder; of the arena.
const char* sn_figure_path(const SnFigure* figure, const SnFigureOptions* options, SnArena* arena, const char* ending);
