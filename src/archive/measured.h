// What probes have measured in a run, by the words that people use for it.
#pragma once
#include <sinew/run.h>

// "tip.displacement.x", or "tip.distance" where there is one number only: its column in tables.
typedef struct SnValueLabel {
    char text[240];
} SnValueLabel;
SnValueLabel sn_value_label(const SnValueInfo* info);

// Whether a word is its name, what it is, or both, as in "tip", "displacement", "tip.displacement"; each may have a
// component behind it, as in "tip.y". of: the name of the probe, or NULL for any.
bool sn_value_matches(const SnValueInfo* info, const char* word, const char* of);

// The numbers that a word means, of one probe; several components of it are taken together, as a length. Into `out`,
// one for each step of sn_run_file_read_steps, NAN where not known.
typedef struct SnMeasuredDef {
    const char* word;
    const char* of; // NULL: any probe
} SnMeasuredDef;
SnStatus sn_measured_read(SnRunFile* run, const SnMeasuredDef* def, int count, double* out, const SnValueInfo** info);
// An error that says what there is, where nothing is meant by the word.
SnStatus sn_measured_need(const SnRunFile* run, const SnMeasuredDef* def);
