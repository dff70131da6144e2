// spline: R = max_j c(s_j) R0 of a base R0, with a factor c by stretch; or per stretch, C^1/2 K C^1/2 in place of K.
#include "dissipation/dissipation_pack.h"

static const SnDissipationPacks packs = {0};

SN_DISSIPATION(spline, "spline", "max_j curve(s_j) R0, R0 that of base; per-stretch: K_ij (curve(s_i) curve(s_j))^1/2",
               .keeps = "as its base does", .numbers = SN_TAKES_BASE | SN_TAKES_CURVE);
