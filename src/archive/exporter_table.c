// The exporters, one row each.
#include "archive/exporter.h"

#define EXPORTER_LIST X(obj) X(ply) X(vtu) X(csv)

#define X(name) extern const SnExporter sn_export_##name;
EXPORTER_LIST
#undef X

#define X(name) &sn_export_##name,
const SnTable sn_exporter_table = {.noun = "export format", .rows = (const void* const[]){EXPORTER_LIST NULL}};
#undef X
