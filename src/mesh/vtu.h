// VTK's XML files (.vtu, .vtp): elements of the XML with their arrays, and the numbers of an array.
#pragma once
#include "mesh/reader.h"

typedef struct SnXmlTag {
    SnWord name; // of an end tag without its /
    bool end, alone;
    const char *attributes, *after; // where they begin; the first byte after the tag
} SnXmlTag;

// The next tag; false at the end. Comments, declarations and text are passed over.
bool sn_xml_next(SnReader* reader, SnXmlTag* tag);
// The text of an attribute; empty: it has none.
SnWord sn_xml_attribute(const SnXmlTag* tag, const char* name);

typedef struct SnVtuArray {
    SnWord section, name, format; // "PointData", "velocity", "appended"
    SnNumberType type;
    int components;
    int64_t offset;          // in the appended data
    const char *text, *last; // between its tags
    const char* where;
} SnVtuArray;

typedef struct SnVtuFile {
    SnReader reader;
    SnNumberType header; // of the lengths before binary data
    bool compressed;
    const char* appended; // after its _; NULL: none
    bool appended_raw;
} SnVtuFile;

// All numbers of an array, allocated.
SnStatus sn_vtu_numbers(SnVtuFile* file, const SnVtuArray* array, double** values, int64_t* count);
