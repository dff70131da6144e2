// Mesh files of every format: the first byte chooses it, the rest is the file. What is read is checked and written.
#include "mesh/mesh.h"
#include "fuzz.h"
#include "mesh/elements.h"

void fuzz_mesh(const uint8_t* bytes, size_t size);

void fuzz_mesh(const uint8_t* bytes, size_t size)
{
    if (size < 1) return;
    int formats = 0;
    while (sn_mesh_format_at(formats)) formats++;
    const SnMeshFormat* format = sn_mesh_format_at(bytes[0] % formats);
    if (!format->read) return;
    SnBudget budget;
    fuzz_begin(&budget);
    SnMesh* mesh = NULL;
    SnMeshCheck check;
    SnMeshMeasure measure;
    if (format->read(fuzz_bytes(bytes + 1, size - 1), &mesh) == SN_OK) {
        FUZZ_CHECK(mesh);
        sn_mesh_fix_handedness(mesh);
        sn_mesh_measure(mesh, &measure);
        if (sn_mesh_check(mesh, &check) == SN_OK) sn_mesh_check_fatal(&check);
    } else
        FUZZ_CHECK(*sn_last_error());
    sn_mesh_destroy(mesh);
    fuzz_end(&budget);
}
