// Overrides of the command line: `bodies.bar.material.young=1e6` changes the tree before it is interpreted.
#pragma once
#include "scene/tree.h"

// The path's segments are keys, numbers of list items (from 0), their `name:` or `*` for all; missing mappings are
// created. The
// value is YAML. Bad ones are recorded as problems; only SN_ERROR_MEMORY is returned.
SnStatus sn_override_apply(SnProblems* problems, SnNode* root, const char* override);
