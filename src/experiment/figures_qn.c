#include "experiment/figures.h"
const SnFigure sn_figures_qn[] = {{0}};
