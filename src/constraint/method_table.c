// The table of methods that keep constraints.
#include <string.h>

#include "constraint/method.h"

static const SnConstraintMethod* const table[] = {&sn_augmented_lagrangian, &sn_uzawa, &sn_gauss_seidel};

int sn_constraint_method_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const SnConstraintMethod* sn_constraint_method_at(int index)
{
    return table[index];
}

const SnConstraintMethod* sn_constraint_method_find(const char* name)
{
    for (int i = 0; i < sn_constraint_method_count(); i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

const char* sn_constraint_method_name(const char* name)
{
    const SnConstraintMethod* method = sn_constraint_method_find(name);
    return method ? method->name : strcmp(name, "auto") == 0 ? "auto" : NULL;
}
