// spline: R = max_j c(s_j) R0 of a base R0, with a factor c by stretch; or per stretch, C^1/2 K C^1/2 in place of K.
#include "dissipation/dissipation_pack.h"

static const SnDissipationPacks packs = {0};

static const SnParameter parameters[] = {
    {SN_ROW_BASE("principal-stretch")},
    {"curve", SN_POINTS, offsetof(SnDampingDef, curve), .example = "[[0.5, 3], [1, 1], [2, 3]]",
     .doc = "points [stretch, factor]; a cubic spline between, linear beyond them, 0 where it is negative"},
    {"per-stretch", SN_BOOLEAN, offsetof(SnDampingDef, per_stretch), .value = "false",
     .doc = "with base principal-stretch, each stretch has its own factor; otherwise the largest counts"},
    {0},
};

SN_DISSIPATION(spline, "spline", "max_j curve(s_j) R0, R0 that of base; per-stretch: K_ij (curve(s_i) curve(s_j))^1/2",
               .keeps = "as its base does", .parameters = parameters);
