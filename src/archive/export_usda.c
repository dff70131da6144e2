// USD as text: one stage with a Mesh for each body and obstacle, BasisCurves for ropes, time samples of points and
// velocities, a UsdPreviewSurface material each, and a camera; groups of faces as GeomSubsets. Time codes are frames.
#include <math.h>

#include "archive/export_job.h"
#include "core/pi.h"

typedef void WritePart(FILE* file, const SnExportMesh* mesh, const float* points);

static void write_triple(FILE* file, const float x[3])
{
    fprintf(file, "(%.9g, %.9g, %.9g)", (double)x[0], (double)x[1], (double)x[2]);
}

// --- time samples ---

static void write_vertices(FILE* file, const SnExportMesh* mesh, const float* x)
{
    fputc('[', file);
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (i) fputs(", ", file);
        write_triple(file, x + 3 * (size_t)i);
    }
    fputc(']', file);
}

// Both ends of each edge: curves of two points.
static void write_edge_ends(FILE* file, const SnExportMesh* mesh, const float* x)
{
    fputc('[', file);
    for (int i = 0; i < 2 * mesh->edge_count; i++) {
        if (i) fputs(", ", file);
        write_triple(file, x + 3 * (size_t)mesh->edges[i]);
    }
    fputc(']', file);
}

static void write_extent(FILE* file, const SnExportMesh* mesh, const float* x)
{
    float lo[3] = {x[0], x[1], x[2]}, hi[3] = {x[0], x[1], x[2]};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        lo[i % 3] = fminf(lo[i % 3], x[i]), hi[i % 3] = fmaxf(hi[i % 3], x[i]);
    fputc('[', file);
    write_triple(file, lo);
    fputs(", ", file);
    write_triple(file, hi);
    fputc(']', file);
}

// An attribute of all frames; those of one frame have no times.
static SnStatus write_samples(FILE* file, SnExport* job, const SnExportMesh* mesh, const char* name, bool velocity,
                              WritePart* write)
{
    float *points = job->record, *velocities = points + 3 * (size_t)mesh->vertex_count;
    fprintf(file, "        %s%s = ", name, job->kept > 1 ? ".timeSamples" : "");
    if (job->kept > 1) fputs("{\n", file);
    for (int i = 0; i < job->kept; i++) {
        SN_TRY(sn_export_kept(job, mesh, i, points, velocity ? velocities : NULL));
        if (job->kept > 1) fprintf(file, "            %.9g: ", sn_export_time_code(job, i));
        write(file, mesh, velocity ? velocities : points);
        fputs(job->kept > 1 ? ",\n" : "\n", file);
    }
    if (job->kept > 1) fputs("        }\n", file);
    return SN_OK;
}

static SnStatus write_moving(FILE* file, SnExport* job, const SnExportMesh* mesh, WritePart* write)
{
    SN_TRY(write_samples(file, job, mesh, "float3[] extent", false, write_extent));
    SN_TRY(write_samples(file, job, mesh, "point3f[] points", false, write));
    return mesh->velocities ? write_samples(file, job, mesh, "vector3f[] velocities", true, write) : SN_OK;
}

// --- prims ---

static void write_numbers(FILE* file, const char* name, int count, const int* values, int same)
{
    fprintf(file, "        int[] %s = [", name);
    for (int i = 0; i < count; i++) fprintf(file, i ? ", %d" : "%d", values ? values[i] : same);
    fputs("]\n", file);
}

static void write_look(FILE* file, const SnExportMesh* mesh)
{
    fputs("        color3f[] primvars:displayColor = [", file);
    if (!mesh->colours) write_triple(file, mesh->colour);
    for (int i = 0; mesh->colours && i < mesh->vertex_count; i++) {
        if (i) fputs(", ", file);
        write_triple(file, mesh->colours + 4 * (size_t)i);
    }
    fprintf(file, "]%s\n        rel material:binding = </World/Materials/%s>\n",
            mesh->colours ? " (\n            interpolation = \"vertex\"\n        )" : "", mesh->name);
}

static void open_prim(FILE* file, const char* type, const char* name, const char* ending)
{
    fprintf(file, "\n    def %s \"%s%s\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n",
            type, name, ending);
}

// A family for each kind; in one of them no face is in two.
static void write_subset(FILE* file, const SnExportMesh* mesh, int group)
{
    static const char* const families[] = {"object", "group", "materialBind"};
    const SnFaceGroup* g = &mesh->skin->faces.groups[group];
    bool material = g->kind == SN_FACE_MATERIAL;
    fprintf(file, "\n        def GeomSubset \"%s\"%s\n        {\n", mesh->words[group],
            material ? " (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )" : "");
    fprintf(file,
            "            uniform token elementType = \"face\"\n            uniform token familyName = \"%s\"\n"
            "            int[] indices = [",
            families[g->kind]);
    const char* between = "";
    for (int i = 0; i < g->count; i++) {
        if (mesh->groups[g->kind][g->faces[i]] != group + 1) continue;
        fprintf(file, "%s%d", between, g->faces[i]);
        between = ", ";
    }
    fputs("]\n", file);
    if (material)
        fprintf(file, "            rel material:binding = </World/GroupMaterials/%s/%s>\n", mesh->name,
                mesh->words[group]);
    fputs("        }\n", file);
}

static int group_count(const SnExportMesh* mesh)
{
    return mesh->skin ? mesh->skin->faces.group_count : 0;
}

static bool has_material(const SnExportMesh* mesh, int group)
{
    return mesh->skin->faces.groups[group].kind == SN_FACE_MATERIAL && sn_export_group_size(mesh, group) > 0;
}

static SnStatus write_mesh(FILE* file, SnExport* job, const SnExportMesh* mesh)
{
    open_prim(file, "Mesh", mesh->name, "");
    fputs("        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1\n", file);
    write_numbers(file, "faceVertexCounts", mesh->face_count, mesh->sizes, 3);
    write_numbers(file, "faceVertexIndices", mesh->corner_count, mesh->corners, 0);
    if (mesh->uv) {
        fputs("        texCoord2f[] primvars:st = [", file);
        for (size_t i = 0; i < (size_t)mesh->corner_count; i++)
            fprintf(file, "%s(%.9g, %.9g)", i ? ", " : "", mesh->uv[2 * i], mesh->uv[2 * i + 1]);
        fputs("] (\n            interpolation = \"faceVarying\"\n        )\n", file);
    }
    write_look(file, mesh);
    SN_TRY(write_moving(file, job, mesh, write_vertices));
    for (int kind = SN_FACE_OBJECT; kind <= SN_FACE_MATERIAL; kind++) // some readers have the last one's look
        for (int g = 0; g < group_count(mesh); g++)
            if ((int)mesh->skin->faces.groups[g].kind == kind && sn_export_group_size(mesh, g) > 0)
                write_subset(file, mesh, g);
    fputs("    }\n", file);
    return SN_OK;
}

// Thin, by the mesh's size at the start.
static SnStatus write_width(FILE* file, SnExport* job, const SnExportMesh* mesh)
{
    SN_TRY(sn_export_kept(job, mesh, 0, job->record, NULL));
    double size = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        size = fmax(size, fabs((double)job->record[i] - (double)job->record[i % 3]));
    fprintf(file, "        float[] widths = [%.6g] (\n            interpolation = \"constant\"\n        )\n",
            0.01 * size);
    return SN_OK;
}

static SnStatus write_curves(FILE* file, SnExport* job, const SnExportMesh* mesh)
{
    open_prim(file, "BasisCurves", mesh->name, mesh->face_count ? "_lines" : "");
    fputs("        uniform token type = \"linear\"\n", file);
    write_numbers(file, "curveVertexCounts", mesh->edge_count, NULL, 2);
    SN_TRY(write_width(file, job, mesh));
    write_look(file, mesh);
    SN_TRY(write_moving(file, job, mesh, write_edge_ends));
    fputs("    }\n", file);
    return SN_OK;
}

// In the scope whose path begins and ends so.
static void write_material(FILE* file, const char* scope, const char* last, const char* name, const float colour[3])
{
    fprintf(file,
            "        def Material \"%s\"\n        {\n"
            "            token outputs:surface.connect = <%s%s/%s/Surface.outputs:surface>\n\n"
            "            def Shader \"Surface\"\n            {\n"
            "                uniform token info:id = \"UsdPreviewSurface\"\n"
            "                color3f inputs:diffuseColor = ",
            name, scope, last, name);
    float linear[3]; // the colour is as a screen shows it; materials have light
    for (int c = 0; c < 3; c++) linear[c] = powf(colour[c], 2.2f);
    write_triple(file, linear);
    fputs("\n                float inputs:roughness = 0.6\n                float inputs:metallic = 0\n"
          "                token outputs:surface\n            }\n        }\n",
          file);
}

// Those of groups look as the mesh does: their names are all that is known of them.
static void write_group_materials(FILE* file, const SnExport* job)
{
    fputs("\n    def Scope \"GroupMaterials\"\n    {\n", file);
    for (int i = 0; i < job->mesh_count; i++) {
        const SnExportMesh* mesh = &job->meshes[i];
        bool any = false;
        for (int g = 0; g < group_count(mesh); g++) {
            if (!has_material(mesh, g)) continue;
            if (!any) fprintf(file, "    def Scope \"%s\"\n    {\n", mesh->name);
            any = true;
            write_material(file, "/World/GroupMaterials/", mesh->name, mesh->words[g], mesh->colour);
        }
        if (any) fputs("    }\n", file);
    }
    fputs("    }\n", file);
}

// Of the rows of a camera's matrix the third is against its view; -0 is 0.
static double turned(double value, int row)
{
    return (row == 2 ? -value : value) + 0.0;
}

// A film back of 24 mm height; USD has it in tenths of the unit, as the focal length.
static void write_camera(FILE* file, const SnExportCamera* c, double metres)
{
    enum { HEIGHT = 24 };
    double focal = 0.5 * HEIGHT / tan(c->field_of_view * SN_PI / 360);
    fprintf(file, "\n    def Camera \"Camera\"\n    {\n        token projection = \"perspective\"\n");
    fprintf(file,
            "        float verticalAperture = %d\n        float horizontalAperture = %.9g\n"
            "        float focalLength = %.9g\n        float2 clippingRange = (%.9g, %.9g)\n",
            HEIGHT, HEIGHT * c->aspect, focal, c->near / metres, c->far / metres);
    fputs("        matrix4d xformOp:transform = ( ", file);
    const double* rows[] = {c->right, c->up, c->forward, c->eye};
    for (int r = 0; r < 4; r++)
        fprintf(file, "(%.17g, %.17g, %.17g, %d)%s", turned(rows[r][0], r), turned(rows[r][1], r),
                turned(rows[r][2], r), r == 3, r == 3 ? " )\n" : ", ");
    fputs("        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }\n", file);
}

static SnStatus begin(SnExport* job)
{
    SN_TRY(sn_export_keep_begin(job));
    return sn_export_open_stream(job, "usda");
}

static SnStatus end(SnExport* job)
{
    FILE* file = job->stream;
    double metres = job->def.to.metres > 0 ? job->def.to.metres : 1;
    fprintf(file,
            "#usda 1.0\n(\n    defaultPrim = \"World\"\n    upAxis = \"%s\"\n    metersPerUnit = %.9g\n"
            "    startTimeCode = %.9g\n    endTimeCode = %.9g\n    timeCodesPerSecond = %.9g\n"
            "    framesPerSecond = %.9g\n)\n\ndef Xform \"World\"\n{",
            job->def.to.z_up ? "Z" : "Y", metres, sn_export_time_code(job, 0),
            sn_export_time_code(job, job->kept > 0 ? job->kept - 1 : 0), job->rate, job->rate);
    for (int i = 0; job->kept > 0 && i < job->mesh_count; i++) {
        const SnExportMesh* mesh = &job->meshes[i];
        if (mesh->face_count) SN_TRY(write_mesh(file, job, mesh));
        if (mesh->edge_count) SN_TRY(write_curves(file, job, mesh));
    }
    if (job->def.camera) write_camera(file, &job->camera, metres);
    fputs("\n    def Scope \"Materials\"\n    {\n", file);
    bool any = false;
    for (int i = 0; i < job->mesh_count; i++) {
        const SnExportMesh* mesh = &job->meshes[i];
        write_material(file, "/World/", "Materials", mesh->name, mesh->colour);
        for (int g = 0; g < group_count(mesh); g++) any |= has_material(mesh, g);
    }
    fputs("    }\n", file);
    if (any) write_group_materials(file, job);
    fputs("}\n", file);
    return SN_OK;
}

const SnExporter sn_export_usda = {
    .name = "usda",
    .summary = "USD as text, one file: bodies, obstacles and camera with time samples, velocities and materials",
    .scene = true,
    .begin = begin,
    .frame = sn_export_keep_frame,
    .end = end,
};
