// The table of methods that keep constraints.
#include "constraint/method.h"

static const SnConstraintMethod* const rows[] = {&sn_augmented_lagrangian, &sn_uzawa, &sn_gauss_seidel, NULL};

const SnTable sn_constraint_method_table = {.noun = "constraint method", .rows = rows};
