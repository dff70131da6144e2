// A race: every solver makes the same steps from the same states, those of a reference that is converged as far as
// numbers go.
#pragma once
#include <sinew/scene.h>
#include <stdio.h>

#include "core/arena.h"

// The energy after an iteration of a step; iteration 0 is where the minimisation starts.
typedef struct SnRacePoint {
    int stage, iteration; // of the integrator; of the stage's minimisation
    double ms;            // since the step began
    double energy;        // J, of the objective
    double gradient;      // N
    double magnitude;     // J, of the numbers that the energy was summed from
    double distance;      // m, of the node that is furthest from the reference's minimum; of the first stage only
} SnRacePoint;

typedef struct SnRaceStep {
    int first_point, point_count;
    int iterations, evaluations, factorizations;
    double ms;
    SnOutcome outcome;
    int parts; // that it was taken in: with more than one it is another problem than the reference's whole step
    double gradient, tolerance; // N, at the end; what was asked for
    double error;               // (E - E*) / (E0 - E*) at the end of the first stage; of the reference 0
    double distance;            // m, of the node that is furthest from the reference
} SnRaceStep;

typedef struct SnRacer {
    const char* name;
    const char* solver;           // as sn_overrides_add_solver reads it
    const char* const* overrides; // further changes of the scene for this one, NULL after the last; or NULL
    SnRaceStep* steps;            // as many as the race has
    SnRacePoint* points;
    int point_count, point_capacity;
    double setup_ms;   // to build the problem and to make a first step, which does not count
    size_t peak_bytes; // of the world with everything in it
} SnRacer;

// What sn_world_save_state wrote; how much that is changes with the contacts.
typedef struct SnRaceState {
    char* bytes;
    size_t size;
    double* minimum; // of the first stage of the step that starts here, 3 x nodes; NULL: none does
} SnRaceState;

typedef struct SnRace {
    const char* path;             // of the scene
    const char* text;             // its text; NULL: the file is read
    const char* const* overrides; // of the scene, without a solver
    int override_count;
    double tolerance;                                // of the racers; negative: the scene's
    int iterations;                                  // of the racers; 0: the scene's
    int threads;                                     // 0: as the scene says
    bool processor_time;                             // ms are of that, which others' programs do not lengthen
    int passes;                                      // each step is made so often, and the fastest counts; 0: once
    int first, count;                                // steps before the race, and of it
    int plot_step;                                   // which step is plotted; 0: the one that took the most iterations
    void (*tell)(const char* racer, bool reference); // called when one starts; or NULL

    SnArena arena; // of names
    const char* title;
    double characteristic; // N, of the stopping rule
    SnRacer reference;     // its solver is chosen before the race
    SnRacer* racers;
    int racer_count, racer_capacity;
    SnRaceState* states; // count + 1 of the reference's
} SnRace;

// Adds the solvers of a list "a,b,c". NULL or "all": each solver, and lbfgs around each initial inverse.
SnStatus sn_race_enter(SnRace* race, const char* list);
// Adds one; the texts must outlive the race.
SnStatus sn_race_add(SnRace* race, const SnRacer* racer);
// Runs the reference and then each racer.
SnStatus sn_race_run(SnRace* race);
void sn_race_free(SnRace* race); // what these allocated

// (E - E*) / |E0 - E*| of a point; 0 where the start was already converged. Before constraints push, the start may be
// below the minimum; so may be what keeps them less well than the reference.
double sn_race_error(const SnRace* race, int step, const SnRacePoint* point);
// To what the reference came, in units of the stopping rule: the worst of its steps.
double sn_race_converged_to(const SnRace* race);
int sn_race_hardest(const SnRace* race); // the step that took all racers together the most iterations

void sn_race_print_table(const SnRace* race, FILE* out);
// table.csv, steps.csv, convergence.csv and the plots, in a folder that is made when it is not there.
SnStatus sn_race_write(const SnRace* race, const char* folder);
