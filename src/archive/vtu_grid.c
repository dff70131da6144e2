// Files of VTK's unstructured grids.
#include "archive/vtu_grid.h"

#include <string.h>

static uint64_t array_bytes(const SnVtuGrid* grid, const SnVtuArray* array)
{
    return grid->counts[array->per] * array->size;
}

static void write_section(FILE* file, const SnVtuGrid* grid, const char* section, const char* attributes)
{
    fprintf(file, "      <%s%s>\n", section, attributes);
    uint64_t offset = 0;
    for (int a = 0; a < grid->array_count; a++) {
        const SnVtuArray* array = &grid->arrays[a];
        if (!strcmp(array->section, section))
            fprintf(file, "        <DataArray %s format=\"appended\" offset=\"%llu\"/>\n", array->attributes,
                    (unsigned long long)offset);
        offset += sizeof(uint64_t) + array_bytes(grid, array);
    }
    fprintf(file, "      </%s>\n", section);
}

void sn_vtu_write(FILE* file, const SnVtuGrid* grid, const SnExport* job, const SnExportFrame* frame)
{
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n  <UnstructuredGrid>\n",
          file);
    fprintf(file,
            "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray>\n    </FieldData>\n",
            frame->time);
    fprintf(file, "    <Piece NumberOfPoints=\"%llu\" NumberOfCells=\"%llu\">\n",
            (unsigned long long)grid->counts[SN_VTU_POINT], (unsigned long long)grid->counts[SN_VTU_CELL]);
    write_section(file, grid, "PointData", grid->point_default);
    write_section(file, grid, "CellData", grid->cell_default);
    write_section(file, grid, "Points", "");
    write_section(file, grid, "Cells", "");
    fputs("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_", file);
    for (int a = 0; a < grid->array_count; a++) {
        uint64_t bytes = array_bytes(grid, &grid->arrays[a]);
        fwrite(&bytes, sizeof bytes, 1, file);
        grid->arrays[a].write(file, job, frame);
    }
    fputs("\n  </AppendedData>\n</VTKFile>\n", file);
}

// --- lists of pieces and of frames ---

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

static void write_piece_section(FILE* file, const SnVtuGrid* grid, const char* section, const char* attributes)
{
    fprintf(file, "    <P%s%s>\n", section, attributes);
    for (int a = 0; a < grid->array_count; a++)
        if (!strcmp(grid->arrays[a].section, section))
            fprintf(file, "      <PDataArray %s/>\n", grid->arrays[a].attributes);
    fprintf(file, "    </P%s>\n", section);
}

void sn_vtu_write_pieces(FILE* file, const SnVtuGrid* grid, const SnExport* job, const SnExportFrame* frame)
{
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n  <PUnstructuredGrid GhostLevel=\"0\">\n",
          file);
    write_piece_section(file, grid, "PointData", grid->point_default);
    write_piece_section(file, grid, "CellData", grid->cell_default);
    write_piece_section(file, grid, "Points", "");
    for (int i = 0; i < job->def.piece_count; i++) {
        fputs("    <Piece Source=\"", file);
        write_escaped(file, job->name);
        fprintf(file, ".%04d.p%d.vtu\"/>\n", frame->number, i);
    }
    fputs("  </PUnstructuredGrid>\n</VTKFile>\n", file);
}

static void write_list_end(SnExport* job)
{
    job->tail = ftell(job->stream);
    fputs("  </Collection>\n</VTKFile>\n", job->stream);
}

SnStatus sn_vtu_begin(SnExport* job)
{
    if (job->def.piece > 0) return SN_OK;
    SN_TRY(sn_export_open_stream(job, "pvd"));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
          "  <Collection>\n",
          job->stream);
    write_list_end(job);
    return sn_export_flush_stream(job);
}

static SnStatus write_files(SnExport* job, const SnExportFrame* frame, SnVtuWrite* write, SnVtuWrite* write_pieces)
{
    char ending[32] = "vtu";
    if (job->def.piece_count > 0) snprintf(ending, sizeof ending, "p%d.vtu", job->def.piece);
    SN_TRY(sn_export_frame_file(job, frame, ending, write));
    if (job->def.piece_count == 0 || job->def.piece > 0) return SN_OK;
    return sn_export_frame_file(job, frame, "pvtu", write_pieces);
}

// The list is complete after every frame, so that a run that writes frames as it goes can be watched.
SnStatus sn_vtu_frame(SnExport* job, const SnExportFrame* frame, SnVtuWrite* write, SnVtuWrite* write_pieces)
{
    SN_TRY(write_files(job, frame, write, write_pieces));
    if (job->def.piece > 0) return SN_OK;
    if (job->tail < 0 || fseek(job->stream, job->tail, SEEK_SET) != 0)
        return sn_fail(SN_ERROR_FILE, "%s: cannot be written: not a file on a disk", job->stream_path);
    fprintf(job->stream, "    <DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"", frame->time);
    write_escaped(job->stream, job->name);
    fprintf(job->stream, ".%04d.%s\"/>\n", frame->number, job->def.piece_count > 0 ? "pvtu" : "vtu");
    write_list_end(job);
    return sn_export_flush_stream(job);
}
