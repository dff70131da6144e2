// The exporters, of bodies and of contacts, one row each.
#include "archive/exporter.h"

#define EXPORTER_LIST(X) X(obj) X(ply) X(vtu) X(csv) X(pc2) X(mdd) X(usda) X(glb)

#define CONTACT_EXPORTER_LIST(X) X(contacts_vtu) X(contacts_csv)

#define DECLARE(name) extern const SnExporter sn_export_##name;
EXPORTER_LIST(DECLARE)
CONTACT_EXPORTER_LIST(DECLARE)

#define ROW(name) &sn_export_##name,
const SnTable sn_exporter_table = {.noun = "export format", .rows = (const void* const[]){EXPORTER_LIST(ROW) NULL}};
const SnTable sn_contact_exporter_table = {.noun = "format for contacts",
                                           .rows = (const void* const[]){CONTACT_EXPORTER_LIST(ROW) NULL}};
