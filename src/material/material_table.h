// The materials, in the order people see them: one row each.
#ifndef SN_MORE_MATERIALS
#define SN_MORE_MATERIALS(X) // of a test
#endif
#define SN_MATERIAL_LIST(X) \
    X(neo_hookean)          \
    X(stable_neo_hookean)   \
    X(mooney_rivlin)        \
    X(corotated) X(fixed_corotated) X(stvk) X(arap) X(polynomial) X(spline) X(fung) X(spring) SN_MORE_MATERIALS(X)
