// `sinew-mpi run`: a scene on several processes, to one run file.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

#include "archive/run_file.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/simulate.h"
#include "cli/stop.h"
#include "mpi/deal.h"
#include "mpi/distribute.h"
#include "mpi/linear.h"
#include "mpi/mpi_program.h"
#include "mpi/pieces.h"
#include "scene/scene.h"
#include <sinew/run.h>

// What the loop works on; the run file is the first process's.
typedef struct Loop {
    const SnSimulation* simulation;
    SnShared shared;
    SnPieces pieces;
    SnRunFile* run;
    SnProgress progress;
    int64_t step, last_step;
    int every;
} Loop;

static void print_log(void* user, SnLogLevel level, const char* message)
{
    Loop* loop = user;
    if (level != SN_LOG_WARNING || loop->simulation->quiet) return;
    sn_progress_clear(&loop->progress);
    fprintf(stderr, "sinew-mpi: warning: %s\n", message);
}

static SnStatus open_file(Loop* loop, const SnStepReport* start)
{
    const SnSimulation* s = loop->simulation;
    const char* text = sn_scene_text(s->scene);
    const SnRunShared* shared = &loop->shared.gather.run;
    const SnSceneOutput* output = sn_scene_output(s->scene);
    if (s->resume)
        SN_TRY(sn_run_file_resume_shared(s->path, text, shared, &loop->run));
    else
        SN_TRY(sn_run_file_create_shared(s->path, shared, start,
                                         &(SnRunOptions){.name = sn_scene_name(s->scene),
                                                         .scene = text,
                                                         .compress = output->compress,
                                                         .contacts = output->contacts},
                                         &loop->run));
    return sn_simulation_describe(s, loop->run);
}

// The first process does something with the run file, for which others give what they have.
static SnStatus with_all(Loop* loop, SnStatus (*work)(Loop* loop, const SnStepReport* report),
                         const SnStepReport* report)
{
    SnShared* shared = &loop->shared;
    SnStatus status = SN_OK;
    SN_TRY(sn_gather_begin(&shared->gather));
    if (shared->rank == 0)
        status = work(loop, report), sn_gather_end(&shared->gather);
    else
        sn_gather_serve(&shared->gather);
    return sn_mpi_agree(shared->comm, status);
}

static SnStatus open_run(Loop* loop)
{
    const SnSimulation* s = loop->simulation;
    SnWorldDef* def = sn_scene_world_def(s->scene);
    SnShared* shared = &loop->shared;
    def->threads = s->threads ? s->threads : 1; // processes are what there are several of
    def->log = (SnLog){loop, print_log};
    if (def->sleep.speed > 0)
        return sn_fail(SN_ERROR_UNSUPPORTED, "bodies do not `sleep` in several processes; `sinew run` has them do it");
    if (sn_scene_output(s->scene)->residuals)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "`residuals` of `output` are not kept by several processes; `sinew run` does");
    SN_TRY(sn_shared_create(MPI_COMM_WORLD, s->scene, true, shared));
    sn_scene_forget_meshes(s->scene);
    SnStepReport start;
    SN_TRY(sn_mpi_agree(shared->comm, sn_world_measure(shared->part, &start)));
    SN_TRY(with_all(loop, open_file, &start));
    sn_shared_drop_whole(shared);
    if (s->resume) {
        SN_TRY(sn_gather_restore(&shared->gather, loop->run));
        sn_world_discard_problem(shared->part);
        shared->part->elastic = NAN;
    }
    loop->step = shared->part->state.step;
    SN_TRY(sn_pieces_begin(s, shared, &loop->pieces));
    return sn_pieces_write(shared, &loop->pieces);
}

static SnStatus write_frame(Loop* loop, const SnStepReport* report)
{
    (void)report;
    return sn_run_file_write_shared(loop->run, &loop->shared.gather.run);
}

static SnStatus write_step(Loop* loop, const SnStepReport* report, bool frame)
{
    SnShared* shared = &loop->shared;
    SnStatus status = shared->rank == 0 ? sn_run_file_add_step(loop->run, report) : SN_OK;
    SN_TRY(sn_mpi_agree(shared->comm, status));
    if (!frame) return SN_OK;
    SN_TRY(with_all(loop, write_frame, report));
    return sn_pieces_write(shared, &loop->pieces);
}

static SnStatus make_step(Loop* loop, bool* stop)
{
    SnShared* shared = &loop->shared;
    SnStepReport report;
    SnStatus status = sn_world_step(shared->part, &report);
    if (status != SN_OK) sn_mpi_end_all(shared->rank); // others may wait for this one in the middle of a step
    *stop = sn_share_any(shared->part->model.tasks, sn_stop_wanted());
    loop->step = report.step;
    bool frame = loop->step % loop->every == 0 || loop->step >= loop->last_step || *stop;
    SN_TRY(write_step(loop, &report, frame));
    sn_progress_step(&loop->progress, &report, frame);
    return SN_OK;
}

// What a process has had of memory at most, MB.
static double most_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}

static void tell_traffic(const Loop* loop, double steps)
{
    const SnFabric* f = loop->shared.fabric;
    const SnTraffic* t = &f->traffic;
    double sums[3] = {(double)t->bytes, (double)t->messages, (double)t->spread_bytes}, memory = most_memory();
    double iterations = loop->progress.iterations > 0 ? loop->progress.iterations : 1, each = iterations * f->size;
    f->share.sum(f->share.self, 3, sums);
    f->share.largest(f->share.self, 1, &memory);
    if (loop->simulation->quiet || steps == 0) return;
    printf("%d processes of at most %.0f MB%s; for each iteration and process %.1f kB to neighbours in %.1f messages, ",
           f->size, memory, loop->shared.parts ? ", none of which had all of the mesh" : "", sums[0] / 1e3 / each,
           sums[1] / each);
    if (f->of.common_count > 0) printf("%.1f kB of surfaces to all, ", sums[2] / 1e3 / each);
    printf("and %.1f sums over all\n", (double)t->sums / iterations);
}

static int simulate_steps(Loop* loop)
{
    const SnSimulation* s = loop->simulation;
    bool stop = false;
    SnStatus status = open_run(loop);
    if (status != SN_OK) return sn_exit_of(status);
    int64_t first = loop->step;
    loop->progress = sn_progress_start(s->quiet, loop->step, loop->last_step);
    sn_stop_may_leave(s->path);
    while (status == SN_OK && loop->step < loop->last_step && !stop) status = make_step(loop, &stop);
    sn_stop_ignore();
    sn_progress_clear(&loop->progress);
    if (status == SN_OK) status = sn_mpi_agree(MPI_COMM_WORLD, loop->run ? sn_run_file_close(loop->run) : SN_OK);
    if (status == SN_OK) loop->run = NULL;
    if (status == SN_OK) status = sn_mpi_agree(MPI_COMM_WORLD, sn_pieces_end(&loop->pieces));
    sn_progress_summary(&loop->progress);
    if (status != SN_OK) {
        sn_exit_of(status);
        return SN_EXIT_FAILED;
    }
    tell_traffic(loop, (double)(loop->step - first));
    if (loop->step < loop->last_step) {
        sn_complain("stopped after step %" PRId64 " of %" PRId64 "; the same command with --resume goes on from there, "
                    "with any number of processes",
                    loop->step, loop->last_step);
        return SN_EXIT_FAILED;
    }
    if (!s->quiet) printf("wrote %s\n", s->path);
    if (!s->quiet && loop->pieces.job)
        printf("wrote %s/ (vtu, in %d pieces)\n", loop->pieces.folder, loop->shared.size);
    return SN_EXIT_DONE;
}

static int simulate(const SnSimulation* simulation)
{
    Loop loop = {.simulation = simulation,
                 .last_step = sn_scene_frames(simulation->scene),
                 .every = sn_scene_output(simulation->scene)->every};
    sn_stop_listen("sinew-mpi");
    int code = simulate_steps(&loop);
    sn_run_file_destroy(loop.run);
    sn_pieces_free(&loop.pieces);
    sn_shared_free(&loop.shared);
    return code;
}

static int run(const SnArguments* arguments)
{
    const char* preconditioner = sn_option_value(arguments, "preconditioner");
    for (int k = 0; preconditioner; k++) {
        const char* name = sn_linear_preconditioners[k];
        if (!name) {
            sn_complain("--preconditioner %s is not known; there are gamg, bddc, asm and jacobi", preconditioner);
            return SN_EXIT_USAGE;
        }
        if (strcmp(name, preconditioner) != 0) continue;
        sn_linear_set_preconditioner(name);
        break;
    }
    MPI_Comm all = MPI_COMM_WORLD;
    SnMeshDealer dealer = sn_mpi_dealer(&all);
    return sn_run_scene(arguments, &(SnSceneSource){.path = arguments->words[0], .dealer = &dealer}, simulate);
}

static const SnOption options[] = {
    SN_RUN_OPTIONS,
    {"preconditioner", 0, "NAME", false, "of Newton's linear systems: gamg (default), bddc, asm or jacobi"},
    {0}};

const SnCommand sn_command_mpi_run = {
    .name = "run",
    .usage = "SCENE [-o RUN] [options]",
    .summary = "simulate a scene on several processes: mpirun -n 8 sinew-mpi run SCENE",
    .help = "The scene and the run file are those of `sinew run`. Solids in boxes, gmsh, TetGen and medit files are\n"
            "read in parts: no process needs room for all of a mesh. --resume goes on with any number of processes,\n"
            "also of a run that `sinew run` began. SIGTERM, which mpirun makes of Ctrl-C, too, ends it after at most\n"
            "a second with what it has saved by then. --threads is for each process (1). What is not distributed\n"
            "yet is refused by name. PETSC_OPTIONS may have options of PETSc's, with the prefix -sinew_.",
    .parameters = sn_run_parameters,
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
