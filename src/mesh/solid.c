// A solid out of a surface: put in order, stuffed with tetrahedra, fitted if asked, measured.
#include "mesh/solid.h"

#include <math.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/quality.h"
#include "mesh/stuffing.h"

enum { MOST_TRIES = 4 };          // lattices for a number of tetrahedra
static const double MERGE = 1e-9; // of its size: vertices nearer than this are one
static const double LEAST_EDGE = 1e-5;

const SnParameter sn_solid_parameters[] = {
    {"edge", SN_NUMBER, offsetof(SnSolidDef, edge), .example = "0.02", .range = ">0", .unit = "m",
     .doc = "length of the longer edges of the lattice; without it and `tets`, a 30th of the surface's size"},
    {"tets", SN_INTEGER, offsetof(SnSolidDef, tetrahedra), .example = "20000", .range = ">0",
     .doc = "about as many tetrahedra, in place of `edge`"},
    {"grade", SN_NUMBER, offsetof(SnSolidDef, grade), .value = "1", .range = ">=1",
     .doc = "edges inside may be so many times as long as those at the surface (1, 2, 4, 8, ...)"},
    {"fit", SN_BOOLEAN, offsetof(SnSolidDef, fit), .value = "false",
     .doc = "move the boundary onto sharp edges and corners of the surface"},
    {"fit-angle", SN_NUMBER, offsetof(SnSolidDef, fit_degrees), .value = "40", .range = ">0 <180", .unit = "degrees",
     .doc = "between neighbouring faces, from which on an edge is sharp"},
    {"least-angle", SN_NUMBER, offsetof(SnSolidDef, least_degree), .value = "8", .range = ">0 <30", .unit = "degrees",
     .doc = "dihedral angles that `fit` leaves: none smaller, and none larger than 180 less this"},
    {0},
};

SnSolidDef sn_default_solid_def(void)
{
    SnSolidDef def = {0};
    sn_parameters_default(sn_solid_parameters, &def);
    return def;
}

static void say(char* text, size_t size, int count, const char* one, const char* many)
{
    if (count > 0) sn_append(text, size, "%s%d %s", *text ? ", " : "", count, count == 1 ? one : many);
}

void sn_surface_report_text(const SnSurfaceReport* r, char* text, size_t size)
{
    *text = '\0';
    say(text, size, r->holes, "hole", "holes");
    if (r->open_edges > 0) sn_append(text, size, " (%d open edge%s)", r->open_edges, r->open_edges == 1 ? "" : "s");
    say(text, size, r->crowded_edges, "edge with more than two triangles", "edges with more than two triangles");
    say(text, size, r->crossings, "pair of triangles that cross", "pairs of triangles that cross");
    say(text, size, r->inside_out, "shell inside out", "shells inside out");
    say(text, size, r->turned, "triangle turned against its neighbours", "triangles turned against their neighbours");
    say(text, size, r->cavities, "cavity", "cavities");
    say(text, size, r->flat, "triangle without area", "triangles without area");
    say(text, size, r->twice, "triangle given twice", "triangles given twice");
}

static void bounds(const SnShells* s, double lo[3], double hi[3])
{
    for (int c = 0; c < 3; c++) lo[c] = INFINITY, hi[c] = -INFINITY;
    for (int64_t i = 0; i < 3 * (int64_t)s->triangle_count; i++)
        for (int c = 0; c < 3; c++) {
            double x = s->nodes[3 * (int64_t)s->triangles[i] + c];
            lo[c] = fmin(lo[c], x), hi[c] = fmax(hi[c], x);
        }
}

double sn_mesh_size(const SnMesh* mesh)
{
    SnMeshMeasure m;
    sn_mesh_measure(mesh, &m);
    return sn_distance3(m.lo, m.hi);
}

static SnStatus check(const SnMesh* surface, const SnSolidDef* def)
{
    if (surface->triangle_count == 0 || surface->tetrahedron_count > 0)
        return sn_fail(SN_ERROR_VALUE, "a solid is made of a surface of triangles, but this mesh has %s",
                       surface->tetrahedron_count > 0 ? "tetrahedra already" : "none");
    int bad = sn_first_beyond(surface->node_count, surface->nodes);
    if (bad >= 0)
        return sn_fail(SN_ERROR_VALUE, "vertex %d of the surface is not a number, or beyond %g m", bad, SN_FARTHEST);
    if (!(def->edge >= 0 && isfinite(def->edge)))
        return sn_fail(SN_ERROR_VALUE, "edges of %g m: they must be longer than 0", def->edge);
    if (def->tetrahedra < 0) return sn_fail(SN_ERROR_VALUE, "%d tetrahedra cannot be made", def->tetrahedra);
    if (!(def->grade >= 1))
        return sn_fail(SN_ERROR_VALUE, "edges inside %g times as long as at the surface: at least 1 is possible",
                       def->grade);
    if (!(def->fit_degrees > 0 && def->fit_degrees < 180 && def->least_degree > 0 && def->least_degree < 30))
        return sn_fail(
            SN_ERROR_VALUE,
            "sharp edges from %g degrees and dihedral angles from %g: they must be in 0 to 180 and in 0 to 30",
            def->fit_degrees, def->least_degree);
    double size = sn_mesh_size(surface);
    if (!(size > 0)) return sn_fail(SN_ERROR_VALUE, "the surface has no extent");
    if (def->edge > 0 && def->edge < LEAST_EDGE * size)
        return sn_fail(SN_ERROR_VALUE, "edges of %g m in a surface of %g m: its size may be in other units", def->edge,
                       size);
    return SN_OK;
}

typedef struct Making {
    const SnSolidDef* def;
    SnShells* shells;
    SnWinding* winding;
    SnTasks* tasks;
    double lo[3], hi[3];
} Making;

static SnStatus stuff(const Making* m, double edge, SnMesh** solid)
{
    SnStuffing* stuffing;
    SN_TRY(sn_stuffing_create(m->winding, m->lo, m->hi, edge, m->tasks, &stuffing));
    SnStatus status = sn_stuffing_grade(stuffing, m->def->grade);
    if (status == SN_OK) status = sn_stuffing_mesh(stuffing, m->tasks, solid);
    sn_stuffing_destroy(stuffing);
    return status;
}

// With edges that come to about so many tetrahedra: 12 in a cell of the lattice.
static SnStatus stuff_so_many(const Making* m, double size, double* edge, SnMesh** solid)
{
    double count = m->def->tetrahedra;
    double volume = fmax(m->shells->report.volume, 1e-3 * size * size * size);
    *edge = cbrt(12 * volume / count);
    for (int i = 0; i < MOST_TRIES; i++) {
        SN_TRY(stuff(m, *edge, solid));
        double got = *solid ? (*solid)->tetrahedron_count : 0;
        if (i + 1 == MOST_TRIES || (got > 0.9 * count && got < 1.1 * count)) return SN_OK;
        double ratio = m->def->grade < 2 ? cbrt(got / count) : pow(got / count, 0.4); // graded: nearly as its surface
        *edge *= got > 0 ? fmin(fmax(ratio, 0.3), 3) : 0.5;
        sn_mesh_destroy(*solid);
        *solid = NULL;
    }
    return SN_OK;
}

// How far the nodes of its boundary are from the surface.
static SnStatus measure_deviation(const Making* m, const SnMesh* solid, SnSolidReport* report)
{
    int *triangles, count;
    char* seen;
    SN_TRY(sn_mesh_surface(solid, &triangles, &count));
    if (!SN_NEW(seen, solid->node_count, "a solid")) {
        sn_free(triangles);
        return SN_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
        SnNearest nearest;
        if (seen[triangles[i]]) continue;
        seen[triangles[i]] = 1;
        if (sn_tree_nearest(m->winding->tree, m->shells->nodes, solid->nodes + 3 * (int64_t)triangles[i], INFINITY,
                            NULL, NULL, &nearest))
            report->deviation = fmax(report->deviation, nearest.distance);
    }
    SN_FREE(triangles, seen);
    return SN_OK;
}

// Shells of which no vertex is near the solid.
static SnStatus count_lost(const Making* m, const SnMesh* solid, SnSolidReport* report)
{
    char* found;
    int *triangles, count;
    SnTree* tree = NULL;
    const SnShells* s = m->shells;
    SN_TRY(sn_mesh_surface(solid, &triangles, &count));
    SnStatus status = sn_tree_create(count, 3, triangles, solid->nodes, &tree);
    if (!SN_NEW(found, s->report.shells, "shells")) status = SN_ERROR_MEMORY;
    for (int t = 0; status == SN_OK && t < s->triangle_count; t++) {
        SnNearest nearest;
        if (found[s->shell_of[t]]) continue;
        found[s->shell_of[t]] =
            sn_tree_nearest(tree, solid->nodes, s->nodes + 3 * (int64_t)s->triangles[3 * (int64_t)t], report->edge,
                            NULL, NULL, &nearest);
    }
    for (int i = 0; status == SN_OK && i < s->report.shells; i++) report->lost_shells += !found[i];
    sn_tree_destroy(tree);
    SN_FREE(triangles, found);
    return status;
}

static SnStatus finish(const Making* m, SnMesh* solid, SnSolidReport* report)
{
    SnMeshMeasure measure;
    if (m->def->fit) SN_TRY(sn_fit_boundary(m->shells, m->winding->tree, m->def, report->edge, solid));
    sn_mesh_measure(solid, &measure);
    report->volume = measure.volume;
    sn_mesh_dihedral_angles(solid, &report->least_dihedral, &report->largest_dihedral);
    SN_TRY(measure_deviation(m, solid, report));
    return count_lost(m, solid, report);
}

static SnStatus make(Making* m, const SnMesh* surface, SnMesh** solid, SnSolidReport* report)
{
    double size = sn_mesh_size(surface);
    SN_TRY(sn_shells_create(surface, MERGE * size, &m->shells));
    report->surface = m->shells->report;
    if (m->shells->triangle_count == 0) return sn_fail(SN_ERROR_VALUE, "the surface has no triangle with an area");
    SN_TRY(sn_winding_create(m->shells->triangle_count, m->shells->triangles, m->shells->nodes, &m->winding));
    SN_TRY(sn_shells_crossings(m->shells, m->tasks));
    report->surface = m->shells->report;
    bounds(m->shells, m->lo, m->hi);
    report->edge = m->def->edge > 0 ? m->def->edge : size / 30;
    if (m->def->edge == 0 && m->def->tetrahedra > 0)
        SN_TRY(stuff_so_many(m, size, &report->edge, solid));
    else
        SN_TRY(stuff(m, report->edge, solid));
    if (!*solid)
        return sn_fail(SN_ERROR_VALUE,
                       "nothing of the surface is thick enough for edges of %g m, or it encloses nothing%s; take "
                       "shorter edges, or close it (sinew mesh fill)",
                       report->edge, report->surface.open_edges ? ": it is open" : "");
    return finish(m, *solid, report);
}

SnStatus sn_mesh_make_solid(const SnMesh* surface, const SnSolidDef* def, SnMesh** solid, SnSolidReport* out)
{
    SN_NEED(solid);
    *solid = NULL;
    SN_HANDLE(surface);
    SN_NEED(def);
    SN_TRY(check(surface, def));
    SnSolidReport report = {0};
    Making m = {.def = def};
    SnStatus status = sn_tasks_create(def->threads, (SnTaskRunner){0}, &m.tasks);
    if (status == SN_OK) status = make(&m, surface, solid, &report);
    sn_winding_destroy(m.winding);
    sn_shells_destroy(m.shells);
    sn_tasks_destroy(m.tasks);
    if (status != SN_OK) {
        sn_mesh_destroy(*solid);
        *solid = NULL;
    }
    if (out) *out = report;
    return status;
}
