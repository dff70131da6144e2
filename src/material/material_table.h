// The materials, in the order people see them: one row each.
#define SN_MATERIAL_LIST(X) X(neo_hookean) X(corotated) X(stvk) X(spring)
