// Forces that keep constraints in the step of a quasi-Newton method: closed forms for one node, complementarity and
// Coulomb's law for many that share a matrix, dependent constraints; each by the whole inverse, and by what is known of
// it among the nodes that constraints touch.
#include "check.h"

#include <math.h>

#include "constraint/dual.h"
#include "linalg/vec3.h"

#define STIFFNESS 50.0 // N/m, of H = STIFFNESS (1 + A), A the graph of a chain
#define INERTIA 20.0   // so that friction acts

enum { NODES = 12 };
enum { SWEPT = 4 }; // the nodes that constraints touch are known, and no more
static const int widths[] = {0, 1, 3, SWEPT};

typedef struct Fixture {
    double coupling; // of neighbours, relative to STIFFNESS
    int free_index[NODES];
    double mass[NODES], stiffness[NODES], start[3 * NODES];
    SnNodes nodes;
    SnConstraintSet set;
    SnConstraints constraints;
    SnDual dual;
    SnCompliance compliance;
    bool turned; // the inverse is, with each node
    int known;   // rows per node of it; 0: it is not; SWEPT
    double off;  // of each number of H^-1 q, as with a factor of few bits
    int solves, most_work;
} Fixture;

// r = H^-1 q by sweeps of Gauss and Seidel, until nothing changes.
static SnStatus solve(void* self, const double* q, double* r)
{
    Fixture* t = self;
    t->solves++;
    memset(r, 0, 3 * NODES * sizeof *r);
    for (int sweep = 0; sweep < 500; sweep++)
        for (int k = 0; k < 3 * NODES; k++) {
            double left = k >= 3 ? r[k - 3] : 0, right = k < 3 * NODES - 3 ? r[k + 3] : 0;
            r[k] = (q[k] / STIFFNESS + t->coupling * (left + right)) / (1 + 2 * t->coupling);
        }
    for (int k = 0; k < 3 * NODES; k++) r[k] *= 1 + t->off * sin(k);
    return SN_OK;
}

// The same of many vectors, whose rows are the free nodes' numbers; of one number each all are the same.
static SnStatus solve_many(void* self, const int* nodes, int count, double* rows)
{
    Fixture* t = self;
    double q[3 * NODES], r[3 * NODES];
    int width = t->compliance.width;
    t->solves++;
    for (int l = 0; l < SN_MANY; l++) {
        memset(q, 0, sizeof q);
        for (int k = 0; k < width * count; k++) // all nodes are free: their numbers are those of rows
            q[3 * nodes[k / width] + k % width] = rows[SN_MANY * (width * nodes[k / width] + k % width) + l];
        check_ok(solve(t, q, r));
        t->solves--;
        for (int k = 0; k < width * count; k++)
            rows[SN_MANY * (width * nodes[k / width] + k % width) + l] = r[3 * nodes[k / width] + k % width];
    }
    return SN_OK;
}

// r = H^-1 q among some nodes
static SnStatus solve_among(void* self, const double* q, double* r)
{
    Fixture* t = self;
    const SnCompliance* c = &t->compliance;
    if (t->known == SWEPT) {
        double all[3 * NODES] = {0}, moved[3 * NODES];
        for (int i = 0, apart = 0; i < NODES; i++)
            for (int a = 0; a < 3 && c->at[i] >= 0; a++)
                all[3 * i + a] = q[sn_compliance_place(c, i, &apart) + a * apart];
        check_ok(solve(t, all, moved));
        t->solves--;
        for (int i = 0, apart = 0; i < NODES; i++)
            for (int a = 0; a < 3 && c->at[i] >= 0; a++)
                r[sn_compliance_place(c, i, &apart) + a * apart] = moved[3 * i + a];
    }
    for (int k = 0; k < c->body_count && t->known != SWEPT; k++) {
        int64_t first = 3 * (int64_t)c->bodies[k].first;
        sn_compliance_apply_body(c, &c->bodies[k], q + first, r + first);
    }
    return SN_OK;
}

static void solve_body(void* self, const SnCompliantBody* body, const double* q, double* r)
{
    sn_compliance_apply_body(&((Fixture*)self)->compliance, body, q, r);
}

// Each node by an angle of its own about z.
static void turn_of(const void* self, int row, double r[9])
{
    double c = cos(1.0 + row), s = sin(1.0 + row), turn[9] = {c, s, 0, -s, c, 0, 0, 0, 1};
    (void)self;
    memcpy(r, turn, sizeof turn);
}

// Nothing is corrected.
static SnStatus complete(Fixture* t)
{
    double row[3 * NODES];
    if (t->known == SWEPT) {
        sn_compliance_place_bodies(&t->compliance);
        return SN_OK;
    }
    SnStatus status = sn_compliance_complete(
        &t->compliance, (SnManyInverse){.apply = solve_many, .self = t, .turn = t->turned ? turn_of : NULL});
    for (int k = 0; k < t->compliance.body_count && t->known == 3; k++)
        sn_compliance_correct(&t->compliance, &t->compliance.bodies[k], 1, 0, NULL, NULL, 0, row);
    return status;
}

static void set_up(Fixture* t, double coupling, int known)
{
    int* body;
    *t = (Fixture){.coupling = coupling, .known = known};
    for (int i = 0; i < NODES; i++) t->free_index[i] = i, t->mass[i] = 1, t->stiffness[i] = STIFFNESS;
    t->nodes = (SnNodes){.count = NODES,
                         .free_count = NODES,
                         .free_index = t->free_index,
                         .mass = t->mass,
                         .inertia = INERTIA,
                         .start = t->start,
                         .stiffness = t->stiffness};
    t->constraints = (SnConstraints){.nodes = &t->nodes, .friction = {.nodes = &t->nodes}, .now = &t->set};
    check_ok(sn_tasks_create(1, (SnTaskRunner){0}, &t->nodes.tasks));
    check_ok(sn_dual_create(&t->dual, &t->constraints));
    sn_dual_start(&t->dual);
    check(SN_NEW(body, NODES, "a test"));
    for (int i = 0; i < NODES; i++) body[i] = coupling > 0 ? 0 : i;
    check_ok(sn_compliance_create(&t->compliance, &t->nodes, known >= 3 ? 3 : 1, body));
}

static void tear_down(Fixture* t)
{
    sn_dual_free(&t->dual);
    sn_compliance_free(&t->compliance);
    sn_constraint_set_free(&t->set);
    sn_tasks_destroy(t->nodes.tasks);
}

// A floor at the height `offset` under a node.
static void add_floor(Fixture* t, int node, double offset, double friction)
{
    SnKept item = {
        .constraint = {.at = {.count = 1, .node = {node}, .weight = {1}, .normal = {0, 1, 0}, .offset = offset},
                       .unilateral = true,
                       .friction = friction,
                       .key = SN_CONTACT_KEYS + t->set.count}};
    check_ok(sn_constraint_set_add(&t->set, &item));
}

// Of the constraints that push: those that do not are not known.
static SnStatus know(SnDualInverse* h, const SnDual* dual)
{
    Fixture* t = h->user;
    for (int k = 0; k < dual->work_count && t->known; k++) {
        const SnStencil* at = &t->set.items[dual->work[k]].constraint.at;
        for (int i = 0; i < at->count; i++) check_ok(sn_compliance_add(&t->compliance, at->node[i]));
    }
    for (int i = 0; i < NODES; i++)
        if (t->known && sn_dual_pushes(dual, i)) check_ok(sn_compliance_add(&t->compliance, i));
    if (t->known) check_ok(complete(t));
    t->most_work = dual->work_count > t->most_work ? dual->work_count : t->most_work;
    h->swept = t->known == SWEPT;
    h->compliance = t->known ? &t->compliance : NULL, h->error = 0.1, h->steps = 100;
    return SN_OK;
}

// x at the minimum of g.x + x.H x/2 with the constraints: errors of a step are made up for by the next.
static void minimize(Fixture* t, double off, const double* g, double* x)
{
    double p[3 * NODES], d[3 * NODES], here[3 * NODES], rest[3 * NODES];
    memset(x, 0, 3 * NODES * sizeof *x);
    t->off = off;
    SnDualInverse h = {
        .all = {solve, t}, .touched = {solve_among, t}, .body = {solve_body, t}, .know = know, .user = t};
    for (int it = 0; it < 40; it++) {
        for (int k = 0; k < 3 * NODES; k++) {
            double left = k >= 3 ? x[k - 3] : 0, right = k < 3 * NODES - 3 ? x[k + 3] : 0;
            here[k] = g[k] + STIFFNESS * ((1 + 2 * t->coupling) * x[k] - t->coupling * (left + right));
        }
        check_ok(sn_dual_begin(&t->dual, here, it % 7 > 0, rest));
        check_ok(solve(t, rest, p));
        int64_t before = t->dual.applied;
        check_ok(sn_dual_solve(&t->dual, h, x, rest, p, d));
        // Once is enough where all nodes that are in the way are known by now.
        check(t->known == 0 || it < 5 || t->dual.applied == before + 1);
        for (int k = 0; k < 3 * NODES; k++) x[k] += d[k];
    }
}

// A node that is pushed down and along: held up by what it is pushed with less what it takes to get to the floor, and
// held back by as much as Coulomb's law lets it.
static void test_one_node(void** state)
{
    (void)state;
    const struct {
        double down, along, gap, friction, normal, rubs;
    } rows[] = {
        {10, 0, 0, 0, 10, 0},      {10, 0, 0.1, 0, 5, 0},   {10, 0, 0.3, 0, 0, 0},     {-10, 3, 0, 0.5, 0, 0},
        {10, 3, 0, 0.5, 10, 3},    {10, 7, 0, 0.5, 10, 5},  {10, 7, 0.1, 0.5, 5, 2.5}, {10, 2, 0.1, 0.5, 5, 2},
        {10, 2, -0.1, 0.5, 15, 2}, {0, 2, -0.1, 0.2, 5, 1},
    };
    for (size_t k = 0; k < 4 * sizeof rows / sizeof *rows; k++) {
        Fixture t;
        size_t i = k / 4;
        double g[3 * NODES] = {-rows[i].along, rows[i].down, 0}, d[3 * NODES];
        set_up(&t, 0, widths[k % 4]);
        add_floor(&t, 0, -rows[i].gap, rows[i].friction);
        minimize(&t, 0, g, d);
        const SnMultiplier* m = &t.set.items[0].multiplier;
        check_near(m->force, rows[i].normal, 1e-5);
        check_near(-m->tangent[0], rows[i].rubs, 1e-5);
        check_near(d[1], (rows[i].normal - rows[i].down) / STIFFNESS, 1e-6);
        check_near(d[0], (rows[i].along - rows[i].rubs) / STIFFNESS, 1e-6);
        tear_down(&t);
    }
}

// Nodes that hang together, on a floor with bumps: no gap is negative, nothing pulls, what pushes has no gap, what
// slips is rubbed with mu f against its way, what does not slip with less. All the same where an inverse is off by 2 %.
static void test_many_nodes(void** state)
{
    (void)state;
    for (int k = 0; k < 160; k++) {
        Fixture t;
        int seed = k % 80;
        double g[3 * NODES], d[3 * NODES];
        set_up(&t, 0.5 * (seed / 4), widths[seed % 4]);
        for (int i = 0; i < NODES; i++) {
            add_floor(&t, i, 0.02 * sin(3.7 * i + seed / 4), 0.4);
            for (int a = 0; a < 3; a++) g[3 * i + a] = (a == 1) + 2 * sin(12.9898 * (3 * i + a) + 7 * (seed / 4));
        }
        minimize(&t, k < 80 ? 0 : 0.02, g, d);
        for (int i = 0; i < NODES; i++) {
            const SnMultiplier* m = &t.set.items[i].multiplier;
            const double *at = d + 3 * i, gap = at[1] - t.set.items[i].constraint.at.offset;
            double rub = hypot(m->tangent[0], m->tangent[2]), slip = hypot(at[0], at[2]);
            check(gap > -1e-5 && m->force >= 0 && gap * m->force < 1e-5);
            check(rub <= 0.4 * m->force + 1e-5 && (slip < 1e-5 || rub > 0.4 * m->force - 1e-4));
            if (slip > 1e-4 && m->force > 1e-2)
                check_near(m->tangent[0] * at[0] + m->tangent[2] * at[2], -rub * slip, 1e-3 * rub * slip);
        }
        tear_down(&t);
    }
}

// The same floor three times: together they hold what one would, and the step is the same.
static void test_dependent_constraints(void** state)
{
    (void)state;
    for (int known = 0; known < 4; known++) {
        Fixture t;
        double g[3 * NODES] = {-2, 10, 0}, d[3 * NODES], sum = 0;
        set_up(&t, 0, widths[known]);
        for (int k = 0; k < 3; k++) add_floor(&t, 0, -0.1, 0.5);
        minimize(&t, 0, g, d);
        for (int k = 0; k < 3; k++) sum += t.set.items[k].multiplier.force;
        check_near(sum, 5, 1e-5);
        check_near(d[1], -0.1, 1e-6);
        check_near(d[0], 0, 1e-6);
        tear_down(&t);
    }
}

// What is far from its floor is not looked at; what is pushed through another plane by the forces of others is taken
// in.
static void test_those_that_push(void** state)
{
    (void)state;
    for (int known = 0; known < 4; known++) {
        Fixture t;
        double g[3 * NODES] = {0}, x[3 * NODES];
        set_up(&t, 5, widths[known]);
        add_floor(&t, 0, 0.1, 0); // node 0 is lifted, and takes its neighbour with it
        for (int i = 2; i < NODES; i++) add_floor(&t, i, -1, 0);
        add_floor(&t, 1, -0.02, 0);
        t.set.items[t.set.count - 1].constraint.at.normal[1] = -1; // a ceiling
        minimize(&t, 0, g, x);
        check_near(x[1], 0.1, 1e-6);
        check_near(x[4], 0.02, 1e-6);
        check(t.set.items[0].multiplier.force > 0 && t.set.items[t.set.count - 1].multiplier.force > 0);
        for (int i = 1; i < t.set.count - 1; i++) check(t.set.items[i].multiplier.force == 0);
        check(t.known == 0 || (t.most_work == 2 && t.compliance.count == 2));
        tear_down(&t);
    }
}

// What is known of the inverse among some nodes is what it does there, however they came; eight columns of each body
// take one solve, and pinned nodes none.
static void check_compliance(Fixture* t, int solves)
{
    double q[3 * NODES] = {0}, r[3 * NODES], some[3 * NODES], moved[3 * NODES];
    SnCompliance* c = &t->compliance;
    t->solves = 0;
    check_ok(complete(t));
    check(t->solves == solves && sn_compliance_price(c) == 0);
    for (int i = 0; i < NODES; i++)
        for (int a = 0; a < 3 && c->at[i] >= 0; a++) q[3 * i + a] = sin(3 * i + a + 1.0);
    check_ok(solve(t, q, r));
    sn_compliance_take(c, q, some);
    check_ok(solve_among(t, some, moved));
    for (int i = 0; i < NODES; i++)
        for (int a = 0, apart = 0; a < 3 && c->at[i] >= 0; a++)
            check_near(moved[sn_compliance_place(c, i, &apart) + a * apart], r[3 * i + a], 1e-8); // floats
}

static void test_compliance(void** state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        Fixture t;
        bool coupled = k % 2, wide = k / 2;
        set_up(&t, 2 * coupled, wide ? 3 : 1);
        t.free_index[5] = -1;
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 5; i++) check_ok(sn_compliance_add(&t.compliance, (7 * i) % NODES));
            check_ok(sn_compliance_add(&t.compliance, 5));
            check(t.compliance.count == 5 &&
                  sn_compliance_entries(&t.compliance) == (coupled ? 25 : 5) * (wide ? 9 : 1));
            check_compliance(&t, coupled && wide ? 2 : 1);
            for (int i = 0; i < NODES; i++) check_ok(sn_compliance_add(&t.compliance, i));
            check(t.compliance.count == NODES - 1);
            check_compliance(&t, coupled && wide ? 3 : 1);
            check_compliance(&t, 0);
            sn_compliance_clear(&t.compliance);
            sn_columns_forget(&t.compliance.columns);
            check(t.compliance.count == 0 && t.compliance.at[0] < 0);
        }
        tear_down(&t);
    }
}

// Columns outlast a minimisation, turned with the nodes as they are by then; ranks are all it takes to have the same
// bits again, and what are no ranks is nothing.
static void test_columns_stay(void** state)
{
    (void)state;
    Fixture t;
    set_up(&t, 2, 3);
    t.free_index[5] = -1;
    SnCompliance* c = &t.compliance;
    double ranks[NODES], bad[NODES];
    float *first, *again;
    for (int i = 0; i < 5; i++) check_ok(sn_compliance_add(c, (7 * i) % NODES));
    check_ok(complete(&t));
    sn_compliance_clear(c);
    for (int i = NODES - 1; i >= 0; i--) check_ok(sn_compliance_add(c, i));
    t.turned = true, t.solves = 0;
    check_ok(complete(&t));
    check(t.solves == (3 * (NODES - 6) + SN_MANY - 1) / SN_MANY);
    int side = c->bodies[0].side, n = 3 * c->count;
    check(SN_NEW(first, (int64_t)side * side, "a test") && SN_NEW(again, (int64_t)side * side, "a test"));
    memcpy(first, c->bodies[0].b, (size_t)side * (size_t)side * sizeof *first);
    sn_columns_save(&c->columns, ranks);
    memcpy(bad, ranks, sizeof bad);
    bad[0] = bad[1];
    for (int k = 0; k < 3; k++) {
        const double* given[3] = {ranks, bad, NULL};
        sn_compliance_clear(c);
        sn_columns_restore(&c->columns, given[k]);
        for (int i = NODES - 1; i >= 0; i--) check_ok(sn_compliance_add(c, i));
        check((sn_compliance_price(c) > 0) == (k > 0));
        t.solves = 0;
        check_ok(complete(&t));
        check(t.solves > 0 && c->bodies[0].side == side);
        memcpy(again, c->bodies[0].b, (size_t)side * (size_t)side * sizeof *again);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int64_t at = (int64_t)i * side + j;
                check(k == 0 ? first[at] == again[at] : fabsf(first[at] - again[at]) < 1e-6f);
                check(again[at] == again[(int64_t)j * side + i]);
            }
    }
    // r = R H^-1 R^T q
    double q[3 * NODES] = {0}, back[3 * NODES] = {0}, moved[3 * NODES], r[3 * NODES];
    for (int i = 0; i < n; i++) q[i] = sin(i + 1.0);
    check_ok(solve_among(&t, q, r));
    for (int i = 0; i < c->count; i++) {
        double turn[9];
        turn_of(NULL, t.free_index[c->bodies[0].node[i]], turn);
        for (int a = 0; a < 3; a++) back[3 * c->bodies[0].node[i] + a] = sn_dot3(turn + 3 * a, q + 3 * i);
    }
    check_ok(solve(&t, back, moved));
    for (int i = 0; i < c->count; i++) {
        double turn[9];
        const double* at = moved + 3 * c->bodies[0].node[i];
        turn_of(NULL, t.free_index[c->bodies[0].node[i]], turn);
        for (int a = 0; a < 3; a++)
            check_near(turn[a] * at[0] + turn[3 + a] * at[1] + turn[6 + a] * at[2], r[3 * i + a], 1e-8);
    }
    sn_free(first), sn_free(again);
    tear_down(&t);
}

// Node 1 is near node 2, and meets what is around it four times: as good as the same contact, with planes that are
// tilted and do not agree on where the other side is.
static void add_cluster(Fixture* t)
{
    const SnStencil rows[] = {
        {.count = 3, .node = {1, 2, 3}, .weight = {1, -0.97, -0.03}, .normal = {0, 1, 0}, .offset = 0.1},
        {.count = 3, .node = {1, 2, 4}, .weight = {1, -0.98, -0.02}, .normal = {0.1, 0.995, 0}, .offset = 0.104},
        {.count = 3, .node = {1, 5, 2}, .weight = {0.99, 0.01, -1}, .normal = {0, 0.995, -0.1}, .offset = 0.098},
        {.count = 3, .node = {2, 1, 0}, .weight = {1, -0.96, -0.04}, .normal = {0, -1, 0}, .offset = 0.102},
    };
    for (int k = 0; k < 4; k++) {
        SnKept item = {.constraint = {.at = rows[k], .unilateral = true, .friction = 0.3, .key = SN_CONTACT_KEYS + k}};
        check_ok(sn_constraint_set_add(&t->set, &item));
    }
}

// How the points of a cluster give way is what the inverse says.
static void check_blocks(Fixture* t, const SnCluster* cluster)
{
    double q[3 * NODES], r[3 * NODES];
    for (int k = 0; k < cluster->count; k++) {
        memset(q, 0, sizeof q);
        sn_stencil_spread(&t->set.items[cluster->item[k]].constraint.at, 1, (double[]){1, 2, 3}, q);
        check_ok(solve(t, q, r));
        for (int l = 0; l < cluster->count; l++)
            for (int a = 0; a < 3; a++) {
                const SnStencil* at = &t->set.items[cluster->item[l]].constraint.at;
                const double* s = cluster->block[l][k] + 3 * (int64_t)a;
                double moved = 0;
                for (int i = 0; i < at->count; i++) moved += at->weight[i] * r[3 * at->node[i] + a];
                check_near(s[0] + 2 * s[1] + 3 * s[2], moved, 1e-7); // floats
            }
    }
}

// Constraints at one place are found as such, others are not, and those with another obstacle are others. Settled they
// are right: none would be changed by what it is off by. Those that have no part in the error stay as they are.
static void test_clusters(void** state)
{
    (void)state;
    for (int width = 1; width <= 3; width += 2) {
        Fixture t;
        SnDualItem items[7];
        int work[] = {0, 1, 2, 3, 4, 5, 6};
        double force[21] = {0}, w[21];
        SnClusters clusters = {0};
        set_up(&t, 0.5, width);
        add_cluster(&t);
        for (int k = 0; k < 3; k++) add_floor(&t, k < 2 ? 9 : 10, 0, 0.3);
        t.set.items[6].constraint.target = 1;
        for (int i = 0; i < NODES; i++) check_ok(sn_compliance_add(&t.compliance, i));
        check_ok(complete(&t));
        for (int i = 0; i < 7; i++) {
            const SnStencil* at = &t.set.items[i].constraint.at;
            items[i] = (SnDualItem){.friction = 0.3, .yield = 0.02, .stiffness = 50};
            memcpy(items[i].normal, at->normal, sizeof at->normal);
            for (int a = 0; a < 3; a++) w[3 * i + a] = i < 4 ? -at->offset * at->normal[a] + 0.01 * (a == 0) : 0;
        }
        SnClusterItems given = {&t.set, items, work, 7, &t.compliance, {solve_body, &t}};
        check_ok(sn_clusters_find(&clusters, &given));
        check(clusters.count == 2);
        const SnCluster *place = &clusters.all[0], *floor = &clusters.all[1];
        check(place->count == 4 && floor->count == 2 && floor->item[0] == 4 && floor->item[1] == 5);
        SnDualSums before = {0}, after = {0};
        for (int i = 0; i < 4; i++) sn_dual_add_error(&items[i], force + 3 * (int64_t)i, w + 3 * (int64_t)i, &before);
        check(sn_clusters_settle(&clusters, &given, before.error, w, force) == 1);
        check_blocks(&t, place);
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < 4; l++)
                for (int a = 0; a < 9; a++) w[3 * k + a / 3] += place->block[k][l][a] * force[3 * l + a % 3];
        for (int i = 0; i < 4; i++) sn_dual_add_error(&items[i], force + 3 * (int64_t)i, w + 3 * (int64_t)i, &after);
        check(before.error > 0 && after.error < 0.0101 * before.error);
        for (int i = 12; i < 21; i++) check(force[i] == 0);
        sn_clusters_free(&clusters);
        tear_down(&t);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_node),
    cmocka_unit_test(test_many_nodes),
    cmocka_unit_test(test_dependent_constraints),
    cmocka_unit_test(test_those_that_push),
    cmocka_unit_test(test_compliance),
    cmocka_unit_test(test_columns_stay),
    cmocka_unit_test(test_clusters),
};
RUN_TESTS(tests, NULL, NULL)
