// What is done to pixels and maps of light: edges smoothed, shadows softened, changes found.
#include <sinew/sinew.h>

#include "core/memory.h"
#include "core/random.h"
#include "pictures.h"
#include "view/picture_change.h"
#include "view/picture_smooth.h"
#include "view/picture_soften.h"

enum { SIZE = 96 };

// How much of a pixel lies below a line through the middle of the picture, by samples.
static double part_below(int x, int y, double slope, bool steep)
{
    int below = 0;
    for (int k = 0; k < 256; k++) {
        double u = x + (k % 16 + 0.5) / 16 - SIZE / 2.0, v = y + (k / 16 + 0.5) / 16 - SIZE / 2.0;
        below += steep ? u < slope * v : v < slope * u;
    }
    return below / 256.0;
}

static void fill(uint8_t* p, double part)
{
    const double lo[3] = {30, 90, 40}, hi[3] = {220, 210, 200};
    for (int i = 0; i < 3; i++) p[i] = (uint8_t)lrint(sqrt(lo[i] * lo[i] * part + hi[i] * hi[i] * (1 - part)));
    p[3] = 255;
}

// Edges of a half plane, of one sample a pixel, come near to those by exact areas; straight ones stay, and so does all
// that is not at an edge.
static void edges_are_smoothed(void** state)
{
    (void)state;
    static uint8_t exact[4 * SIZE * SIZE], hard[4 * SIZE * SIZE], smooth[4 * SIZE * SIZE];
    const double slopes[] = {0, 0.07, 0.31, 0.62, 0.97, -0.13, -0.55};
    const int lo[2] = {0, 0}, hi[2] = {SIZE, SIZE};
    SnPictureSmooth s = {0};
    check_ok(sn_picture_smooth_create(&s, SIZE, SIZE));
    for (int k = 0; k < 14; k++) {
        double slope = slopes[k / 2], errors[2] = {0};
        for (int i = 0; i < SIZE * SIZE; i++) {
            int x = i % SIZE, y = i / SIZE;
            double part = part_below(x, y, slope, k % 2), u = x + 0.5 - SIZE / 2.0, v = y + 0.5 - SIZE / 2.0;
            fill(exact + 4 * i, part);
            fill(hard + 4 * i, (k % 2 ? u < slope * v : v < slope * u) ? 1 : 0);
        }
        memcpy(smooth, hard, sizeof smooth);
        sn_picture_smooth_apply(&s, lo, hi, smooth);
        for (int i = 0; i < 4 * SIZE * SIZE; i++) {
            int x = i / 4 % SIZE, y = i / 4 / SIZE;
            if (exact[i] == hard[i] &&
                fabs(k % 2 ? x - SIZE / 2.0 - slope * (y - SIZE / 2.0) : y - SIZE / 2.0 - slope * (x - SIZE / 2.0)) > 3)
                assert_int_equal(smooth[i], hard[i]);
            if (x < 16 || y < 16 || x >= SIZE - 16 || y >= SIZE - 16) continue; // runs that the picture ends
            errors[0] += pow(hard[i] - exact[i], 2), errors[1] += pow(smooth[i] - exact[i], 2);
        }
        if (slope == 0)
            assert_memory_equal(smooth, hard, sizeof hard);
        else
            check(sqrt(errors[1] / errors[0]) < (fabs(slope) < 0.4 ? 0.3 : 0.7)); // root mean squares
    }
    sn_picture_smooth_free(&s);
}

// Shadows of twelve directions blur into each other; full light stays, and the middle is dark.
static void skies_are_softened(void** state)
{
    (void)state;
    static uint8_t map[SIZE * SIZE], kept[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++) {
        double x = i % SIZE - SIZE / 2.0, y = i / SIZE - SIZE / 2.0;
        int hidden = 0;
        for (int d = 0; d < 12; d++) hidden += hypot(x - 12 * cos(0.5 * d), y - 12 * sin(0.5 * d)) < 14;
        map[i] = (uint8_t)(255 - 20 * hidden);
    }
    memcpy(kept, map, sizeof kept);
    check_ok(sn_picture_soften(map, SIZE, 8));
    int before = 0, after = 0;
    for (int i = 1; i < SIZE * SIZE; i++) {
        before = abs(kept[i] - kept[i - 1]) > before ? abs(kept[i] - kept[i - 1]) : before;
        after = abs(map[i] - map[i - 1]) > after ? abs(map[i] - map[i - 1]) : after;
    }
    check(4 * after < before);
    check(map[0] == 255 && map[SIZE * SIZE / 2 + SIZE / 2] < 80);
    memset(map, 77, sizeof map);
    check_ok(sn_picture_even(map, SIZE));
    for (int i = 0; i < SIZE * SIZE; i++) assert_int_equal(map[i], 77);
    map[SIZE * 40 + 40] = 77 + 90;
    check_ok(sn_picture_even(map, SIZE));
    check(map[SIZE * 40 + 40] == 87 && map[SIZE * 41 + 39] == 87 && map[SIZE * 42 + 40] == 77);
}

// Rectangles of the ground in which a map changed, found by looking at each texel.
static void changes_are_found(void** state)
{
    (void)state;
    SnRandom random = {3};
    SnPictureChange c = {0};
    const double centre[3] = {2, 0, -1};
    for (int turn = 0; turn < 40; turn++) {
        check_ok(sn_picture_change_begin(&c, 20, centre, turn < 30 ? 5 : 6));
        check(c.known == (turn > 0 && turn != 30));
        if (turn > 0) memcpy(c.now, c.before, 400);
        for (int k = 0; k < turn % 4; k++) c.now[(int)sn_random_uniform(&random, 0, 399.9)] ^= 1;
        sn_picture_change_end(&c);
        for (int k = 0; k < 100; k++) {
            double lo[2], hi[2], texel = 2 * c.half / 20;
            for (int i = 0; i < 2; i++) {
                lo[i] = sn_random_uniform(&random, -6, 8);
                hi[i] = lo[i] + sn_random_uniform(&random, 0, 4);
            }
            bool needed = false, near = false;
            for (int t = 0; t < 400; t++) {
                bool in = true, around = true;
                for (int i = 0; i < 2; i++) { // what a texel is blended into, and one more
                    double middle = c.centre[i] - c.half + ((i ? t / 20 : t % 20) + 0.5) * texel;
                    in &= middle > lo[i] - texel && middle < hi[i] + texel;
                    around &= middle > lo[i] - 2.1 * texel && middle < hi[i] + 2.1 * texel;
                }
                needed |= in && (!c.known || c.now[t] != c.before[t]);
                near |= around && (!c.known || c.now[t] != c.before[t]);
            }
            bool found = sn_picture_change_is_in(&c, lo, hi);
            check(found || !needed);
            check(!found || near);
        }
    }
    sn_picture_change_free(&c);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(edges_are_smoothed),
    cmocka_unit_test(skies_are_softened),
    cmocka_unit_test(changes_are_found),
};
RUN_TESTS(tests, NULL, NULL)
