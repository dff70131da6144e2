// `sinew mesh info`: what is in a mesh file, how good its elements are, and everything that is wrong with it.
#include <math.h>
#include <stdio.h>

#include "cli/command.h"
#include "core/pi.h"
#include "linalg/vec3.h"
#include "mesh/solid.h"

typedef struct Range {
    double lo, hi;
} Range;

static void include(Range* range, double value)
{
    range->lo = fmin(range->lo, value);
    range->hi = fmax(range->hi, value);
}

static void between(const SnMesh* mesh, int a, int b, double out[3])
{
    sn_subtract3(mesh->nodes + 3 * b, mesh->nodes + 3 * a, out);
}

// The angle, in degrees, between the faces (a, b, c) and (a, b, d) at their edge a b.
static double dihedral_angle(const SnMesh* mesh, int a, int b, int c, int d)
{
    double ab[3], ac[3], ad[3], n1[3], n2[3], n[3];
    between(mesh, a, b, ab), between(mesh, a, c, ac), between(mesh, a, d, ad);
    sn_cross3(ab, ac, n1);
    sn_cross3(ab, ad, n2);
    sn_cross3(n1, n2, n);
    return atan2(sn_length3(n), sn_dot3(n1, n2)) * (180 / SN_PI);
}

static void edge_lengths(const SnMesh* mesh, const int* element, int nodes, Range* range)
{
    for (int i = 0; i < nodes; i++)
        for (int j = i + 1; j < nodes; j++)
            include(range, sn_distance3(mesh->nodes + 3 * element[i], mesh->nodes + 3 * element[j]));
}

static void print_quality(const SnMesh* mesh)
{
    // Each edge of a tetrahedron, followed by the two other nodes.
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    Range length = {INFINITY, -INFINITY}, angle = {INFINITY, -INFINITY};
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        const int* v = mesh->tetrahedra + 4 * t;
        edge_lengths(mesh, v, 4, &length);
        for (int e = 0; e < 6; e++)
            include(&angle, dihedral_angle(mesh, v[edges[e][0]], v[edges[e][1]], v[edges[e][2]], v[edges[e][3]]));
    }
    for (int t = 0; t < mesh->triangle_count; t++) edge_lengths(mesh, mesh->triangles + 3 * t, 3, &length);
    for (int t = 0; t < mesh->edge_count; t++) edge_lengths(mesh, mesh->edges + 2 * t, 2, &length);
    if (length.hi >= length.lo) printf("edge lengths       %g to %g m\n", length.lo, length.hi);
    if (angle.hi >= angle.lo) printf("dihedral angles    %.4g to %.4g degrees\n", angle.lo, angle.hi);
}

static void print_size(const SnMesh* mesh)
{
    SnMeshMeasure m;
    sn_mesh_measure(mesh, &m);
    printf("nodes              %d\n", mesh->node_count);
    if (mesh->quadratic)
        printf("second order       %d ten-node tetrahedra, each as 8 linear ones\n", mesh->tetrahedron_count / 8);
    if (mesh->tetrahedron_count) printf("tetrahedra         %d, %g m3\n", mesh->tetrahedron_count, m.volume);
    if (mesh->triangle_count) printf("triangles          %d, %g m2\n", mesh->triangle_count, m.area);
    if (mesh->edge_count) printf("edges              %d, %g m\n", mesh->edge_count, m.length);
    if (mesh->node_count)
        printf("bounds             [%g, %g, %g] to [%g, %g, %g]\n", m.lo[0], m.lo[1], m.lo[2], m.hi[0], m.hi[1],
               m.hi[2]);
}

static void print_groups_and_fields(const SnMesh* mesh)
{
    static const char* const kinds[] = {"nodes", "edges", "triangles", "tetrahedra"};
    for (int i = 0; i < mesh->group_count; i++) {
        const SnMeshGroup* g = &mesh->groups[i];
        printf("group              \"%s\" (%d): %d %s\n", g->name, g->tag, g->count, kinds[g->dimension & 3]);
    }
    for (int i = 0; i < mesh->field_count; i++) {
        const SnMeshField* f = &mesh->fields[i];
        printf("field              \"%s\": %d per %s\n", f->name, f->components, f->per_node ? "node" : "element");
    }
}

static void print_problems(const SnMeshCheck* check)
{
    char text[256];
    int kinds = 0;
    for (int k = 0; k < SN_MESH_PROBLEM_KINDS; k++) {
        sn_mesh_problem_text(check, k, text, sizeof text);
        if (!*text) continue;
        printf("problem            %s\n", text);
        kinds++;
    }
    if (kinds == 0) printf("problems           none\n");
    if (sn_mesh_check_fatal(check)) printf("                   it cannot be simulated like this\n");
}

// Between neighbouring faces, in degrees: 180 where they lie in a plane.
static double smallest_dihedral(const SnShells* s)
{
    const SnMesh mesh = {.nodes = s->nodes};
    double least = 180;
    for (int e = 0; e < 3 * s->triangle_count; e++) {
        int other = s->across[e];
        if (other < e) continue;
        int t = e / 3 * 3, o = other / 3 * 3;
        least = fmin(least, dihedral_angle(&mesh, s->triangles[e], s->triangles[t + (e + 1) % 3],
                                           s->triangles[t + (e + 2) % 3], s->triangles[o + (other + 2) % 3]));
    }
    return least;
}

static const char* yes_or_no(bool yes)
{
    return yes ? "yes" : "no";
}

// Of a surface, or of the boundary of tetrahedra.
static SnStatus print_surface(const SnMesh* mesh)
{
    SnShells* s;
    char text[600];
    double thickness = INFINITY;
    if (mesh->triangle_count + mesh->tetrahedron_count == 0) return SN_OK;
    SN_TRY(sn_shells_create(mesh, 1e-9 * sn_mesh_size(mesh), &s));
    SnStatus status = sn_shells_crossings(s, NULL);
    const SnSurfaceReport* r = &s->report;
    bool closed = r->open_edges + r->crowded_edges == 0;
    if (status == SN_OK && closed) status = sn_shells_thickness(s, &thickness);
    if (status == SN_OK) {
        sn_surface_report_text(r, text, sizeof text);
        printf("surface            %d shell%s%s%s\n", r->shells, r->shells == 1 ? "" : "s", *text ? "; " : "", text);
        printf("watertight         %s\n", yes_or_no(closed));
        printf("inside out         %s\n", yes_or_no(r->inside_out > 0));
        printf("crossings          %d\n", r->crossings);
        if (mesh->tetrahedron_count == 0) printf("smallest dihedral  %.4g degrees\n", smallest_dihedral(s));
        if (closed) printf("encloses           %g m3\n", r->volume);
        if (isfinite(thickness)) printf("thinnest part      %g m\n", thickness);
    }
    sn_shells_destroy(s);
    return status;
}

static int run(const SnArguments* arguments)
{
    SnMesh* mesh;
    SnMeshCheck check;
    SnStatus status = sn_mesh_load(arguments->words[0], &mesh);
    if (status != SN_OK) return sn_exit_of_file(status);
    status = sn_mesh_check(mesh, &check);
    if (status == SN_OK) {
        printf("%s\n", arguments->words[0]);
        print_size(mesh);
        // An element that names a missing node has no angles.
        bool whole = check.problems[SN_MESH_OUT_OF_RANGE].count + check.problems[SN_MESH_NON_FINITE].count == 0;
        if (check.problems[SN_MESH_OUT_OF_RANGE].count == 0) print_quality(mesh);
        if (whole) status = print_surface(mesh);
        print_groups_and_fields(mesh);
        print_problems(&check);
    }
    sn_mesh_destroy(mesh);
    return sn_exit_of_file(status);
}

const SnCommand sn_command_mesh_info = {
    .name = "mesh info",
    .usage = "FILE",
    .summary = "counts, bounds, volume, groups, fields, quality and problems of a mesh file",
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
