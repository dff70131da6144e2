// Contacts over pictures: dots and arrows where the camera sees them, in the colours of what they do.
#include "pictures.h"

#include "archive/run_file.h"
#include "core/memory.h"
#include "view/run_contacts.h"

enum { W = 400, H = 200 };

// One that sticks at x = 1 and is pushed to the left with 10 N, one that slides at x = -1 and is pushed up with 5 N.
static const SnContactInfo contacts[] = {
    {.other_body = -1,
     .state = SN_CONTACT_STICKS,
     .node_count = 1,
     .nodes = {0, -1, -1, -1},
     .point = {1, 0, 0},
     .normal = {-1, 0, 0},
     .force = 10},
    {.other_body = -1,
     .state = SN_CONTACT_SLIDES,
     .node_count = 1,
     .nodes = {0, -1, -1, -1},
     .point = {-1, 0, 0},
     .normal = {0, 1, 0},
     .force = 3,
     .friction = {0, 2, 0}},
};

static SnRunFile* make_run(const char* path)
{
    static const double x[3] = {0, 0, 0};
    SnBodyInfo body = {.name = "point", .node_count = 1, .rest = x};
    SnRunObstacle floor = {.name = "floor", .type = "plane", .plane = true, .normal = {0, 1, 0}};
    SnRunPlace place = {.pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}}};
    SnRunDef def = {"run", "", 1, &body, 1, false, &floor, 1, true, NULL, 0, NULL, false, false};
    SnRunStep row = {.outcome = "converged", .detail = ""};
    SnRunFrame frame = {.positions = x,
                        .velocities = x,
                        .steps = &row,
                        .step_count = 1,
                        .state = "s",
                        .state_size = 1,
                        .places = &place};
    SnRunFile* run;
    check_ok(sn_run_file_create_from(path, &def, &frame, &run));
    frame.step = row.step = 1, frame.time = row.time = 1;
    frame.contacts = contacts, frame.contact_count = 2;
    check_ok(sn_run_file_append(run, &frame));
    return run;
}

typedef enum Seen { NOTHING, BLUE, RED, OTHER } Seen;

static Seen seen_at(const uint8_t* pixels, int x, int y)
{
    const uint8_t* c = pixels + 3 * (W * y + x);
    if (c[0] == 90 && c[1] == 90 && c[2] == 90) return NOTHING;
    return c[2] > c[0] + 60 ? BLUE : c[0] > c[2] + 60 ? RED : OTHER;
}

static void test_contacts_are_drawn(void** state)
{
    (void)state;
    SnRunFile* run = make_run(in_folder("run.run"));
    // 200 pixels in 5 m at this distance: 40 to the metre
    SnCamera camera = {.eye = {0, 0, 5}, .up = {0, 1, 0}, .field_of_view = 2 * atan(0.5) * 180 / acos(-1)};
    double force;
    check_ok(sn_run_contacts_scale(run, 0, 1, &force));
    check_near(force, 10, 1e-6);
    uint8_t* pixels = malloc(3 * W * H);
    memset(pixels, 90, 3 * W * H);
    SnRunContacts drawn = {run, &camera, 1, force, W, H, NULL};
    check_ok(sn_run_contacts_draw(&drawn, 1, pixels));
    assert_int_equal(seen_at(pixels, 240, 100), BLUE); // the point, and the arrow along its way to (0, 0)
    assert_int_equal(seen_at(pixels, 220, 100), BLUE);
    assert_int_equal(seen_at(pixels, 203, 100), BLUE);
    assert_int_equal(seen_at(pixels, 190, 100), NOTHING);
    assert_int_equal(seen_at(pixels, 250, 100), NOTHING);
    assert_int_equal(seen_at(pixels, 160, 100), RED); // half as long
    assert_int_equal(seen_at(pixels, 160, 90), RED);
    assert_int_equal(seen_at(pixels, 160, 72), NOTHING);
    int legend = 0;
    for (int i = 0; i < W * H; i++) legend += i % W < 100 && i / W > 140 && seen_at(pixels, i % W, i / W) != NOTHING;
    check(legend > 50);
    memset(pixels, 90, 3 * W * H); // from behind left and right are the other way round; and nothing is behind the eye
    camera.eye[2] = -5;
    check_ok(sn_run_contacts_draw(&drawn, 1, pixels));
    assert_int_equal(seen_at(pixels, 160, 100), BLUE);
    memset(pixels, 90, 3 * W * H);
    camera.target[2] = -6;
    check_ok(sn_run_contacts_draw(&drawn, 1, pixels));
    for (int i = 0; i < W * 130; i++) check(seen_at(pixels, i % W, i / W) == NOTHING);
    check_fails(sn_run_contacts_draw(&drawn, 2, pixels), SN_ERROR_VALUE, "no frame 2");
    free(pixels);
    sn_run_file_destroy(run);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_contacts_are_drawn),
};
RUN_TESTS(tests, make_folder, remove_folder)
