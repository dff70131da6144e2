// Plots of a sweep against the values that were swept.
#pragma once
#include "experiment/sweep.h"

// Of each thing that was measured, FOLDER/NAME.WHAT.against-KEY.svg: its last value over each key that has numbers, a
// curve for each combination of the others.
SnStatus sn_sweep_plot_against(SnSweep* sweep);
