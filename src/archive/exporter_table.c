// The exporters, one row each.
#include <string.h>

#include "archive/exporter.h"
#include "core/status.h"
#include "core/suggest.h"

#define EXPORTER_LIST X(obj) X(ply) X(vtu) X(csv)

#define X(name) extern const SnExporter sn_export_##name;
EXPORTER_LIST
#undef X

#define X(name) &sn_export_##name,
const SnExporter* const sn_exporters[] = {EXPORTER_LIST NULL};
#undef X

const SnExporter* sn_exporter(const char* name)
{
    const char* names[sizeof sn_exporters / sizeof *sn_exporters];
    char list[128] = "";
    int count = 0;
    for (; sn_exporters[count]; count++) {
        if (!strcmp(sn_exporters[count]->name, name)) return sn_exporters[count];
        names[count] = sn_exporters[count]->name;
        strncat(list, " ", sizeof list - strlen(list) - 1);
        strncat(list, names[count], sizeof list - strlen(list) - 1);
    }
    const char* near = sn_nearest_name(name, names, count);
    if (near)
        sn_fail(SN_ERROR_VALUE, "unknown export format \"%s\"; did you mean %s? There are:%s", name, near, list);
    else
        sn_fail(SN_ERROR_VALUE, "unknown export format \"%s\"; there are:%s", name, list);
    return NULL;
}
