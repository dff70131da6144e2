#include "experiment/figures.h"
const SnFigure sn_figures_admm[] = {{0}};
