// Changes to a scene that the command line asks for.
#include "cli/overrides.h"

#include <string.h>

bool sn_overrides_add_set(SnOverrides* overrides, const SnArguments* arguments)
{
    for (int i = 0; sn_option_at(arguments, "set", i); i++)
        if (!sn_overrides_add(overrides, sn_option_at(arguments, "set", i))) return false;
    return true;
}

bool sn_overrides_check_set(const SnArguments* arguments)
{
    for (int i = 0; sn_option_at(arguments, "set", i); i++) {
        const char* text = sn_option_at(arguments, "set", i);
        const char* equals = strchr(text, '=');
        if (equals && equals != text && !strchr(text, '\n')) continue;
        sn_usage_error(arguments, "--set %s: must be PATH=VALUE, as in solver.tolerance=1e-8", text);
        return false;
    }
    return true;
}
