// What is up in a run: against gravity, or, where there is none, as the scene says.
#include <math.h>

#include "archive/run_file.h"
#include "core/plain.h"
#include "linalg/vec3.h"

SnStatus sn_run_file_up(SnRunFile* run, double up[3])
{
    const char* text;
    double g[3] = {0};
    SN_TRY(sn_run_file_meta(run, "gravity", &text));
    char* end = (char*)text;
    for (int c = 0; text && c < 3; c++) g[c] = sn_plain_real(end, &end);
    double length = sn_length3(g);
    if (length > 0 && isfinite(length)) {
        for (int c = 0; c < 3; c++) up[c] = g[c] == 0 ? 0 : -g[c] / length;
        return SN_OK;
    }
    SN_TRY(sn_run_file_meta(run, "up", &text));
    bool z = text && text[0] == 'z';
    up[0] = 0, up[1] = !z, up[2] = z;
    return SN_OK;
}
