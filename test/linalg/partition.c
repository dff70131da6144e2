// Partitions of elements: parts of about one size, also of odd meshes.
#include "check.h"

#include "linalg/partition.h"

// Tetrahedra of a box of cubes, five to a cube.
static int make_tetrahedra(int side, int** start, int** nodes)
{
    static const int five[2][5][4] = {{{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 5, 6}},
                                      {{1, 0, 2, 4}, {1, 3, 2, 7}, {1, 5, 4, 7}, {2, 6, 4, 7}, {1, 2, 4, 7}}};
    int count = 0, points = side + 1;
    check(SN_NEW(*start, 5 * side * side * side + 1, "test") && SN_NEW(*nodes, 20 * side * side * side, "test"));
    for (int c = 0; c < side * side * side; c++) {
        int x = c % side, y = c / side % side, z = c / side / side;
        for (int t = 0; t < 5; t++, count++)
            for (int k = 0; k < 4; k++) {
                int v = five[(x + y + z) % 2][t][k];
                (*nodes)[4 * count + k] = x + (v & 1) + points * (y + (v >> 1 & 1) + points * (z + (v >> 2)));
            }
    }
    for (int e = 0; e <= count; e++) (*start)[e] = 4 * e;
    return count;
}

static void test_partition(void** state)
{
    (void)state;
    int *start = NULL, *nodes = NULL, *part = NULL, *again = NULL, made, made_again, side = 8;
    int elements = make_tetrahedra(side, &start, &nodes), node_count = (side + 1) * (side + 1) * (side + 1);
    check(SN_NEW(part, elements, "test") && SN_NEW(again, elements, "test"));
    const int parts[] = {1, 2, 6, 40};
    for (int t = 0; t < 4; t++) {
        int size[40] = {0}, touched = 0;
        check_ok(sn_partition_elements(elements, start, nodes, node_count, 3, parts[t], part, &made));
        check_ok(sn_partition_elements(elements, start, nodes, node_count, 3, parts[t], again, &made_again));
        check(made == parts[t] && made_again == made);
        check(memcmp(part, again, (size_t)elements * sizeof *part) == 0);
        for (int e = 0; e < elements; e++) check(part[e] >= 0 && part[e] < made), size[part[e]]++;
        for (int p = 0; p < made; p++) check(size[p] > 0 && size[p] < 1.3 * elements / made + 2);
        for (int v = 0; v < node_count; v++) { // nodes in several parts are few
            int first = -1;
            bool several = false;
            for (int k = 0; k < 4 * elements; k++)
                if (nodes[k] == v) several |= first >= 0 && part[k / 4] != first, first = part[k / 4];
            touched += several;
        }
        check(t == 0 ? touched == 0 : touched < (t == 1 ? 0.25 : t == 2 ? 0.6 : 0.95) * node_count);
    }
    sn_free(start), sn_free(nodes), sn_free(part), sn_free(again);
}

static void test_odd_partitions(void** state)
{
    (void)state;
    int start[] = {0, 4, 8, 10, 12}, nodes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10}, part[4], made;
    check_ok(sn_partition_elements(4, start, nodes, 11, 3, 3, part, &made)); // three things that do not touch
    check(made >= 1 && made <= 3);
    check_ok(sn_partition_elements(4, start, nodes, 11, 3, 100, part, &made));
    check(made >= 1 && made <= 4);
    check_ok(sn_partition_elements(1, start, nodes, 11, 3, 5, part, &made));
    check(made == 1 && part[0] == 0);
    check_ok(sn_partition_elements(0, start, nodes, 11, 3, 5, part, &made));
    check(made == 0);
    check_fails(sn_partition_elements(4, start, nodes, 11, 3, 0, part, &made), SN_ERROR_VALUE, "at least 1", "0");
    for (long n = 0;; n++) {
        FailingMemory memory;
        start_failing(&memory, n);
        SnStatus status = sn_partition_elements(4, start, nodes, 11, 3, 2, part, &made);
        stop_failing(&memory);
        if (status == SN_OK) break;
        check(status == SN_ERROR_MEMORY && n < 100);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_partition),
    cmocka_unit_test(test_odd_partitions),
};
RUN_TESTS(tests, NULL, NULL)
