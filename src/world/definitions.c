// The definition of a world: its defaults, and the checks of what is given.
#include "world/definitions.h"

#include <math.h>
#include <string.h>

#include "constraint/method.h"
#include "core/status.h"
#include "core/suggest.h"
#include "integrator/integrator.h"
#include "linalg/anderson.h"
#include "solver/initial.h"
#include "solver/line_search.h"

SnContactDef sn_default_contact_def(void)
{
    return (SnContactDef){.method = "auto", .thickness = 1e-3, .slip = 1e-3, .push = 0.25};
}

SnWorldDef sn_default_world_def(void)
{
    return (SnWorldDef){
        .time_step = 1.0 / 60,
        .gravity = {0, -9.81, 0},
        .integrator = "backward-euler",
        .solver = sn_default_solver_def(),
        .contact = sn_default_contact_def(),
    };
}

static SnStatus unknown_name(const char* what, const char* name, const char* const* names, int count)
{
    const char* nearest = sn_nearest_name(name, names, count);
    return sn_fail(SN_ERROR_VALUE, "unknown %s '%s'%s%s%s", what, name, nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

// The contacts' way to be kept, and that of other constraints, which are kept together.
static SnStatus choose_constraints(const SnSolverType* solver, const SnWorldDef* def, SnWorldDef* out)
{
    const char* constraints = def->solver.constraints ? def->solver.constraints : "auto";
    const char* contacts = sn_constraint_method_name(def->contact.method ? def->contact.method : "auto");
    bool open = strcmp(contacts, "auto") == 0, energy = strcmp(contacts, "energy") == 0;
    out->contact.method = contacts; // the caller's text may go away
    out->solver.constraints = sn_constraint_method_name(constraints);
    if (!out->solver.constraints)
        return sn_fail(SN_ERROR_VALUE,
                       "unknown method to keep constraints '%s'; there are auto, uzawa, gauss-seidel and energy",
                       constraints);
    if (!solver->global_step && !open && !energy)
        return sn_fail(SN_ERROR_VALUE,
                       "contact method '%s' needs solver admm or pd; for solver '%s' contacts are energies: auto or "
                       "energy",
                       contacts, solver->name);
    if (open || !solver->global_step || strcmp(constraints, contacts) == 0) return SN_OK;
    if (strcmp(constraints, "auto") != 0)
        return sn_fail(SN_ERROR_VALUE,
                       "contact method '%s' and solver constraints '%s' disagree: contacts and other constraints are "
                       "kept together; give one of them",
                       contacts, constraints);
    out->solver.constraints = contacts;
    return SN_OK;
}

static SnStatus find_parts(const SnWorldDef* def, SnWorldDef* out)
{
    const char* names[64];
    const char* integrator = def->integrator ? def->integrator : "";
    const SnIntegratorType* integrator_type = sn_integrator_find(integrator);
    if (!integrator_type) {
        for (int i = 0; i < sn_integrator_count(); i++) names[i] = sn_integrator_at(i)->name;
        return unknown_name("integrator", integrator, names, sn_integrator_count());
    }
    const char* solver = def->solver.type ? def->solver.type : "";
    const SnSolverType* solver_type = sn_solver_find(solver);
    if (!solver_type) {
        for (int i = 0; i < sn_solver_count(); i++) names[i] = sn_solver_at(i)->name;
        return unknown_name("solver", solver, names, sn_solver_count());
    }
    out->integrator = integrator_type->name; // the caller's text may go away
    out->solver.type = solver_type->name;
    const char* initial = def->solver.initial ? def->solver.initial : "laplacian";
    if (!sn_initial_find(initial)) {
        for (int i = 0; i < sn_initial_count(); i++) names[i] = sn_initial_at(i)->name;
        return unknown_name("initial", initial, names, sn_initial_count());
    }
    out->solver.initial = sn_initial_find(initial)->name;
    return choose_constraints(solver_type, def, out);
}

static SnStatus check_integrator(const SnWorldDef* def)
{
    if (!(def->gamma >= 0 && def->gamma < 1))
        return sn_fail(SN_ERROR_VALUE, "gamma is %g; it must be between 0 and 1 (0: the integrator's own)", def->gamma);
    if (def->dissipation_order < 0 || def->dissipation_order > 2)
        return sn_fail(SN_ERROR_VALUE, "the dissipation order is %d; it must be 1 or 2 (0: the integrator's own)",
                       def->dissipation_order);
    return SN_OK;
}

SnStatus sn_check_time_step(double time_step)
{
    if (!(time_step > 0) || !isfinite(time_step))
        return sn_fail(SN_ERROR_VALUE, "the time step is %g s; it must be positive", time_step);
    return SN_OK;
}

// The options of admm and pd.
static SnStatus check_projective(const SnSolverDef* def)
{
    if (!(def->relaxation >= 0 && def->relaxation < 2))
        return sn_fail(SN_ERROR_VALUE, "solver relaxation is %g; it must be at least 1 and less than 2",
                       def->relaxation);
    if (def->anderson < 0 || def->anderson > SN_ANDERSON_MOST)
        return sn_fail(SN_ERROR_VALUE, "solver anderson is %d; it must be between 0 and %d", def->anderson,
                       SN_ANDERSON_MOST);
    if (!(def->residual >= 0) || !isfinite(def->residual))
        return sn_fail(SN_ERROR_VALUE, "solver residual is %g; it must be 0 or positive", def->residual);
    return SN_OK;
}

static SnStatus check_contact(const SnContactDef* contact)
{
    static const char* const methods[] = {"auto", "energy", "uzawa", "gauss-seidel"};
    bool known = false;
    for (int i = 0; i < 4; i++) known |= !contact->method || strcmp(contact->method, methods[i]) == 0;
    if (!known)
        return sn_fail(SN_ERROR_VALUE, "unknown contact method '%s'; there are auto, energy, uzawa and gauss-seidel",
                       contact->method);
    if (!(contact->thickness >= 0) || !isfinite(contact->thickness))
        return sn_fail(SN_ERROR_VALUE, "contact thickness is %g m; it must be 0 or positive", contact->thickness);
    if (!(contact->friction >= 0) || !isfinite(contact->friction))
        return sn_fail(SN_ERROR_VALUE, "contact friction is %g; it must be 0 or positive", contact->friction);
    if (contact->restitution != 0 && contact->restitution != 1)
        return sn_fail(SN_ERROR_VALUE, "contact restitution is %g; it must be 0 or 1", contact->restitution);
    if (!(contact->slip > 0 && contact->push > 0) || !isfinite(contact->slip) || !isfinite(contact->push))
        return sn_fail(SN_ERROR_VALUE, "contact slip is %g m/s and push %g m/s; both must be positive", contact->slip,
                       contact->push);
    return SN_OK;
}

static SnStatus check_def(const SnWorldDef* def)
{
    SN_TRY(check_contact(&def->contact));
    SN_TRY(sn_check_time_step(def->time_step));
    for (int c = 0; c < 3; c++)
        if (!isfinite(def->gravity[c])) return sn_fail(SN_ERROR_VALUE, "gravity must be finite");
    if (def->solver.iterations < 1)
        return sn_fail(SN_ERROR_VALUE, "solver iterations is %d; it must be at least 1", def->solver.iterations);
    if (!(def->solver.tolerance >= 0) || !isfinite(def->solver.tolerance))
        return sn_fail(SN_ERROR_VALUE, "solver tolerance is %g; it must be 0 or positive", def->solver.tolerance);
    if (def->solver.history < 0 || def->solver.history > 100)
        return sn_fail(SN_ERROR_VALUE, "solver history is %d; it must be between 0 and 100", def->solver.history);
    const char* line_search = def->solver.line_search ? def->solver.line_search : "armijo";
    if (sn_line_search_find(line_search) < 0)
        return sn_fail(SN_ERROR_VALUE, "unknown line search '%s'; there are armijo, wolfe and dot", line_search);
    const char* linear = def->solver.linear ? def->solver.linear : "cholesky";
    if (strcmp(linear, "cholesky") != 0 && strcmp(linear, "pcg") != 0)
        return sn_fail(SN_ERROR_VALUE, "unknown linear solver '%s'; there are cholesky and pcg", linear);
    const char* preconditioner = def->solver.preconditioner ? def->solver.preconditioner : "ichol";
    if (strcmp(preconditioner, "ichol") != 0 && strcmp(preconditioner, "block-jacobi") != 0)
        return sn_fail(SN_ERROR_VALUE, "unknown preconditioner '%s'; there are ichol and block-jacobi", preconditioner);
    if (def->solver.subdomains < 0 || def->solver.subdomain_nodes < 0)
        return sn_fail(SN_ERROR_VALUE, "subdomains must not be negative; 0 leaves their number to the solver");
    SN_TRY(check_projective(&def->solver));
    if (!(def->solver.armijo > 0 && def->solver.armijo < 0.5))
        return sn_fail(SN_ERROR_VALUE, "solver armijo is %g; it must be between 0 and 0.5", def->solver.armijo);
    return check_integrator(def);
}

SnStatus sn_world_def_resolve(const SnWorldDef* def, SnWorldDef* out)
{
    SN_TRY(check_def(def));
    *out = *def;
    return find_parts(def, out);
}
