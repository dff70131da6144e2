// Copies of a body: the same part again at the points of a grid, each turned a little further than the one before.
#include "scene/build.h"

enum { MOST = 10000 }; // bodies

static bool make_copy(SnScene* scene, const SnBodyPart* part, int number, SnBodyPart* copy)
{
    const SnCopiesPart* copies = &part->copies;
    int at[3] = {number % copies->count[0], number / copies->count[0] % copies->count[1],
                 number / copies->count[0] / copies->count[1]};
    *copy = *part;
    for (int c = 0; c < 3; c++) copy->place.move[c] += at[c] * copies->step[c];
    for (int c = 0; c < 4; c++) copy->place.spin[c] = copies->rotate[c] * (c == 3 ? number : 1);
    if (part->name) copy->name = sn_arena_print(&scene->arena, "%s %d", part->name, number);
    return !part->name || copy->name;
}

static void check_axis(SnScene* scene, const SnCopiesPart* copies)
{
    const double* r = copies->rotate;
    if (!copies->node || r[3] == 0 || r[0] != 0 || r[1] != 0 || r[2] != 0) return;
    sn_problem_error(&scene->problems, copies->node->place,
                     "'rotate' in copies needs an axis that is not zero, as in [0, 1, 0, 30]");
}

// How many bodies a part stands for; 0 where its numbers are wrong, which is reported.
static int count_of(const SnBodyPart* part)
{
    const int* count = part->copies.count;
    if (!part->copies.node) return 1;
    if (count[0] < 1 || count[1] < 1 || count[2] < 1) return 0;
    double all = (double)count[0] * count[1] * count[2];
    return all > MOST ? MOST + 1 : (int)all;
}

SnStatus sn_build_copies(SnScene* scene)
{
    SnItems* bodies = &scene->part.bodies;
    const SnBodyPart* parts = bodies->items;
    int64_t sum = 0;
    for (int i = 0; i < bodies->count; i++) {
        sum += count_of(&parts[i]);
        check_axis(scene, &parts[i].copies);
    }
    if (sum == bodies->count) return SN_OK;
    if (sum > MOST) {
        sn_problem_error(&scene->problems, scene->part.node->place,
                         "with their 'copies' there are more than %d bodies; take fewer", MOST);
        return SN_OK;
    }
    SnBodyPart* all = sn_arena_allocate(&scene->arena, ((size_t)sum + 1) * sizeof *all);
    if (!all) return SN_ERROR_MEMORY;
    SnBodyPart* next = all;
    for (int i = 0; i < bodies->count; i++)
        for (int k = 0; k < count_of(&parts[i]); k++) {
            if (!parts[i].copies.node)
                *next++ = parts[i];
            else if (!make_copy(scene, &parts[i], k, next++))
                return SN_ERROR_MEMORY;
        }
    *bodies = (SnItems){all, (int)sum};
    return SN_OK;
}
