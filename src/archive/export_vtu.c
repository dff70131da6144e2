// VTK's unstructured grid (.vtu), a file per frame with every node and element, and a .pvd that lists them with their
// times. The arrays follow the XML as raw bytes, each after its length as UInt64 (VTK file formats, "appended data").
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "archive/export_job.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

// One kind of element: where a body keeps it and what VTK calls it.
typedef struct Kind {
    int corners;
    uint8_t vtk_type;
    size_t count, elements; // offsets in SnBodyInfo
} Kind;

#define KEPT(count, elements) offsetof(SnBodyInfo, count), offsetof(SnBodyInfo, elements)
static const Kind kinds[] = {
    {4, 10, KEPT(tetrahedron_count, tetrahedra)}, // VTK_TETRA
    {3, 5, KEPT(triangle_count, triangles)},      // VTK_TRIANGLE
    {2, 3, KEPT(edge_count, edges)},              // VTK_LINE
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int count_of(const Kind* kind, const SnBodyInfo* body)
{
    return *(const int*)((const char*)body + kind->count);
}

typedef struct Sizes {
    uint64_t cells, corners;
} Sizes;

static Sizes count_cells(const SnExport* job)
{
    Sizes sizes = {0, 0};
    for (int b = 0; b < job->body_count; b++)
        for (int k = 0; k < KINDS; k++) {
            uint64_t count = (uint64_t)count_of(&kinds[k], &job->bodies[b]);
            sizes.cells += count;
            sizes.corners += count * (uint64_t)kinds[k].corners;
        }
    return sizes;
}

// --- the arrays, in the order of the file ---

static void write_points(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fwrite(frame->positions, 3 * sizeof(double), (size_t)job->node_count, file);
}

static void write_velocities(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fwrite(frame->velocities, 3 * sizeof(double), (size_t)job->node_count, file);
}

static void write_corners(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    for (int b = 0; b < job->body_count; b++)
        for (int k = 0; k < KINDS; k++) {
            const SnBodyInfo* body = &job->bodies[b];
            const int* nodes = *(const int* const*)((const char*)body + kinds[k].elements);
            size_t count = (size_t)count_of(&kinds[k], body) * (size_t)kinds[k].corners;
            for (size_t i = 0; i < count; i++) {
                int32_t node = body->first_node + nodes[i];
                fwrite(&node, sizeof node, 1, file);
            }
        }
}

static void write_offsets(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    int64_t end = 0;
    for (int b = 0; b < job->body_count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < count_of(&kinds[k], &job->bodies[b]); i++) {
                end += kinds[k].corners;
                fwrite(&end, sizeof end, 1, file);
            }
}

static void write_types(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    for (int b = 0; b < job->body_count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < count_of(&kinds[k], &job->bodies[b]); i++) fputc(kinds[k].vtk_type, file);
}

static void write_body_numbers(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    for (int32_t b = 0; b < job->body_count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < count_of(&kinds[k], &job->bodies[b]); i++) fwrite(&b, sizeof b, 1, file);
}

typedef struct Array {
    const char* section; // the XML element it is in
    const char* attributes;
    bool per_node, per_corner; // neither: per cell
    unsigned size;             // bytes of each
    void (*write)(FILE* file, const SnExport* job, const SnExportFrame* frame);
} Array;

static const Array arrays[] = {
    {"Points", "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", true, false, 24, write_points},
    {"Cells", "type=\"Int32\" Name=\"connectivity\"", false, true, 4, write_corners},
    {"Cells", "type=\"Int64\" Name=\"offsets\"", false, false, 8, write_offsets},
    {"Cells", "type=\"UInt8\" Name=\"types\"", false, false, 1, write_types},
    {"PointData", "type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\"", true, false, 24, write_velocities},
    {"CellData", "type=\"Int32\" Name=\"body\"", false, false, 4, write_body_numbers},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static uint64_t array_bytes(const SnExport* job, const Array* array)
{
    Sizes sizes = count_cells(job);
    uint64_t items = array->per_node ? (uint64_t)job->node_count : array->per_corner ? sizes.corners : sizes.cells;
    return items * array->size;
}

static void write_section(FILE* file, const SnExport* job, const char* section, const char* attributes)
{
    fprintf(file, "      <%s%s>\n", section, attributes);
    uint64_t offset = 0;
    for (int a = 0; a < ARRAYS; a++) {
        if (!strcmp(arrays[a].section, section))
            fprintf(file, "        <DataArray %s format=\"appended\" offset=\"%llu\"/>\n", arrays[a].attributes,
                    (unsigned long long)offset);
        offset += sizeof(uint64_t) + array_bytes(job, &arrays[a]);
    }
    fprintf(file, "      </%s>\n", section);
}

static void write(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n  <UnstructuredGrid>\n",
          file);
    fprintf(file,
            "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray>\n    </FieldData>\n",
            frame->time);
    fprintf(file, "    <Piece NumberOfPoints=\"%d\" NumberOfCells=\"%llu\">\n", job->node_count,
            (unsigned long long)count_cells(job).cells);
    write_section(file, job, "PointData", " Vectors=\"velocity\"");
    write_section(file, job, "CellData", " Scalars=\"body\"");
    write_section(file, job, "Points", "");
    write_section(file, job, "Cells", "");
    fputs("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_", file);
    for (int a = 0; a < ARRAYS; a++) {
        uint64_t bytes = array_bytes(job, &arrays[a]);
        fwrite(&bytes, sizeof bytes, 1, file);
        arrays[a].write(file, job, frame);
    }
    fputs("\n  </AppendedData>\n</VTKFile>\n", file);
}

// --- the list of frames ---

static void write_escaped(FILE* file, const char* text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        default: fputc(*text, file);
        }
}

static void write_list_end(SnExport* job)
{
    job->tail = ftell(job->stream);
    fputs("  </Collection>\n</VTKFile>\n", job->stream);
}

static SnStatus begin(SnExport* job)
{
    SN_TRY(sn_export_open_stream(job, "pvd"));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
          "  <Collection>\n",
          job->stream);
    write_list_end(job);
    return sn_export_flush_stream(job);
}

// The list is complete after every frame, so that a run that writes frames as it goes can be watched.
static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    SN_TRY(sn_export_frame_file(job, frame, "vtu", write));
    if (job->tail < 0 || fseek(job->stream, job->tail, SEEK_SET) != 0)
        return sn_fail(SN_ERROR_FILE, "%s: cannot be written: not a file on a disk", job->stream_path);
    fprintf(job->stream, "    <DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"", frame->time);
    write_escaped(job->stream, job->name);
    fprintf(job->stream, ".%04d.vtu\"/>\n", frame->number);
    write_list_end(job);
    return sn_export_flush_stream(job);
}

const SnExporter sn_export_vtu = {
    .name = "vtu",
    .summary = "VTK for ParaView, a file per frame and a .pvd: all elements, velocities, body numbers",
    .begin = begin,
    .frame = frame,
};
