#include "experiment/figures.h"
const SnFigure sn_figures_dot[] = {{0}};
