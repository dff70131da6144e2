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

static void separate(GmshOutput* o)
{
    if (o->in_line) sn_write_bytes(&o->writer, " ", 1);
    o->in_line = true;
}

void sn_gmsh_put_int(GmshOutput* o, int value)
{
    int32_t number = value;
    if (o->binary) {
        sn_write_bytes(&o->writer, &number, sizeof number);
        return;
    }
    separate(o);
    sn_write(&o->writer, "%d", value);
}

void sn_gmsh_put_size(GmshOutput* o, int64_t value)
{
    if (o->binary) {
        sn_write_bytes(&o->writer, &value, sizeof value);
        return;
    }
    separate(o);
    sn_write(&o->writer, "%lld", (long long)value);
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
    if (o->binary) {
        sn_write_bytes(&o->writer, &value, sizeof value);
        return;
    }
    separate(o);
    sn_write(&o->writer, "%.17g", value);
}

void sn_gmsh_end_line(GmshOutput* o)
{
    if (o->binary) return;
    sn_write_bytes(&o->writer, "\n", 1);
    o->in_line = false;
}
