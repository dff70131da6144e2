// gmsh .msh: numbers on their way into a file, as text in lines or as bytes in this machine's order.
#include "mesh/gmsh_output.h"

void sn_gmsh_begin(GmshOutput* o, const char* section)
{
    sn_write(&o->writer, "$%s\n", section);
}

void sn_gmsh_end(GmshOutput* o, const char* section)
{
    sn_write(&o->writer, "%s$End%s\n", o->binary ? "\n" : "", section);
}

// False, after what is between numbers of a line: they are text.
static bool put_bytes(GmshOutput* o, const void* bytes, size_t size)
{
    if (o->binary)
        sn_write_bytes(&o->writer, bytes, size);
    else if (o->in_line)
        sn_write_bytes(&o->writer, " ", 1);
    o->in_line = true;
    return o->binary;
}

void sn_gmsh_put_int(GmshOutput* o, int value)
{
    int32_t number = value;
    if (!put_bytes(o, &number, sizeof number)) sn_write(&o->writer, "%d", value);
}

void sn_gmsh_put_size(GmshOutput* o, int64_t value)
{
    if (!put_bytes(o, &value, sizeof value)) sn_write(&o->writer, "%lld", (long long)value);
}

void sn_gmsh_put_tag(GmshOutput* o, int64_t value)
{
    if (o->version == GMSH_4_1)
        sn_gmsh_put_size(o, value);
    else
        sn_gmsh_put_int(o, (int)value);
}

void sn_gmsh_put_real(GmshOutput* o, double value)
{
    if (!put_bytes(o, &value, sizeof value)) sn_write(&o->writer, "%.17g", value);
}

void sn_gmsh_end_line(GmshOutput* o)
{
    if (o->binary) return;
    sn_write_bytes(&o->writer, "\n", 1);
    o->in_line = false;
}
