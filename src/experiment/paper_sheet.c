// Sheets: curves, numbers, and what is made of the claims about them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/gallery.h"
#include "experiment/paper.h"

SnPlot* sn_sheet_plot(SnSheet* sheet, const char* title, const char* x_label, const char* y_label)
{
    SnPlot* plot = &sheet->plots[sheet->plot_count];
    *plot = (SnPlot){
        .title = title, .x = {.label = x_label}, .y = {.label = y_label}, .curves = sheet->curves[sheet->plot_count]};
    sheet->plot_count++;
    return plot;
}

SnStatus sn_sheet_add_curve(SnSheet* sheet, const char* name, int count, const double* x, const double* y)
{
    SnPlot* plot = &sheet->plots[sheet->plot_count - 1];
    double* copy = sn_arena_allocate(&sheet->arena, 2 * (size_t)count * sizeof *copy);
    if (!copy) return SN_ERROR_MEMORY;
    memcpy(copy, x, (size_t)count * sizeof *copy);
    memcpy(copy + count, y, (size_t)count * sizeof *copy);
    sheet->curves[sheet->plot_count - 1][plot->curve_count++] = (SnCurveData){name, count, copy, copy + count};
    return SN_OK;
}

static int find(int count, const char* const* names, const char* name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

// The power of the step with which a number falls, from the last two values of a variant's sweep, which halve it.
static double order_of(int count, const char* const* names, const double* numbers, const char* variant)
{
    double last[2] = {NAN, NAN};
    size_t length = strlen(variant);
    for (int i = 0; i < count; i++)
        if (strncmp(names[i], variant, length) == 0 && strncmp(names[i] + length, " @ ", 3) == 0)
            last[0] = last[1], last[1] = numbers[i];
    return log2(last[0] / last[1]);
}

static SnStatus judge_order(SnSheet* sheet, const SnClaim* claim, const char* what, int count, const char* const* names,
                            const double* numbers)
{
    SnFinding* finding = &sheet->findings[sheet->finding_count++];
    double order = order_of(count, names, numbers, claim->variant);
    finding->holds = fabs(order - claim->factor) < 0.25;
    snprintf(finding->text, sizeof finding->text, "%s, %s: of order %.2f, expected %g", what, claim->variant, order,
             claim->factor);
    return isnan(order) ? sn_fail(SN_ERROR_VALUE, "no order of '%s' is known", claim->variant) : SN_OK;
}

static SnStatus judge(SnSheet* sheet, const SnClaim* claim, const char* what, int count, const char* const* names,
                      const double* numbers)
{
    if (strcmp(claim->relation, "order") == 0) return judge_order(sheet, claim, what, count, names, numbers);
    int left = find(count, names, claim->variant), right = claim->other ? find(count, names, claim->other) : 0;
    if (left < 0 || right < 0)
        return sn_fail(SN_ERROR_VALUE, "a claim is about '%s', which is not compared",
                       left < 0 ? claim->variant : claim->other);
    SnFinding* finding = &sheet->findings[sheet->finding_count++];
    double bound = claim->factor * (claim->other ? numbers[right] : 1);
    bool less = claim->relation[0] == '<';
    finding->holds = less ? numbers[left] < bound : numbers[left] > bound;
    snprintf(finding->text, sizeof finding->text, "%s, %s: %.4g, expected %s ", what, claim->variant, numbers[left],
             less ? "below" : "above");
    if (!claim->other || claim->factor != 1)
        sn_append(finding->text, sizeof finding->text, "%g%s", claim->factor, claim->other ? " times " : "");
    if (claim->other) sn_append(finding->text, sizeof finding->text, "%.4g of %s", numbers[right], claim->other);
    return SN_OK;
}

static void print_theirs(SnSheet* sheet, const SnQuantity* quantity)
{
    if (!quantity->whose) return;
    sn_append(sheet->measured, sizeof sheet->measured, "    %s: ", quantity->whose);
    for (int i = 0; i < SN_MOST_THEIRS && quantity->theirs[i].variant; i++)
        sn_append(sheet->measured, sizeof sheet->measured, "%s%s %.4g", i ? "; " : "", quantity->theirs[i].variant,
                  quantity->theirs[i].number);
    sn_append(sheet->measured, sizeof sheet->measured, "\n");
}

SnStatus sn_sheet_judge(SnSheet* sheet, const SnQuantity* quantity, int count, const char* const* names,
                        const double* numbers)
{
    const char* what = quantity->says ? quantity->says : quantity->label;
    sn_append(sheet->measured, sizeof sheet->measured, "%s: ", what);
    for (int i = 0; i < count; i++)
        sn_append(sheet->measured, sizeof sheet->measured, "%s%s %.4g", i ? "; " : "", names[i], numbers[i]);
    sn_append(sheet->measured, sizeof sheet->measured, "\n");
    print_theirs(sheet, quantity);
    for (int i = 0; i < SN_MOST_CLAIMS && quantity->claims[i].variant; i++)
        SN_TRY(judge(sheet, &quantity->claims[i], what, count, names, numbers));
    return SN_OK;
}

bool sn_sheet_agrees(const SnSheet* sheet)
{
    if (sheet->failure[0]) return false;
    for (int i = 0; i < sheet->finding_count; i++)
        if (!sheet->findings[i].holds) return false;
    return true;
}

SnStatus sn_paper_scene(const char* name, const char** text)
{
    static const SnTable papers = {
        .noun = "scene of the papers", .rows = sn_paper_scenes, .stride = sizeof *sn_paper_scenes};
    static const SnTable gallery = {.noun = "scene", .rows = sn_gallery_scenes, .stride = sizeof *sn_gallery_scenes};
    const SnGalleryScene* found = sn_table_find(&papers, name);
    if (!found) found = sn_table_find(&gallery, name);
    if (!found) return sn_table_unknown(&papers, name);
    *text = found->text;
    return SN_OK;
}
