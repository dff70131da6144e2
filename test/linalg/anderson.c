// Anderson acceleration.
#include "check.h"

#include "core/random.h"
#include "linalg/anderson.h"

// On a linear map of n dimensions, Anderson with a full window is done after n + 1 steps (Walker and Ni 2011).
static void test_anderson_solves_a_linear_map(void** state)
{
    (void)state;
    enum { N = 6 };
    double m[N][N], shift[N], v[N] = {0};
    SnRandom random = {3};
    for (int i = 0; i < N; i++) {
        shift[i] = sn_random_uniform(&random, -1, 1);
        for (int j = 0; j < N; j++) m[i][j] = (i == j ? 0.9 : 0) + sn_random_uniform(&random, -0.05, 0.05);
    }
    SnAnderson* anderson;
    check_ok(sn_anderson_create(N, N, &anderson));
    sn_anderson_start(anderson, NULL, v);
    double residual = 0, first = 0;
    for (int k = 0; k < N + 3; k++) {
        double image[N];
        residual = 0;
        for (int i = 0; i < N; i++) {
            image[i] = shift[i];
            for (int j = 0; j < N; j++) image[i] += m[i][j] * v[j];
            residual += fabs(image[i] - v[i]);
        }
        if (k == 0) first = residual;
        memcpy(v, image, sizeof v);
        sn_anderson_next(anderson, NULL, v);
    }
    check(residual < 1e-5 * first); // plainly, 0.9^8 of it would be left
    sn_anderson_destroy(anderson);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_anderson_solves_a_linear_map),
};
RUN_TESTS(tests, NULL, NULL)
