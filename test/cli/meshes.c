// `sinew mesh`: surfaces made solid, repaired, closed, remeshed and converted.
#include "program.h"

#include <sys/stat.h>

// A unit cube of twelve triangles with UVs, one face of which is missing.
static const char open_cube[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nvt 0 0\nvt 1 0\nvt 1 1\n"
    "g sides\nf 1/1 3/2 2/3\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";

static void test_surface_to_solid(void** state)
{
    (void)state;
    write_text("open.obj", open_cube);
    check_code(sinew("mesh info open.obj"), 0);
    check_has(out, "watertight         no");
    check_has(out, "1 hole (4 open edges)");
    check_has(out, "crossings          0");
    check_has(out, "smallest dihedral  90 degrees");
    check_code(sinew("mesh tet open.obj -o solid.msh --edge 0.2"), 0);
    check_has(out, "1 hole (4 open edges)");
    check_has(out, "dihedral angles");
    check_code(sinew("mesh info solid.msh"), 0);
    check_has(out, "problems           none");
    check_has(out, "watertight         yes");
    check_code(sinew("mesh tet open.obj -o a.msh --tets 3000 --threads 1"), 0);
    check_code(sinew("mesh tet open.obj -o b.msh --tets 3000 --threads 2"), 0);
    check_code(system("cmp -s a.msh b.msh"), 0);
    check_code(sinew("mesh tet open.obj -o fitted.msh --edge 0.2 --fit"), 0);
    check_code(sinew("mesh tet open.obj"), 2);
    check_has(err, "-o FILE is missing");
    check_code(sinew("mesh tet open.obj -o a.msh --edge 0.1 --tets 100"), 2);
    check_has(err, "give one of them");
    check_code(sinew("mesh tet open.obj -o a.msh --edge 1e-9"), 2);
    check_has(err, "open.obj");
    check_code(sinew("mesh tet missing.obj -o a.msh"), 2);
    check_has(err, "missing.obj");
}

static void test_repairs(void** state)
{
    (void)state;
    write_text("open.obj", open_cube);
    check_code(sinew("mesh repair open.obj -o same.obj --holes 3"), 0);
    check_has(out, "now                1 hole");
    check_code(sinew("mesh repair open.obj -o closed.obj"), 0);
    check_has(out, "holes closed       1");
    check_has(out, "closed and in order");
    check_code(sinew("mesh fill open.obj -o filled.obj"), 0);
    check_code(sinew("mesh info filled.obj"), 0);
    check_has(out, "watertight         yes");
    check_has(out, "encloses           1 m3");
    check_has(out, "thinnest part      1 m");
    check_code(sinew("mesh remesh filled.obj -o even.obj --edge 0.25"), 0);
    check_has(out, "sharp              48 edges");
    check_has(out, "closed and in order");
    check_code(sinew("mesh info even.obj"), 0);
    check_has(out, "encloses           1 m3");
    check_code(sinew("mesh make box --size 1,1,1 --cells 1,1,1 -o box.msh"), 0);
    check_code(sinew("mesh raise box.msh -o ten.msh"), 0);
    check_has(out, " ten-node tetrahedra, 0 triangles");
    write_text("ten.yaml",
               "bodies:\n  - {name: ten, mesh: {file: ten.msh}, element: quadratic, material: {poisson: 0.3}}\n");
    check_code(sinew("check ten.yaml"), 0);
    check_has(out, " ten-node tetrahedra, ");
    check_code(sinew("mesh info ten.msh"), 0);
    check_has(out, "second order       6 ten-node tetrahedra");
    check_code(sinew("mesh raise ten.msh -o more.msh"), 2);
    check_has(err, "second order already");
    check_code(sinew("mesh raise box.msh"), 2);
    check_has(err, "-o FILE is missing");
    check_code(sinew("mesh remesh filled.obj -o even.obj --edge 1e-7"), 2);
    check_has(err, "choose longer ones");
}

static void test_conversions(void** state)
{
    (void)state;
    write_text("quad.obj", "o sheet\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\ns 1\n"
                           "f 1/1/1 2/1/1 3/1/1 4/1/1\n");
    check_code(sinew("mesh convert quad.obj again.obj"), 0);
    assert_null(strstr(out, "lost"));
    check_code(sinew("mesh convert quad.obj quad.ply"), 0);
    check_has(out, "lost: 4 normals of corners, 1 groups of faces, smoothing groups\n");
    check_code(sinew("mesh convert quad.obj quad.stl"), 0);
    check_has(out, "lost: polygons (they are triangles now), 4 texture coordinates of corners, 4 normals of corners, "
                   "1 groups of faces, smoothing groups, colours\n");
    check_code(sinew("mesh remesh quad.obj -o even.obj --edge 0.4"), 0);
    check_has(out, "lost               polygons (they are triangles now), 4 texture coordinates of corners, 4 normals");
    check_code(sinew("mesh repair quad.obj -o fine.obj"), 0);
    check_has(out, "lost               polygons (they are triangles now), 4 texture coordinates of corners, 4 normals");
    check_code(sinew("mesh make box --cells 1,1,1 -o box.msh"), 0);
    check_code(sinew("mesh tet box.msh -o tet.msh --edge 0.1 --grade 4"), 0);
    check_code(sinew("mesh tet box.msh -o tet.msh --edge 0.1 --grade 0.5"), 2);
    check_has(err, "--grade");
    check_code(sinew("mesh tet box.msh -o tet.msh --grade 2 --with gmsh"), 2);
    check_has(err, "not of gmsh");
    check_code(sinew("mesh convert box.msh box.ply"), 0);
    check_has(out, "box.ply: 8 nodes, 0 tetrahedra, 12 triangles, 0 edges\n");
    check_has(out, "lost: 6 tetrahedra (their surface is there)");
    check_code(sinew("mesh make box --cells 1,1,1 -o box.obj"), 0);
    check_has(out, "box.obj: 8 nodes, 0 tetrahedra, 12 triangles, 0 edges\n");
    check_code(sinew("mesh raise box.msh -o ten.msh"), 0);
    check_code(sinew("mesh convert ten.msh ten.obj"), 0);
    check_has(out, "lost: 6 tetrahedra (their surface is there)");
    check_code(sinew("mesh convert quad.obj quad.usda"), 2);
    check_has(err, "can only be read");
}

// What is exported is read again: bodies and obstacles of VTU files, time samples of USD as the motion of an obstacle.
static void test_there_and_back(void** state)
{
    (void)state;
    write_text("drop.yaml",
               "time: {step: 0.02, frames: 2}\nbodies:\n  - name: b\n    mesh: {box: {size: [1, 1, 1], cells: "
               "[1, 1, 1]}}\n    place: {move: [0, 1, 0]}\n    material: {young: 1e5}\n"
               "obstacles:\n  - {type: box, size: [2, 0.2, 2], centre: [0.5, 0, 0.5]}\n");
    check_code(sinew("run drop.yaml -o drop.run --quiet"), 0);
    check_code(sinew("export drop.run --to vtu --what all -o out"), 0);
    check_code(sinew("mesh info out/drop.0002.vtu"), 0);
    check_has(out, "nodes              16");
    check_has(out, "tetrahedra         6, 1 m3");
    check_has(out, "triangles          12");
    check_has(out, "\"volume_ratio\": 1 per element");
    check_code(sinew("export drop.run --to csv --what all -o out"), 0);
    char* csv = read_text("out/drop.csv");
    assert_int_equal(count_of(csv, "\n"), 1 + 3 * 16);
    free(csv);
    check_code(sinew("export drop.run --to usda --what bodies -o out"), 0);
    write_text("again.yaml",
               "time: {step: 0.02, frames: 2}\nbodies:\n  - {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, "
               "place: {move: [0, 5, 0]}, material: {young: 1e5}}\nobstacles:\n"
               "  - {type: mesh, mesh: {file: out/drop.usda}, motion: {cache: out/drop.usda}}\n");
    check_code(sinew("run again.yaml -o again.run --quiet"), 0);
    check_code(sinew("export again.run --to obj --what all -o out"), 0);
    check_code(sinew("export drop.run --to obj --what bodies -o out"), 0);
    check_code(sinew("mesh info out/drop.0002.obj"), 0);
    char* bounds = strdup(strstr(out, "bounds"));
    *strchr(bounds, '\n') = 0;
    check_code(sinew("mesh info out/again.0002.obj"), 0);
    assert_null(strstr(out, bounds)); // with the body above it
    char* low = strchr(bounds, '[');
    *strchr(low, ']') = 0; // its lowest corner is the obstacle's
    check_has(out, low);
    free(bounds);
}

// Other programs that make solids: missing, not to be run, failing, killed, without a result, and with one.
static void test_other_programs(void** state)
{
    (void)state;
    static const struct {
        const char *with, *script;
        int mode, code;
        const char* says;
    } rows[] = {{"gmsh", NULL, 0, 2, "gmsh is not installed"},
                {"tetgen", "", 0644, 2, "cannot be run"},
                {"gmsh", "exit 3", 0755, 2, "gmsh failed on it (exit 3)"},
                {"tetgen", "kill -9 $$", 0755, 2, "tetgen failed on it (signal 9)"},
                {"gmsh", "cp \"$SURFACE\" out.msh", 0755, 2, "gmsh made no tetrahedra"},
                {"gmsh", "cp \"$SOLID\" out.msh", 0755, 0, "tetrahedra"}};
    char here[1000], script[2000], path[1100];
    check(getcwd(here, sizeof here) != NULL);
    write_text("open.obj", open_cube);
    check_code(sinew("mesh fill open.obj -o closed.obj"), 0);
    check_code(sinew("mesh convert closed.obj surface.msh"), 0);
    check_code(sinew("mesh make box --cells 1,1,1 -o solid.msh"), 0);
    char* before = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s/bin", here);
    check(mkdir("bin", 0755) == 0);
    setenv("PATH", path, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unlink("bin/gmsh"), unlink("bin/tetgen");
        snprintf(path, sizeof path, "bin/%s", rows[i].with);
        snprintf(script, sizeof script,
                 "#!/bin/sh\nPATH=/bin:/usr/bin\nSURFACE=%.900s/surface.msh\nSOLID=%.900s/solid.msh\n%s\n", here, here,
                 rows[i].script ? rows[i].script : "");
        if (rows[i].script) write_text(path, script), check(chmod(path, (mode_t)rows[i].mode) == 0);
        int code = sinew("mesh tet closed.obj -o made.msh --with %s", rows[i].with);
        if (code != rows[i].code || !strstr(code ? err : out, rows[i].says))
            fail_msg("%s: %d: %s%s", rows[i].says, code, out, err);
    }
    setenv("PATH", before, 1);
    free(before);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_surface_to_solid), cmocka_unit_test(test_repairs),        cmocka_unit_test(test_conversions),
    cmocka_unit_test(test_other_programs),   cmocka_unit_test(test_there_and_back),
};
RUN_TESTS(tests, set_up, tear_down)
