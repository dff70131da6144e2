// The figures of each paper; lists end with a row without a name.
#pragma once
#include "experiment/paper.h"

extern const SnFigure sn_figures_admm[], sn_figures_diss[], sn_figures_dot[], sn_figures_qn[];
