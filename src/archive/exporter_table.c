// The exporters, one row each.
#include "archive/exporter.h"
#include "core/table.h"

#define EXPORTER_LIST X(obj) X(ply) X(vtu) X(csv)

#define X(name) extern const SnExporter sn_export_##name;
EXPORTER_LIST
#undef X

#define X(name) &sn_export_##name,
const SnExporter* const sn_exporters[] = {EXPORTER_LIST NULL};
#undef X

static const SnTable table = {.noun = "export format", .rows = sn_exporters};

const SnExporter* sn_exporter(const char* name)
{
    const SnExporter* exporter = sn_table_find(&table, name);
    if (!exporter) sn_table_unknown(&table, name);
    return exporter;
}
