// `sinew mesh tet`, `repair`, `fill` and `remesh`: surfaces made solid, put right, closed and of edges of one length;
// and `raise`: tetrahedra of second order.
#include <limits.h>
#include <stdio.h>

#include "cli/mesh_external.h"
#include "cli/mesh_save.h"
#include "mesh/elements.h"
#include "mesh/solid.h"

#define OUTPUT                                                                    \
    {                                                                             \
        "output", 'o', "FILE", false, "the mesh file; its ending says the format" \
    }

static int without_output(const SnArguments* arguments)
{
    return sn_usage_error(arguments, "-o FILE is missing; its ending says the format");
}

// The triangles of a file, also of one that has tetrahedra; *surface is NULL when that failed.
static int load_surface(const char* path, SnMesh** surface)
{
    SnMesh* mesh;
    *surface = NULL;
    SnStatus status = sn_mesh_load(path, &mesh);
    if (status != SN_OK) return sn_exit_of_file(status);
    if (mesh->tetrahedron_count == 0) {
        *surface = mesh;
        return SN_EXIT_DONE;
    }
    status = sn_mesh_make_surface(mesh, surface);
    sn_mesh_destroy(mesh);
    return status == SN_OK ? SN_EXIT_DONE : sn_exit_of_file(status);
}

static int failed(SnStatus status, const char* path)
{
    return sn_exit_of_file(sn_fail_prefix(status, "%s", path));
}

static void print_oddities(const SnSurfaceReport* r)
{
    char text[600];
    sn_surface_report_text(r, text, sizeof text);
    printf("surface            %d triangles, %d shell%s%s%s\n", r->triangles, r->shells, r->shells == 1 ? "" : "s",
           *text ? "; " : "", text);
}

static void print_now(const SnSurfaceReport* r)
{
    char text[600];
    sn_surface_report_text(r, text, sizeof text);
    printf("now                %s\n", *text ? text : "closed and in order");
}

// --- tet ---

typedef struct Tet {
    SnSolidDef def;
    const char* with;
} Tet;

static void print_solid(const SnSolidReport* r)
{
    print_oddities(&r->surface);
    printf("edge               %g m\n", r->edge);
    printf("volume             %g m3; the surface encloses %g\n", r->volume, r->surface.volume);
    printf("dihedral angles    %.4g to %.4g degrees\n", r->least_dihedral, r->largest_dihedral);
    printf("boundary           at most %.2g m from the surface\n", r->deviation);
    if (r->lost_shells > 0) printf("lost               %d shells, too thin for these edges\n", r->lost_shells);
}

static SnStatus make_tets(const Tet* tet, const SnMesh* surface, SnMesh** solid)
{
    SnSolidReport report;
    if (tet->with) return sn_mesh_external(tet->with, surface, &tet->def, solid);
    SN_TRY(sn_mesh_make_solid(surface, &tet->def, solid, &report));
    print_solid(&report);
    return SN_OK;
}

static int run_tet(const SnArguments* arguments)
{
    Tet tet = {.def = sn_default_solid_def()};
    const char *path = sn_option_value(arguments, "output"), *from = arguments->words[0];
    if (!path) return without_output(arguments);
    if (!sn_options_read(arguments, &tet)) return SN_EXIT_USAGE;
    tet.def.fit = sn_option_given(arguments, "fit");
    if (tet.def.edge > 0 && tet.def.tetrahedra > 0)
        return sn_usage_error(arguments, "--edge and --tets; give one of them");
    if (tet.with && (tet.def.fit || tet.def.grade > 1))
        return sn_usage_error(arguments, "--fit and --grade are of our own lattice, not of %s", tet.with);
    SnMesh *surface, *solid;
    int code = load_surface(from, &surface);
    if (code != SN_EXIT_DONE) return code;
    SnStatus status = make_tets(&tet, surface, &solid);
    code = status == SN_OK ? sn_save_mesh(arguments, solid, path) : failed(status, from);
    sn_mesh_destroy(surface);
    if (status == SN_OK) sn_mesh_destroy(solid);
    return code;
}

static const SnParameter tet_parameters[] = {
    {"edge", SN_NUMBER, offsetof(Tet, def.edge), .range = ">0", .unit = "m",
     .doc = "length of the longer edges; without it and --tets, a 30th of the surface's size"},
    {"tets", SN_INTEGER, offsetof(Tet, def.tetrahedra), .range = ">0", .doc = "about as many tetrahedra"},
    {"grade", SN_NUMBER, offsetof(Tet, def.grade), .value = "1", .range = ">=1",
     .doc = "edges inside may be so many times as long as those at the surface (1, 2, 4, 8, ...)"},
    {"fit-angle", SN_NUMBER, offsetof(Tet, def.fit_degrees), .value = "40", .range = ">0 <180", .unit = "degrees",
     .doc = "of --fit: from which on an edge is sharp"},
    {"least-angle", SN_NUMBER, offsetof(Tet, def.least_degree), .value = "8", .range = ">0 <30", .unit = "degrees",
     .doc = "of --fit: the smallest dihedral angle that it may leave"},
    {"threads", SN_INTEGER, offsetof(Tet, def.threads), .value = "0", .range = ">=0",
     .doc = "how many; 0: one per processor"},
    {"with", SN_CHOICE, offsetof(Tet, with), .names = sn_mesh_external_names,
     .doc = "another program, which keeps the surface's triangles: tetgen or gmsh"},
    {0},
};
static const SnOption tet_options[] = {
    OUTPUT,
    {"fit", 0, NULL, false, "move the boundary onto sharp edges and corners of the surface"},
    SN_MESH_SAVE_OPTIONS,
    {0},
};

const SnCommand sn_command_mesh_tet = {
    .name = "mesh tet",
    .usage = "SURFACE -o OUT [--edge L | --tets N] [--grade G] [--fit] [--with tetgen|gmsh]",
    .summary = "make a solid of tetrahedra out of a surface, also one with holes or that crosses itself",
    .help = "Inside is where the generalised winding number is above one half. What was odd about the\n"
            "surface is told: holes, crossings, shells inside out, triangles turned or given twice.\n",
    .parameters = tet_parameters,
    .options = tet_options,
    .min_words = 1,
    .max_words = 1,
    .run = run_tet,
};

// --- repair and fill ---

static void print_repair(const SnRepairReport* r)
{
    print_oddities(&r->before);
    if (r->before.merged) printf("merged             %d vertices\n", r->before.merged);
    if (r->flipped) printf("slivers            %d edges flipped\n", r->flipped);
    if (r->closed) printf("holes closed       %d\n", r->closed);
    print_now(&r->after);
}

static int repair(const SnArguments* arguments, const SnRepairDef* def)
{
    const char *path = sn_option_value(arguments, "output"), *from = arguments->words[0];
    SnMesh *surface, *repaired = NULL;
    SnRepairReport report;
    int code = load_surface(from, &surface);
    if (code != SN_EXIT_DONE) return code;
    SnStatus status = sn_mesh_repair(surface, def, &repaired, &report);
    if (status == SN_OK) print_repair(&report), sn_say_lost_faces(surface, repaired);
    code = status == SN_OK ? sn_save_mesh(arguments, repaired, path) : failed(status, from);
    sn_mesh_destroy(surface);
    sn_mesh_destroy(repaired);
    return code;
}

static int run_repair(const SnArguments* arguments)
{
    SnRepairDef def;
    if (!sn_option_value(arguments, "output")) return without_output(arguments);
    if (!sn_options_read(arguments, &def)) return SN_EXIT_USAGE;
    if (!sn_option_given(arguments, "merge")) def.merge = -1;
    return repair(arguments, &def);
}

static int run_fill(const SnArguments* arguments)
{
    SnRepairDef def = sn_default_repair_def();
    if (!sn_option_value(arguments, "output")) return without_output(arguments);
    def.holes = INT_MAX;
    return repair(arguments, &def);
}

static const SnParameter repair_parameters[] = {
    {"merge", SN_NUMBER, offsetof(SnRepairDef, merge), .range = ">=0", .unit = "m",
     .doc = "vertices nearer than this are one; without it, a ten millionth of the surface's size"},
    {"holes", SN_INTEGER, offsetof(SnRepairDef, holes), .value = "30", .range = ">=0",
     .doc = "close those of at most so many edges"},
    {0},
};
static const SnOption save_options[] = {OUTPUT, SN_MESH_SAVE_OPTIONS, {0}};

const SnCommand sn_command_mesh_repair = {
    .name = "mesh repair",
    .usage = "SURFACE -o OUT [--merge L] [--holes N]",
    .summary = "merge vertices, drop doubles and slivers, turn faces outward, close small holes",
    .parameters = repair_parameters,
    .options = save_options,
    .min_words = 1,
    .max_words = 1,
    .run = run_repair,
};

const SnCommand sn_command_mesh_fill = {
    .name = "mesh fill",
    .usage = "SURFACE -o OUT",
    .summary = "the same, and close every hole",
    .options = save_options,
    .min_words = 1,
    .max_words = 1,
    .run = run_fill,
};

// --- raise ---

static int run_raise(const SnArguments* arguments)
{
    SnMesh *mesh, *raised = NULL;
    const char *path = sn_option_value(arguments, "output"), *from = arguments->words[0];
    if (!path) return without_output(arguments);
    SnStatus status = sn_mesh_load(from, &mesh);
    if (status != SN_OK) return sn_exit_of_file(status);
    status = sn_mesh_raise(mesh, &raised);
    int code = status == SN_OK ? sn_save_mesh(arguments, raised, path) : failed(status, from);
    sn_mesh_destroy(mesh);
    sn_mesh_destroy(raised);
    return code;
}

const SnCommand sn_command_mesh_raise = {
    .name = "mesh raise",
    .usage = "MESH -o OUT",
    .summary = "put a node into the middle of each edge: ten-node tetrahedra, for `element: quadratic`",
    .options = save_options,
    .min_words = 1,
    .max_words = 1,
    .run = run_raise,
};

// --- remesh ---

static void print_remesh(const SnRemeshReport* r)
{
    print_oddities(&r->before);
    printf("edge               %g m\n", r->edge);
    printf("edge lengths       %g to %g m, mean %g\n", r->shortest, r->longest, r->mean);
    printf("angles             %.4g to %.4g degrees\n", r->least_angle, r->largest_angle);
    if (r->sharp_edges) printf("sharp              %d edges\n", r->sharp_edges);
    printf("apart              at most %.2g m from the surface\n", r->deviation);
    print_now(&r->after);
}

static int run_remesh(const SnArguments* arguments)
{
    SnRemeshDef def;
    SnRemeshReport report;
    SnMesh *surface, *made = NULL;
    const char *path = sn_option_value(arguments, "output"), *from = arguments->words[0];
    if (!path) return without_output(arguments);
    if (!sn_options_read(arguments, &def)) return SN_EXIT_USAGE;
    int code = load_surface(from, &surface);
    if (code != SN_EXIT_DONE) return code;
    SnStatus status = sn_mesh_remesh(surface, &def, &made, &report);
    if (status == SN_OK) print_remesh(&report), sn_say_lost_faces(surface, made);
    code = status == SN_OK ? sn_save_mesh(arguments, made, path) : failed(status, from);
    sn_mesh_destroy(surface);
    sn_mesh_destroy(made);
    return code;
}

static const SnParameter remesh_parameters[] = {
    {"edge", SN_NUMBER, offsetof(SnRemeshDef, edge), .value = "0", .range = ">=0", .unit = "m",
     .doc = "length of edges; 0: the mean of the surface's"},
    {"sharp", SN_NUMBER, offsetof(SnRemeshDef, sharp_degrees), .value = "40", .range = ">0 <=180", .unit = "degrees",
     .doc = "edges where faces meet at more than this stay"},
    {"rounds", SN_INTEGER, offsetof(SnRemeshDef, rounds), .value = "10", .range = ">=0 <=1000",
     .doc = "of splitting, collapsing, flipping and spreading"},
    {0},
};

const SnCommand sn_command_mesh_remesh = {
    .name = "mesh remesh",
    .usage = "SURFACE -o OUT [--edge L] [--sharp DEGREES]",
    .summary = "make all edges of a surface as long as each other; sharp ones stay",
    .parameters = remesh_parameters,
    .options = save_options,
    .min_words = 1,
    .max_words = 1,
    .run = run_remesh,
};
