// A rubber bar held at one end sags under its weight: the shortest whole program.
//
//   cc hanging_bar.c $(pkg-config --cflags --libs sinew) -o hanging_bar
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_on(SnStatus status)
{
    if (status == SN_OK) return;
    fprintf(stderr, "%s\n", sn_last_error());
    exit(1);
}

int main(void)
{
    SnWorldDef def = sn_default_world_def();
    def.time_step = 1.0 / 30;
    SnWorld* world;
    stop_on(sn_world_create(&def, &world));

    SnMesh* mesh;
    const double size[3] = {2, 0.5, 0.5};
    const int cells[3] = {16, 4, 4};
    stop_on(sn_mesh_make_box(size, cells, &mesh));

    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 5e5, 0.45, 1100);
    int bar;
    stop_on(sn_world_add_body(world, &body, &bar));

    // Hold the nodes at x = 0.
    int held[100], count = 0;
    const double* nodes = sn_mesh_nodes(mesh);
    for (int i = 0; i < sn_mesh_node_count(mesh); i++)
        if (nodes[3 * i] < 1e-6) held[count++] = i;
    SnHandleDef handle = sn_default_handle_def();
    handle.body = bar;
    handle.nodes = held;
    handle.node_count = count;
    stop_on(sn_world_add_handle(world, &handle, NULL));

    int tip = sn_mesh_node_count(mesh) - 1; // the corner at the far end
    for (int i = 0; i < 60; i++) {
        SnStepReport report;
        stop_on(sn_world_step(world, &report));
        if (i % 10 == 9)
            printf("t = %.2f s  tip at y = %+.3f m  elastic energy %7.2f J  %s in %d iterations\n", report.time,
                   sn_world_positions(world)[3 * tip + 1], report.energy.elastic, sn_outcome_name(report.outcome),
                   report.iterations);
    }
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
    return 0;
}
