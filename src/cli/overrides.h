// Changes to a scene that the command line asks for.
#pragma once
#include "cli/command.h"
#include "scene/override_list.h"

// The values of --set.
bool sn_overrides_add_set(SnOverrides* overrides, const SnArguments* arguments);
// Complains and returns false when a --set is not PATH=VALUE.
bool sn_overrides_check_set(const SnArguments* arguments);
