// The dissipations, in the order people see them: one row each.
#ifndef SN_MORE_DISSIPATIONS
#define SN_MORE_DISSIPATIONS(X) // of a test
#endif
#define SN_DISSIPATION_LIST(X) \
    X(rayleigh)                \
    X(strain_rate) X(principal_stretch) X(power_law) X(fast_power_law) X(spline) X(drag) SN_MORE_DISSIPATIONS(X)
