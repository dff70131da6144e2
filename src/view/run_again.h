// The steps of a run made again, for what its file does not keep: the residual of every node, and the subdomains.
// A run gives the same bits each time, so these are those of the run.
#pragma once
#include <sinew/run.h>

typedef struct SnRunAgain SnRunAgain;

// The scene is read with the changes that the run was started with; files that it names are looked for beside the run.
SnStatus sn_run_again_create(SnRunFile* run, SnRunAgain** again);
void sn_run_again_destroy(SnRunAgain* again);

// |g| at the end of the step that ends in this frame, N, node_count; of frame 0, none. Earlier frames than the last one
// asked for cost all steps anew.
SnStatus sn_run_again_residual(SnRunAgain* again, int frame, const double** residual);
// The subdomain that each node is in, as the solver `dot` has them; node_count.
SnStatus sn_run_again_subdomains(SnRunAgain* again, const int** part);
