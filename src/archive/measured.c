#include "archive/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/table.h"

SnValueLabel sn_value_label(const SnValueInfo* info)
{
    SnValueLabel label;
    snprintf(label.text, sizeof label.text, "%.150s.%.60s%s%.16s", info->name, info->what, *info->component ? "." : "",
             info->component);
    return label;
}

// The word is this text, alone or with the component behind it.
static bool is_this(const SnValueInfo* info, const char* word, const char* text)
{
    size_t length = strlen(text);
    if (strncmp(word, text, length) != 0) return false;
    return !word[length] || (word[length] == '.' && strcmp(word + length + 1, info->component) == 0);
}

bool sn_value_matches(const SnValueInfo* info, const char* word, const char* of)
{
    if (of && strcmp(info->name, of) != 0) return false;
    SnValueInfo both = {info->name, info->what, "", ""};
    return is_this(info, word, info->what) || is_this(info, word, info->name) ||
           is_this(info, word, sn_value_label(&both).text);
}

SnStatus sn_measured_need(const SnRunFile* run, const SnMeasuredDef* def)
{
    int count = sn_run_file_value_count(run), name_count = 0;
    const SnValueInfo* infos = sn_run_file_values(run);
    SnValueLabel labels[SN_MOST_NAMES];
    const char* names[SN_MOST_NAMES];
    for (int i = 0; i < count; i++) {
        if (sn_value_matches(&infos[i], def->word, def->of)) return SN_OK;
        if (name_count == SN_MOST_NAMES) continue;
        labels[name_count] = sn_value_label(&infos[i]);
        names[name_count] = labels[name_count].text, name_count++;
    }
    char wanted[200];
    snprintf(wanted, sizeof wanted, "%s%s%s", def->of ? def->of : "", def->of ? "." : "", def->word);
    if (count == 0)
        return sn_fail(SN_ERROR_VALUE,
                       "%s: there is no '%s', as nothing was measured; add it to `measure` of the scene, or "
                       "--set output.forces=true, and run it anew",
                       sn_run_file_path(run), wanted);
    sn_fail_unknown("measured value", wanted, names, name_count);
    return sn_fail_prefix(SN_ERROR_VALUE, "%s", sn_run_file_path(run));
}

// Numbers of one probe and one kind, or an error.
static SnStatus choose(const SnRunFile* run, const SnMeasuredDef* def, const SnValueInfo** first, bool* chosen)
{
    const SnValueInfo* infos = sn_run_file_values(run);
    SN_TRY(sn_measured_need(run, def));
    *first = NULL;
    for (int i = 0; i < sn_run_file_value_count(run); i++) {
        chosen[i] = sn_value_matches(&infos[i], def->word, def->of);
        if (!chosen[i]) continue;
        if (!*first) *first = &infos[i];
        if (strcmp((*first)->name, infos[i].name) != 0 || strcmp((*first)->what, infos[i].what) != 0)
            return sn_fail(SN_ERROR_VALUE, "%s: '%s' may be %s or %s; write which", sn_run_file_path(run), def->word,
                           sn_value_label(*first).text, sn_value_label(&infos[i]).text);
    }
    return SN_OK;
}

static SnStatus reduce(SnRunFile* run, const bool* chosen, int count, double* out)
{
    int width = sn_run_file_value_count(run), rows, used = 0, step_count;
    const int64_t* at;
    const double* values;
    const SnRunStep* steps;
    for (int k = 0; k < width; k++) used += chosen[k];
    SN_TRY(sn_run_file_read_values(run, -1, &at, &values, &rows));
    SN_TRY(sn_run_file_read_steps(run, -1, &steps, &step_count));
    for (int i = 0, row = 0; i < count; i++) {
        double sum = 0;
        out[i] = NAN;
        while (row < rows && i < step_count && at[row] < steps[i].step) row++;
        if (row >= rows || i >= step_count || at[row] != steps[i].step) continue;
        for (int k = 0; k < width; k++) {
            double value = values[(int64_t)row * width + k];
            if (chosen[k]) sum = used == 1 ? value : sum + value * value;
        }
        out[i] = used == 1 ? sum : sqrt(sum);
    }
    return SN_OK;
}

SnStatus sn_measured_read(SnRunFile* run, const SnMeasuredDef* def, int count, double* out, const SnValueInfo** info)
{
    bool* chosen;
    if (!SN_NEW(chosen, sn_run_file_value_count(run), "what was measured")) return SN_ERROR_MEMORY;
    SnStatus status = choose(run, def, info, chosen);
    if (status == SN_OK) status = reduce(run, chosen, count, out);
    sn_free(chosen);
    return status;
}
