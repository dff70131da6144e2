// All figures on one page: what each paper shows, what was measured, the plots and pictures, the verdict.
#include "experiment/paper.h"
#include "experiment/text_file.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>The papers' figures by Sinew</title>\n"
    "<style>\n"
    "body{font:15px/1.45 system-ui,sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#222}\n"
    "table{border-collapse:collapse}td{padding:.15em .7em .15em 0;vertical-align:top}\n"
    "img{max-width:100%;display:block;margin:.6em 0}figure{margin:0}figcaption{color:#555}\n"
    "h2{margin-top:2.2em;border-top:1px solid #ddd;padding-top:.7em}\n"
    ".yes{color:#176b35}.no{color:#b3261e}.part{color:#8a6100}.grey{color:#666}pre{white-space:pre-wrap}\n"
    "</style>\n<h1>The papers' figures by Sinew</h1>\n";

static void print_text(FILE* file, const char* text)
{
    for (; *text; text++) {
        const char* as = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
        if (as)
            fputs(as, file);
        else
            fputc(*text, file);
    }
}

static void print_tag(FILE* file, const char* tag, const char* before, const char* text)
{
    fprintf(file, "<%s>%s", tag, before);
    print_text(file, text);
    fprintf(file, "</%s>\n", tag);
}

static int count_held(const SnSheet* sheet)
{
    int held = 0;
    for (int i = 0; i < sheet->finding_count; i++) held += sheet->findings[i].holds;
    return held;
}

static void print_verdict(FILE* file, const SnSheet* sheet)
{
    int held = count_held(sheet), count = sheet->finding_count;
    if (sheet->failure[0])
        fprintf(file, "<span class=\"no\">could not be made</span>");
    else if (held == count)
        fprintf(file, "<span class=\"yes\">agrees</span>");
    else
        fprintf(file, "<span class=\"%s\">%d of %d claims hold</span>", held ? "part" : "no", held, count);
}

static void print_contents(FILE* file, int count, const SnFigure* const* figures, const SnSheet* sheets)
{
    int agree = 0;
    for (int i = 0; i < count; i++) agree += sn_sheet_agrees(&sheets[i]);
    fprintf(file,
            "<p>%d figures and tables, of which %d agree with what their paper shows. The scenes are our own, after "
            "the papers' descriptions; qualitative results are compared, not numbers, and times are of "
            "processor time on this machine. <code>sinew paper NAME</code> makes one of them, <code>--full</code> at "
            "the paper's size.</p>\n"
            "<table>\n",
            count, agree);
    for (int i = 0; i < count; i++) {
        fprintf(file, "<tr><td><a href=\"#%s\">%s</a></td><td>", figures[i]->name, figures[i]->name);
        print_text(file, figures[i]->shows);
        fprintf(file, "</td><td>");
        print_verdict(file, &sheets[i]);
        fprintf(file, "</td></tr>\n");
    }
    fprintf(file, "</table>\n");
}

// Which frames of which variants a picture shows.
static void print_caption(FILE* file, const SnStudy* study)
{
    int frames = 0;
    while (frames < 5 && study->frames[frames]) frames++;
    fprintf(file, "<figcaption>%s: ", frames > 1 ? "From top to bottom" : "From left to right");
    for (int i = 0; i < SN_MOST_CURVES && study->variants[i].name; i++) {
        fputs(i ? "; " : "", file);
        print_text(file, study->variants[i].name);
    }
    fprintf(file, ". Frame%s", frames > 1 ? "s" : "");
    for (int k = 0; k < frames; k++)
        if (study->frames[k] == -1)
            fprintf(file, "%s the last", k ? "," : "");
        else
            fprintf(file, "%s %d", k ? "," : "", study->frames[k]);
    fprintf(file, "</figcaption>\n");
}

static void print_figure(FILE* file, const SnFigure* figure, const SnSheet* sheet)
{
    fprintf(file, "<h2 id=\"%s\">%s: ", figure->name, figure->name);
    print_text(file, figure->shows);
    fprintf(file, "</h2>\n<p class=\"grey\">");
    print_text(file, figure->source);
    fprintf(file, "; %.1f s of processor time &middot; ", sheet->seconds);
    print_verdict(file, sheet);
    fprintf(file, "</p>\n");
    print_tag(file, "p", "<b>The paper:</b> ", figure->expected);
    if (figure->setting) print_tag(file, "p", "<b>Here:</b> ", figure->setting);
    if (sheet->failure[0]) print_tag(file, "p", "<b>Could not be made:</b> ", sheet->failure);
    fprintf(file, "<table>\n");
    for (int i = 0; i < sheet->finding_count; i++) {
        bool holds = sheet->findings[i].holds;
        fprintf(file, "<tr><td class=\"%s\">%s</td><td>", holds ? "yes" : "no", holds ? "yes" : "no");
        print_text(file, sheet->findings[i].text);
        fprintf(file, "</td></tr>\n");
    }
    fprintf(file, "</table>\n");
    if (!sn_sheet_agrees(sheet) && figure->differs) print_tag(file, "p", "<b>Why not:</b> ", figure->differs);
    if (sheet->has_picture) {
        fprintf(file, "<figure><img src=\"%s.png\" alt=\"%s\" loading=\"lazy\">", figure->name, figure->name);
        print_caption(file, &figure->study);
        fprintf(file, "</figure>\n");
    }
    for (int p = 0; p < sheet->plot_count; p++)
        fprintf(file, "<img src=\"%s-%d.svg\" alt=\"plot %d\" loading=\"lazy\">\n", figure->name, p + 1, p + 1);
    print_tag(file, "pre", "", sheet->measured);
    if (sheet->notes[0]) print_tag(file, "p", "<b>Note:</b> ", sheet->notes);
}

typedef struct Page {
    int count;
    const SnFigure* const* figures;
    const SnSheet* sheets;
} Page;

static void print_page(const void* user, FILE* file)
{
    const Page* page = user;
    fputs(head, file);
    print_contents(file, page->count, page->figures, page->sheets);
    for (int i = 0; i < page->count; i++) print_figure(file, page->figures[i], &page->sheets[i]);
    fputs("</html>\n", file);
}

SnStatus sn_paper_report(const char* folder, int count, const SnFigure* const* figures, const SnSheet* sheets)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/index.html", folder);
    return sn_text_file_write(path, print_page, &(Page){count, figures, sheets});
}
