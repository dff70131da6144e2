// Nearest points of nodes, triangles and edges, degenerate ones too.
#include "check.h"

#include <float.h>

#include "contact/distance.h"
#include "core/random.h"
#include "linalg/vec3.h"

typedef void Nearest(const double x[4][3], SnDistance* out);

// One of two elements that lie on both sides of a gap.
typedef struct Pair {
    int first;        // corners of the first element
    double gap, size; // m
    double x[4][3];
} Pair;

static double uniform(SnRandom* random)
{
    return sn_random_uniform(random, -1, 1);
}

static double power_of_ten(SnRandom* random, double least, double most)
{
    return pow(10, sn_random_uniform(random, least, most));
}

// Weights of an element's corners, some of them zero.
static void pick_weights(SnRandom* random, int count, double* weights)
{
    double sum = 0;
    for (int k = 0; k < count; k++) sum += weights[k] = sn_random_bits(random) % 3 ? 1e-3 + fabs(uniform(random)) : 0;
    if (sum == 0) sum = weights[0] = 1;
    for (int k = 0; k < count; k++) weights[k] /= sum;
}

// Corners in the plane: a random one, a sliver, parallel to the x axis, at one point.
static void pick_flat(SnRandom* random, int count, double (*x)[3])
{
    double height = sn_random_bits(random) % 2 ? 1 : power_of_ten(random, -17, 0);
    double length = sn_random_bits(random) % 4 ? 1 : power_of_ten(random, -17, 0);
    for (int k = 0; k < count; k++)
        x[k][0] = length * uniform(random), x[k][1] = sn_random_bits(random) % 8 ? height * uniform(random) : 0;
}

// Corners with a weight are in the plane z = 0, with their weighted mean at the origin, the others above it.
static void pick_element(SnRandom* random, int count, double sign, double (*x)[3])
{
    double weights[3], mean[2] = {0};
    pick_weights(random, count, weights);
    pick_flat(random, count, x);
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 2; c++) mean[c] += weights[k] * x[k][c];
    double steep = sn_random_bits(random) % 2 ? 1 : power_of_ten(random, -17, 0);
    for (int k = 0; k < count; k++) {
        for (int c = 0; c < 2; c++) x[k][c] -= mean[c];
        x[k][2] = weights[k] > 0 ? 0 : sign * steep * fabs(uniform(random));
    }
}

static void turn(SnRandom* random, Pair* pair)
{
    double axes[9], scale = power_of_ten(random, -6, 6);
    for (int c = 0; c < 3; c++) axes[c] = uniform(random);
    sn_normalize3(axes), sn_across3(axes, axes + 3), sn_cross3(axes, axes + 3, axes + 6);
    for (int k = 0; k < 4; k++) {
        double local[3];
        for (int c = 0; c < 3; c++) local[c] = scale * pair->x[k][c];
        sn_rotate3(axes, local, pair->x[k]);
    }
    pair->gap *= scale;
}

// The plane z = 0 separates them and they meet there, but for the gap by which the first is lifted: that is their
// distance, whatever they are.
static void make_pair(SnRandom* random, int first, Pair* pair)
{
    *pair = (Pair){.first = first, .gap = sn_random_bits(random) % 8 ? power_of_ten(random, -17, 0.5) : 0};
    pick_element(random, first, 1, pair->x);
    pick_element(random, 4 - first, -1, pair->x + first);
    for (int k = 0; k < first; k++) pair->x[k][2] += pair->gap;
    turn(random, pair);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) pair->size = fmax(pair->size, sn_distance3(pair->x[i], pair->x[j]));
}

static void check_weights(const Pair* pair, const SnDistance* d)
{
    double sum[2] = {0}, between[3] = {0};
    unsigned features = 0;
    for (int k = 0; k < 4; k++) {
        int side = k >= pair->first;
        double weight = side ? -d->weight[k] : d->weight[k];
        check(weight >= 0);
        sum[side] += weight, features |= (unsigned)(weight != 0) << k;
        for (int c = 0; c < 3; c++) between[c] += d->weight[k] * (pair->x[k][c] - pair->x[0][c]);
    }
    check_near(sum[0], 1, 4 * DBL_EPSILON);
    check_near(sum[1], 1, 4 * DBL_EPSILON);
    check(features == d->features);
    check_near(sn_length3(between), sqrt(d->square), 8 * DBL_EPSILON * pair->size);
}

static double check_pairs(int first, Nearest* nearest)
{
    SnRandom random = {(uint64_t)first};
    double worst = 0;
    unsigned seen[16] = {0};
    for (int k = 0; k < 200000; k++) {
        Pair pair;
        SnDistance d;
        make_pair(&random, first, &pair);
        nearest(pair.x, &d);
        double error = fabs(sqrt(d.square) - pair.gap);
        check(error <= 8 * DBL_EPSILON * pair.size);
        if (error > worst * pair.size) worst = error / pair.size;
        check_weights(&pair, &d);
        seen[d.features]++;
    }
    for (unsigned f = 0; f < 16; f++) {
        unsigned of_first = f & ((1u << first) - 1), of_second = f >> first;
        check(of_first && of_second ? seen[f] > 1000 : seen[f] == 0);
    }
    return worst;
}

static void test_distance_of_known_pairs(void** state)
{
    (void)state;
    double node = check_pairs(1, sn_distance_node_triangle), edge = check_pairs(2, sn_distance_edge_edge);
    print_message("largest error, in units of rounding and size: %.2f node-triangle, %.2f edge-edge\n",
                  node / DBL_EPSILON, edge / DBL_EPSILON);
}

// The same distance for any order of corners, and with the edges exchanged.
static void test_distance_order(void** state)
{
    (void)state;
    SnRandom random = {7};
    const int orders[2][3][4] = {{{0, 2, 1, 3}, {0, 3, 2, 1}, {0, 2, 3, 1}},
                                 {{1, 0, 2, 3}, {0, 1, 3, 2}, {2, 3, 0, 1}}};
    for (int k = 0; k < 50000; k++) {
        int first = 1 + k % 2;
        Nearest* nearest = first == 1 ? sn_distance_node_triangle : sn_distance_edge_edge;
        Pair pair;
        SnDistance d, other;
        make_pair(&random, first, &pair);
        nearest(pair.x, &d);
        for (int o = 0; o < 3; o++) {
            double x[4][3];
            for (int i = 0; i < 4; i++) memcpy(x[i], pair.x[orders[first - 1][o][i]], sizeof x[i]);
            nearest(x, &other);
            check_near(sqrt(other.square), sqrt(d.square), 8 * DBL_EPSILON * pair.size);
        }
    }
}

// All corners at few places, of every kind of number: nothing is NaN, and what is together is not apart.
static void test_distance_of_coincident_corners(void** state)
{
    (void)state;
    const double values[] = {0, 1, 1 + DBL_EPSILON, 1e-160, 1e-300, 5e-324, 1e70, -1e70};
    SnRandom random = {9};
    for (int k = 0; k < 100000; k++) {
        double x[4][3];
        SnDistance d[2];
        for (int i = 0; i < 12; i++) x[i / 3][i % 3] = values[sn_random_bits(&random) % 8];
        bool meet = k % 2 == 0;
        if (meet) memcpy(x[0], x[3], sizeof x[0]);
        double size = 0;
        for (int i = 0; i < 12; i++) size = fmax(size, fabs(x[i / 3][i % 3]));
        sn_distance_node_triangle(x, &d[0]), sn_distance_edge_edge(x, &d[1]);
        for (int n = 0; n < 2; n++) {
            check(d[n].square >= 0 && (!meet || d[n].square <= 1e-30 * size * size));
            for (int i = 0; i < 4; i++) check(fabs(d[n].weight[i]) <= 1);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_distance_of_known_pairs),
    cmocka_unit_test(test_distance_order),
    cmocka_unit_test(test_distance_of_coincident_corners),
};
RUN_TESTS(tests, NULL, NULL)
