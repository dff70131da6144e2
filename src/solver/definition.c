// The options of solvers: defaults, checks and values by name.
#include <string.h>

#include "core/handle.h"
#include "solver/initial.h"

static const SnTable* const tables[] = {&sn_solver_table, &sn_initial_table};
enum { TABLES = sizeof tables / sizeof *tables };

SnSolverDef sn_default_solver_def(void)
{
    SnSolverDef def = {0};
    sn_parameters_default(sn_solver_parameters, &def);
    for (int t = 0; t < TABLES; t++)
        for (int i = 0; sn_table_at(tables[t], i); i++)
            sn_parameters_default(sn_table_parameters(tables[t], sn_table_at(tables[t], i)), &def);
    def.own = (SnOwn){0};
    return def;
}

void sn_solver_def_take_type(SnSolverDef* def)
{
    const SnSolverType* type = sn_solver_find(def->type ? def->type : "");
    if (type) sn_own_take(&def->own, type->name, type->parameters, def);
}

// Options of one type's own are of no concern to the others.
static SnStatus resolve_rows(const SnParameter* rows, bool chosen, SnSolverDef* def)
{
    for (const SnParameter* row = rows; row && row->name; row++) {
        const SnParameter one[2] = {*row};
        if (!chosen && sn_parameter_is_own(row, offsetof(SnSolverDef, own))) continue;
        SN_TRY(sn_parameters_check(one, def, "solver"));
        sn_parameters_intern(one, def);
    }
    return SN_OK;
}

bool sn_solver_def_scales(const SnSolverDef* def)
{
    const SnSolverType* type = sn_solver_find(def->type ? def->type : "");
    const SnInitialType* initial = sn_initial_find(def->initial ? def->initial : "");
    return !type || strcmp(type->name, "lbfgs") != 0 || !initial || initial->linear;
}

SnStatus sn_solver_def_resolve(SnSolverDef* def)
{
    SN_TRY(resolve_rows(sn_solver_parameters, true, def));
    sn_solver_def_take_type(def);
    for (int t = 0; t < TABLES; t++)
        for (int i = 0; sn_table_at(tables[t], i); i++) {
            const void* type = sn_table_at(tables[t], i);
            SN_TRY(resolve_rows(sn_table_parameters(tables[t], type), type == sn_solver_find(def->type), def));
        }
    if (def->subdomains < 0 || def->subdomain_nodes < 0)
        return sn_fail(SN_ERROR_VALUE, "subdomains must not be negative; 0 leaves their number to the solver");
    if (def->unscaled && !sn_solver_def_scales(def))
        return sn_fail(SN_ERROR_VALUE, "an initial inverse that is not linear, '%s', has no scale to leave out",
                       def->initial);
    return SN_OK;
}

SnStatus sn_solver_set(SnSolverDef* def, const char* name, const char* value)
{
    SN_NEED(def);
    SN_NEED(name);
    SN_NEED(value);
    enum { MOST = 64 };
    const SnParameter* lists[MOST + 1] = {sn_solver_parameters};
    const SnSolverType* chosen = sn_solver_find(def->type ? def->type : "");
    int count = 1;
    sn_solver_def_take_type(def);
    if (chosen && chosen->parameters) lists[count++] = chosen->parameters;
    for (int t = 0; t < TABLES; t++)
        for (int i = 0; sn_table_at(tables[t], i) && count < MOST; i++) {
            const SnParameter* rows = sn_table_parameters(tables[t], sn_table_at(tables[t], i));
            const SnParameter* row = rows ? sn_parameter_find(rows, name) : NULL;
            bool others = row && sn_parameter_is_own(row, offsetof(SnSolverDef, own));
            if (rows && !others) lists[count++] = rows;
        }
    return sn_parameters_set(lists, name, value, "solver", def);
}
