// Material presets: numbers for common stuffs, each with its source. They are starting points: real samples differ by
// factors, soft tissue by more. The source is that of young; a source that begins with "estimate" is no measurement.

#include "core/handle.h"
#include "material/material.h"

// Neo-Hookean curves with lambda = 4 mu (poisson 0.4), a' = s - 1/s and c' = 4 ln(J)/J, times 1 + 2 t^2 (3 - 2t): up to
// three times stiffer where t goes from 0 at stretch 1 to 1 at stretch 0.5 (compression) or 1.5 (tension), in the
// manner of Liu, Bouaziz, Kavan 2017.
static const double compression_a[][2] = {{0.2, -14.4},
                                          {0.3, -9.1},
                                          {0.4, -6.3},
                                          {0.5, -4.5},
                                          {0.6, -2.97813333333},
                                          {0.7, -1.6728},
                                          {0.8, -0.7668},
                                          {0.9, -0.255022222222},
                                          {1, 0},
                                          {1.1, 0.190909090909},
                                          {1.2, 0.366666666667},
                                          {1.35, 0.609259259259},
                                          {1.5, 0.833333333333},
                                          {1.75, 1.17857142857},
                                          {2, 1.5},
                                          {2.5, 2.1},
                                          {3, 2.66666666667}};
static const double compression_c[][2] = {
    {0.1, -276.310211159}, {0.2, -96.566274746},   {0.3, -48.158912173}, {0.4, -27.4887219562},  {0.5, -16.6355323334},
    {0.6, -9.50816761036}, {0.7, -4.67957526448},  {0.8, -1.9011830572}, {0.9, -0.565668901843}, {1, 0},
    {1.1, 0.346582472016}, {1.25, 0.714059364205}, {1.5, 1.08124028829}, {2, 1.38629436112},     {2.5, 1.466065171}};
static const double tension_a[][2] = {{0.2, -4.8},
                                      {0.3, -3.03333333333},
                                      {0.4, -2.1},
                                      {0.5, -1.5},
                                      {0.6, -1.06666666667},
                                      {0.7, -0.728571428571},
                                      {0.8, -0.45},
                                      {0.9, -0.211111111111},
                                      {1, 0},
                                      {1.1, 0.230618181818},
                                      {1.2, 0.6248},
                                      {1.35, 1.56457777778},
                                      {1.5, 2.5},
                                      {1.75, 3.53571428571},
                                      {2, 4.5},
                                      {2.5, 6.3},
                                      {3, 8}};
static const double tension_c[][2] = {
    {0.1, -92.1034037198}, {0.2, -32.1887582487}, {0.3, -16.0529707243}, {0.4, -9.16290731874},  {0.5, -5.54517744448},
    {0.6, -3.40550415844}, {0.7, -2.03814253679}, {0.8, -1.11571775657}, {0.9, -0.468268958479}, {1, 0},
    {1.1, 0.418671626195}, {1.25, 1.42811872841}, {1.5, 3.24372086487},  {2, 4.15888308336},     {2.5, 4.398195513}};

#define POINTS(array)                               \
    {                                               \
        sizeof(array) / sizeof *(array), (array)[0] \
    }
static const SnSplineDef stiff_compression = {.a = POINTS(compression_a), .c = POINTS(compression_c)};
static const SnSplineDef stiff_tension = {.a = POINTS(tension_a), .c = POINTS(tension_c)};

// young Pa, poisson, density kg/m3, thickness m (0: the default), bending N m (0: that of a solid plate). Yarns
// slide past each other, so cloth bends many times more easily than a solid sheet of its thickness would. Denim's is
// the mean of its source, 0.174 gf cm2/cm (1 gf cm2/cm = 9.8e-5 N m); cotton's and silk's are estimates.
static const SnMaterialPreset rows[] = {
    {"rubber", NULL, 1.2e6, 0.49, 930, 0, 0, NULL, "soft vulcanised natural rubber, shear modulus 0.4 MPa",
     "Treloar, The Physics of Rubber Elasticity, 1975"},
    {"silicone", NULL, 1.2e5, 0.49, 1070, 0, 0, NULL, "Ecoflex 00-30: 69 kPa at 100 % strain",
     "Smooth-On technical bulletin; young from mu (l - 1/l^2) at l = 2"},
    {"silicone-firm", NULL, 1e6, 0.49, 1080, 0, 0, NULL, "Dragon Skin 30: 590 kPa at 100 % strain",
     "Smooth-On technical bulletin; young from mu (l - 1/l^2) at l = 2"},
    {"pdms", NULL, 2e6, 0.49, 1030, 0, 0, NULL, "Sylgard 184, 10:1; 1.3 to 3 MPa by curing temperature",
     "Johnston et al., J. Micromech. Microeng. 24, 2014"},
    {"gelatin", NULL, 1.25e4, 0.49, 1020, 0, 0, NULL,
     "5 % gel, shear modulus 4.2 +- 0.8 kPa; 2 kPa at 3 %, 10 kPa at 7 %",
     "Nguyen et al., Ultrasound Med. Biol. 40, 2014"},
    {"muscle", NULL, 1.5e4, 0.49, 1060, 0, 0, NULL, "relaxed, across the fibres; reports differ by a factor of ten",
     "estimate: the order of magnitude that elastography finds"},
    {"fat", NULL, 3.2e3, 0.49, 911, 0, 0, NULL, "breast adipose tissue at small strain",
     "Samani, Zubovits, Plewes, Phys. Med. Biol. 52, 2007"},
    {"liver", NULL, 5.5e3, 0.49, 1060, 0, 0, NULL, "429 healthy adults, 5.5 +- 1.6 kPa",
     "Roulot et al., J. Hepatol. 48, 2008"},
    {"brain", NULL, 2e3, 0.49, 1045, 0, 0, NULL, "living brain moved by gravity, shear modulus 0.67 kPa",
     "finite-element fit to brain shift, PMC9748497"},
    {"skin", NULL, 4.2e5, 0.48, 1110, 1.5e-3, 0, NULL, "forearm under 30 years, by torsion; twice that in the old",
     "Agache et al., Arch. Dermatol. Res. 269, 1980"},
    {"tendon", NULL, 1.2e9, 0.45, 1120, 5e-3, 0, NULL, "tibialis anterior at large load",
     "Maganaris and Paul, J. Physiol. 521, 1999"},
    {"bone", NULL, 1.7e10, 0.3, 1900, 0, 0, NULL, "human cortical bone along the shaft",
     "Reilly and Burstein, J. Biomech. 8, 1975"},
    {"cork", NULL, 1.5e7, 0.05, 170, 0, 0, NULL, "13 to 20 MPa by direction, hardly any lateral expansion",
     "Gibson, Easterling, Ashby, Proc. R. Soc. A 377, 1981"},
    {"cotton", "corotated", 3e7, 0.3, 500, 3e-4, 6e-6, NULL, "plain weave, 0.15 kg/m2",
     "estimate: 5 % extension at 490 N/m; not a measurement"},
    {"silk", "corotated", 1e8, 0.3, 400, 1.5e-4, 3e-6, NULL, "light habotai, 0.06 kg/m2",
     "estimate: 3 % extension at 490 N/m; not a measurement"},
    {"denim", "corotated", 9.5e6, 0.3, 410, 1e-3, 1.7e-5, NULL,
     "extension 4.7 to 5.7 %, 0.8 to 1.2 mm thick; taken as 12 ounce, 0.41 kg/m2",
     "young from 490 N/m at 5.2 %, KES-F table of six denims, J. Textiles 4614168, 2016"},
    {"paper", NULL, 3e9, 0.3, 800, 1e-4, 0, NULL, "80 g/m2 office paper; differs by direction and humidity",
     "estimate: order of magnitude for machine-made paper"},
    {"nylon", NULL, 2.8e9, 0.4, 1140, 2e-3, 0, NULL, "nylon 6,6, dry", "Polymer Handbook, Brandrup and Immergut"},
    {"steel", NULL, 2.1e11, 0.3, 7850, 1e-3, 0, NULL, "carbon steel", "ASM Handbook 1"},
    {"spline-stiff-compression", "spline", 1e5, 0.4, 1000, 0, 0, &stiff_compression,
     "neo-Hookean, up to three times stiffer in compression", "after Liu, Bouaziz, Kavan 2017"},
    {"spline-stiff-tension", "spline", 1e5, 0.4, 1000, 0, 0, &stiff_tension,
     "neo-Hookean, up to three times stiffer in tension", "after Liu, Bouaziz, Kavan 2017"},
    {0},
};
const SnTable sn_preset_table = {.noun = "material preset", .rows = rows, .stride = sizeof *rows};

SnMaterial sn_preset_material(const SnMaterialPreset* preset)
{
    SnMaterial m = sn_material(preset->type, preset->young, preset->poisson, preset->density);
    if (preset->thickness > 0) m.thickness = preset->thickness;
    if (preset->bending > 0) m.bending = preset->bending;
    if (preset->spline) m.spline = *preset->spline;
    return m;
}

SnStatus sn_material_preset(const char* name, SnMaterial* material)
{
    SN_NEED(name);
    SN_NEED(material);
    const SnMaterialPreset* preset = sn_preset_find(name);
    if (preset) {
        *material = sn_preset_material(preset);
        if (!material->type) material->type = "neo-hookean";
        return SN_OK;
    }
    return sn_table_unknown(&sn_preset_table, name);
}
