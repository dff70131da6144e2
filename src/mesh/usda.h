// USD as text (.usda): prims with their attributes, as far as meshes and their places need them.
#pragma once
#include "mesh/reader.h"

// Numbers and texts of an attribute, brackets left out. One with time samples has several values.
typedef struct SnUsdaAttribute {
    SnWord type, name; // "point3f[]", "points"
    SnWord interpolation;
    bool timed, refers; // it has time samples; it names a file
    bool uneven;        // samples have different numbers of numbers
    double* numbers;
    int number_count, number_capacity;
    SnWord* texts; // without their quotation marks
    int text_count, text_capacity;
    double* times; // time codes, increasing
    int* ends;     // of each sample's numbers
    int sample_count, time_capacity, end_capacity;
    int next; // of the same prim; -1: none
} SnUsdaAttribute;

typedef struct SnUsdaPrim {
    SnWord type, name;
    int parent;  // -1: none; before its children
    int first;   // attribute; -1: none
    bool hidden; // it, or what it is in, is not active, not visible or for guidance only
    const char* where;
} SnUsdaPrim;

typedef struct SnUsda {
    SnReader reader;
    SnUsdaPrim* prims;
    int prim_count, prim_capacity;
    SnUsdaAttribute* attributes;
    int attribute_count, attribute_capacity;
    double metres, codes_per_second, start;
    bool z_up;
} SnUsda;

SnStatus sn_usda_open(const char* path, SnUsda* file);
void sn_usda_close(SnUsda* file);
// NULL: the prim has none of this name. Where it has one value and also time samples, these.
const SnUsdaAttribute* sn_usda_find(const SnUsda* file, int prim, const char* name);
// A number of an attribute at a time code: linear between samples, constant outside; of even ones only.
double sn_usda_at(const SnUsdaAttribute* attribute, double code, int number);
int sn_usda_length(const SnUsdaAttribute* attribute); // numbers of its value, or each sample; -1: of no number

// --- usda_place.c ---
// Where a prim is at a time code, three rows of four, by the operations of it and what it is in.
SnStatus sn_usda_place(const SnUsda* file, int prim, double code, double place[12]);
