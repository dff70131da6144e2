// Files that are wrong: what is said about them, and that nothing worse happens.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/random.h"
#include "files.h"
#include "fixtures.h"
#include "mesh/mesh.h"

static void test_path_errors(void** state)
{
    (void)state;
    SnMesh* mesh;
    check_fails(sn_mesh_load("a.mhs", &mesh), SN_ERROR_UNSUPPORTED, "a.mhs", "did you mean '.msh'", ".node", ".stl");
    check_fails(sn_mesh_load("folder.x/mesh", &mesh), SN_ERROR_UNSUPPORTED, "unknown mesh ending ''", "known are .msh");
    check_fails(sn_mesh_save(NULL, "a.step"), SN_ERROR_UNSUPPORTED, "unknown mesh ending '.step'");
    check_fails(sn_mesh_load("/nowhere/x.msh", &mesh), SN_ERROR_FILE, "/nowhere/x.msh", "No such file");
    assert_int_equal(mkdir(path_of(".obj"), 0700), 0);
    check_fails(sn_mesh_load(path_of(".obj"), &mesh), SN_ERROR_FILE, "not a regular file");
    rmdir(path_of(".obj"));
    unlink(path_of(".ele"));
    check_fails(load_text(".node", "0 3 0 0\n", &mesh), SN_ERROR_FILE, "file.ele: cannot be opened");
    assert_null(mesh);
    assert_ptr_equal(sn_mesh_format_of("X.OBJ"), sn_mesh_format_of("y.obj"));
}

#define MSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define MSH_NODES MSH "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define MEDIT "MeshVersionFormatted 1\nDimension 3\n"
#define VTK "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
#define PLY "ply\nformat ascii 1.0\n"

static const struct {
    const char *ending, *text;
    SnStatus status;
    const char *line, *message; // the line as ":N:"
} mistakes[] = {
    {".msh", "", SN_ERROR_FORMAT, ":1:", "the file ends where a section"},
    {".msh", "(1 \"a mesh\")\n", SN_ERROR_FORMAT, ":1:", "ANSYS's format"},
    {".msh", "hello\n", SN_ERROR_FORMAT, ":1:", "$MeshFormat should be here"},
    {".msh", "$NOD\n", SN_ERROR_FORMAT, ":1:", "older versions must be converted"},
    {".msh", "$MeshFormat\n3 0 8\n", SN_ERROR_UNSUPPORTED, ":2:", "2.2, 4.0 and 4.1"},
    {".msh", MSH "$Nodes\n2\n1 0 0 0\n2 1 zero 0\n", SN_ERROR_FORMAT, ":7:", "not 'zero'"},
    {".msh", MSH "$Nodes\n2000000000\n", SN_ERROR_FORMAT, ":5:", "outside 0 .."},
    {".msh", MSH "$Nodes\n20000000\n1 0 0 0\n", SN_ERROR_FORMAT, ":5:", "20000000 nodes are announced"},
    {".msh", MSH "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", SN_ERROR_FORMAT, ":7:", "two nodes have the tag 1"},
    {".msh", MSH "$Elements\n0\n$EndElements\n", SN_ERROR_FORMAT, ":4:", "$Elements before $Nodes"},
    {".msh", MSH_NODES "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements\n", SN_ERROR_FORMAT, ":13:", "names node 5"},
    {".msh", MSH_NODES "$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n$EndElements\n", SN_ERROR_UNSUPPORTED,
     ":13:", "hexahedra); points, lines, triangles and tetrahedra"},
    {".msh", MSH_NODES "$Elements\n1\n1 29 0 1 2 3 4 1 2 3 4 1 2 3 4 1 2 3 4 1 2 3 4\n$EndElements\n",
     SN_ERROR_UNSUPPORTED, ":15:", "higher order"},
    {".msh", MSH_NODES "$Elements\n1\n1 4 0 1 2 3 4\n$EndNodes\n", SN_ERROR_FORMAT,
     ":14:", "$EndElements should be here"},
    {".msh", MSH_NODES "$Extra\n", SN_ERROR_FORMAT, ":11:", "not ended by $EndExtra"},
    {".msh", MSH41 "$Nodes\n1 3 1 3\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n", SN_ERROR_FORMAT,
     ":10:", "3 nodes are announced, but the blocks have 2"},
    {".msh", MSH41 "$Nodes\n1 3 1 3\n3 1 0 99999999999\n1\n2\n", SN_ERROR_FORMAT, ":6:", "99999999999 nodes"},
    {".mesh", "Vertices\n", SN_ERROR_FORMAT, ":1:", "MeshVersionFormatted"},
    {".mesh", MEDIT "Vertices\n1\n0 0\n\nEnd\n", SN_ERROR_FORMAT,
     ":7:", "a vertex's coordinate should be here, not 'End'"},
    {".mesh", MEDIT "Vertices\n1\n0 0 0 0\nTetrahedra\n1\n1 1 1 2 0\nEnd\n", SN_ERROR_FORMAT,
     ":8:", "there are 1 nodes"},
    {".mesh", MEDIT "Vertices\n1\n0 0 0 0\nEdges\n1\n0 1 0\n", SN_ERROR_FORMAT, ":8:", "counted from 1) is 0"},
    {".mesh", MEDIT "Hexahedra\n1\n1 2 3 4 5 6 7 8 0\n", SN_ERROR_UNSUPPORTED, ":3:", "Hexahedra"},
    {".mesh", MEDIT "End\n", SN_ERROR_FORMAT, ":4:", "no nodes"},
    {".mesh", MEDIT "5\n", SN_ERROR_FORMAT, ":3:", "a keyword such as Vertices"},
    {".node", "2 3 0 0\n1 0 0 0\n3 0 0 0\n", SN_ERROR_FORMAT, ":3:", "in order, is 3, outside 2 .. 2"},
    {".node", "1 2 0 0\n1 0 0\n", SN_ERROR_FORMAT, ":1:", "the dimension is 2"},
    {".vtk", "nothing", SN_ERROR_FORMAT, ":1:", "# vtk DataFile Version"},
    {".vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n", SN_ERROR_UNSUPPORTED,
     ":4:", "UNSTRUCTURED_GRID and POLYDATA"},
    {".vtk", VTK "CELLS 1 4\n3 0 1 3\nCELL_TYPES 1\n5\n", SN_ERROR_FORMAT, ":11:", "node 3"},
    {".vtk", VTK "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n12\n", SN_ERROR_UNSUPPORTED, ":11:", "cell 0 has type 12"},
    {".vtk", VTK "CELLS 1 4\n3 0 1 2\n", SN_ERROR_FORMAT, ":9:", "1 cells, but 0 CELL_TYPES"},
    {".vtk", VTK "CELLS 1 4\n9 0 1 2\n", SN_ERROR_FORMAT, ":8:", "a cell of 9 nodes"},
    {".vtk", VTK "PIONTS\n", SN_ERROR_FORMAT, ":7:", "'PIONTS' where POINTS"},
    {".obj", "v 0 0 0\nv 1 0\n", SN_ERROR_FORMAT, ":2:", "three coordinates, not 2"},
    {".obj", "v 0 0 0\nf 1 2 1\n", SN_ERROR_FORMAT, ":2:", "names node 1 (counted from 0), but there are 1"},
    {".obj", "v 0 0 0\n\nf 1 -2 1\n", SN_ERROR_FORMAT, ":3:", "a vertex number should be here"},
    {".obj", "v 0 0 0\nf 1 1\n", SN_ERROR_FORMAT, ":2:", "2 vertices where at least 3"},
    {".obj", "v 0 0 0\nf 1 1 99999999999999999999\n", SN_ERROR_FORMAT, ":2:", "a vertex number should be here"},
    {".obj", "# nothing\n", SN_ERROR_FORMAT, ":2:", "no nodes"},
    {".ply", "plyx\n", SN_ERROR_FORMAT, ":1:", "starts with 'ply'"},
    {".ply", PLY "element vertex 1\nproperty real x\n", SN_ERROR_FORMAT, ":4:", "not 'real'"},
    {".ply", PLY "element vertex 1\nproperty float x\nend_header\n1\n", SN_ERROR_FORMAT, ":3:", "x, y and z"},
    {".ply", PLY "property float x\n", SN_ERROR_FORMAT, ":3:", "a property before any element"},
    {".ply", "ply\nformat binary 1.0\n", SN_ERROR_FORMAT, ":2:", "binary_little_endian"},
    {".ply", PLY "element face 1\nproperty list int int vertex_indices\nend_header\n3000000 1 2 3\n", SN_ERROR_FORMAT,
     ":6:", "3000000 list items"},
    {".stl", "solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nendloop\nendfacet\n", SN_ERROR_FORMAT,
     ":6:", "a facet of 1 vertices"},
    {".stl", "solid x\nface\n", SN_ERROR_FORMAT, ":2:", "facet or endsolid"},
    {".stl", "sold", SN_ERROR_FORMAT, ": byte 4:", "starts with 'solid'"},
};

static void test_format_errors(void** state)
{
    (void)state;
    save_text(".ele", "0 4 0\n");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        SnMesh* mesh;
        save_text(mistakes[i].ending, mistakes[i].text);
        check_fails(sn_mesh_load(path_of(mistakes[i].ending), &mesh), mistakes[i].status, path_of(mistakes[i].ending),
                    mistakes[i].line, mistakes[i].message);
        assert_null(mesh);
    }
    SnMesh* mesh;
    Bytes binary = {0};
    make_gmsh_41LITTLE(&binary);
    save_bytes(".msh", binary.data, binary.size / 2);
    check_fails(sn_mesh_load(path_of(".msh"), &mesh), SN_ERROR_FORMAT, "file.msh: byte ", "file");
    free(binary.data);
}

// Live bytes of the library, and the most there were.
typedef struct Meter {
    SnAllocator allocator;
    size_t live, peak;
} Meter;

static void* metered_allocate(void* user, size_t bytes, size_t alignment)
{
    Meter* meter = user;
    meter->live += bytes;
    if (meter->live > meter->peak) meter->peak = meter->live;
    return meter->live > 64u << 20 ? NULL : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void metered_release(void* user, void* block, size_t bytes)
{
    ((Meter*)user)->live -= bytes;
    free(block);
}

// Loads the file there: a usable mesh, or an error that names the file; memory in proportion to its size.
static void check_survives(const Fixture* fixture, size_t size, const char* what, long which)
{
    Meter meter = {{NULL, metered_allocate, metered_release}, 0, 0};
    meter.allocator.user = &meter;
    sn_thread_set_allocator(&meter.allocator);
    SnMesh* mesh = NULL;
    SnStatus status = sn_mesh_load(path_of(fixture->ending), &mesh);
    char stem[64];
    snprintf(stem, sizeof stem, "%s/file", folder);
    if (meter.peak > (64u << 10) + 200 * size)
        fail_msg("%s, %s %ld: %zu bytes of memory for a file of %zu", fixture->name, what, which, meter.peak, size);
    if (status == SN_OK)
        check_usable(mesh);
    else if (mesh || status == SN_ERROR_MEMORY || !strstr(sn_last_error(), stem))
        fail_msg("%s, %s %ld: %s: %s", fixture->name, what, which, sn_status_name(status), sn_last_error());
    sn_mesh_destroy(mesh);
    if (meter.live != 0) fail_msg("%s, %s %ld: %zu bytes leaked", fixture->name, what, which, meter.live);
    sn_thread_set_allocator(NULL);
}

// Thousands of files, one after the other in the same place: opened once, since closing can mean a wait for the disk.
static void rewrite(int file, const char* data, size_t size)
{
    assert_int_equal(size ? pwrite(file, data, size, 0) : 0, size);
    assert_int_equal(ftruncate(file, (off_t)size), 0);
}

static void test_truncated(void** state)
{
    (void)state;
    for (int f = 0; f < FIXTURES; f++) {
        Bytes bytes;
        save_fixture(&fixtures[f], &bytes);
        int file = open(path_of(fixtures[f].ending), O_RDWR);
        for (size_t size = bytes.size; size-- > 0;) {
            rewrite(file, bytes.data, size);
            check_survives(&fixtures[f], size, "truncated to", (long)size);
        }
        close(file);
        free(bytes.data);
    }
}

static size_t below(SnRandom* random, size_t limit)
{
    return (size_t)(sn_random_bits(random) % (limit ? limit : 1));
}

// Puts `insert` in the place of `removed` bytes.
static void replace(Bytes* b, size_t at, size_t removed, const void* insert, size_t inserted)
{
    Bytes result = {0};
    if (at > b->size) at = b->size;
    if (removed > b->size - at) removed = b->size - at;
    put(&result, b->data, at);
    put(&result, insert, inserted);
    put(&result, b->data + at + removed, b->size - at - removed);
    free(b->data);
    *b = result;
}

static void corrupt(Bytes* b, SnRandom* random)
{
    static const char* const numbers[] = {
        "2147483647", "2147483648", "99999999999999999999", "-1",          "0",       "nan",
        "1e999",      "268435455",  "18446744073709551615", "-2147483648", "1000000", "-9223372036854775808"};
    static const unsigned char patterns[][8] = {{255, 255, 255, 255, 255, 255, 255, 255},
                                                {255, 255, 255, 127, 0, 0, 0, 0},
                                                {0, 0, 0, 0, 127, 255, 255, 255},
                                                {0, 0, 0, 128, 0, 0, 0, 128},
                                                {0, 0, 0, 0, 0, 0, 0, 0}};
    size_t at = below(random, b->size);
    char copied[64];
    switch (below(random, 6)) {
    case 0: b->data[at] = (char)sn_random_bits(random); break;
    case 1: b->data[at] ^= (char)(1 << below(random, 8)); break;
    case 2: { // a number for another
        while (at < b->size && !(b->data[at] >= '0' && b->data[at] <= '9')) at++;
        size_t end = at;
        while (end < b->size && b->data[end] >= '0' && b->data[end] <= '9') end++;
        const char* number = numbers[below(random, sizeof numbers / sizeof *numbers)];
        replace(b, at, end - at, number, strlen(number));
        break;
    }
    case 3: replace(b, at, below(random, 2) ? 4 : 8, patterns[below(random, 5)], below(random, 2) ? 4 : 8); break;
    case 4: replace(b, at, below(random, 64), "", 0); break;
    case 5: {
        size_t length = below(random, sizeof copied);
        if (length > b->size - at) length = b->size - at;
        memcpy(copied, b->data + at, length);
        replace(b, below(random, b->size), 0, copied, length);
        break;
    }
    }
}

static void test_corrupted(void** state)
{
    (void)state;
    const char* wish = getenv("SINEW_FUZZ"); // a larger number of rounds
    int rounds = wish ? atoi(wish) : 400;
    for (int f = 0; f < FIXTURES; f++) {
        Bytes original;
        save_fixture(&fixtures[f], &original);
        int file = open(path_of(fixtures[f].ending), O_RDWR);
        SnRandom random = {(uint64_t)f + 1};
        for (int round = 0; round < rounds; round++) {
            Bytes bytes = {0};
            put(&bytes, original.data, original.size);
            for (int n = (int)below(&random, 3); n >= 0 && bytes.size > 0; n--) corrupt(&bytes, &random);
            rewrite(file, bytes.data, bytes.size);
            check_survives(&fixtures[f], bytes.size, "corruption", round);
            free(bytes.data);
        }
        close(file);
        free(original.data);
    }
}

static void test_memory_failures(void** state)
{
    (void)state;
    for (int f = 0; f < FIXTURES; f++) {
        Bytes bytes;
        save_fixture(&fixtures[f], &bytes);
        SnStatus status = SN_ERROR_MEMORY;
        for (long n = 0; status != SN_OK; n++) {
            FailingMemory memory;
            start_failing(&memory, n);
            SnMesh* mesh = NULL;
            status = sn_mesh_load(path_of(fixtures[f].ending), &mesh);
            if (status != SN_OK &&
                (status != SN_ERROR_MEMORY || mesh || memory.live || !strstr(sn_last_error(), folder)))
                fail_msg("%s, allocation %ld: %s: %s, %ld blocks live", fixtures[f].name, n, sn_status_name(status),
                         sn_last_error(), memory.live);
            if (status == SN_OK) assert_true(n > 3);
            sn_mesh_destroy(mesh);
            stop_failing(&memory);
        }
        free(bytes.data);
    }
}

// Makes a shape, checks it, takes its surface and saves it in every format.
static SnStatus use_all(const SnShape* shape, SnMesh** mesh)
{
    SnShapeDef def = {0};
    sn_parameters_default(shape->parameters, &def);
    for (int i = 0; i < 3 && def.cells[0] < 24; i++) def.cells[i] = 3; // the creature has no fewer than its default
    SnMeshCheck found;
    int *triangles, count;
    SN_TRY(shape->make(&def, mesh));
    SN_TRY(sn_mesh_check(*mesh, &found));
    SN_TRY(sn_mesh_surface(*mesh, &triangles, &count));
    sn_free(triangles);
    static const char* const endings[] = {".msh", ".mesh", ".vtk", ".obj", ".ply", ".ele", ".stl"};
    for (int i = 0; i < ((*mesh)->tetrahedron_count ? 7 : 5); i++) SN_TRY(sn_mesh_save(*mesh, path_of(endings[i])));
    return SN_OK;
}

static void test_memory_failures_elsewhere(void** state)
{
    (void)state;
    for (int s = 0; sn_shape_at(s); s++) {
        if (strcmp(sn_shape_at(s)->name, "torus") == 0) continue; // needs more cells; as the cylinder
        SnStatus status = SN_ERROR_MEMORY;
        for (long n = 0; status != SN_OK; n++) {
            FailingMemory memory;
            start_failing(&memory, n);
            SnMesh* mesh = NULL;
            status = use_all(sn_shape_at(s), &mesh);
            if (status != SN_OK && status != SN_ERROR_MEMORY) fail_msg("%s: %s", sn_shape_at(s)->name, sn_last_error());
            sn_mesh_destroy(mesh);
            stop_failing(&memory);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_path_errors),     cmocka_unit_test(test_format_errors),
    cmocka_unit_test(test_truncated),       cmocka_unit_test(test_corrupted),
    cmocka_unit_test(test_memory_failures), cmocka_unit_test(test_memory_failures_elsewhere),
};
RUN_TESTS(tests, make_folder, remove_folder)
