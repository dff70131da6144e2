// How much memory a command may take: what --memory says, or what is free. What needs more is refused with numbers
// instead of being killed by the system.
#include "cli/run.h"

static SnBudget budget; // of the program

bool sn_take_memory(const SnArguments* arguments)
{
    const char* given = sn_option_value(arguments, "memory");
    size_t limit = sn_memory_free();
    if (given && !sn_size_read(given, &limit)) {
        sn_usage_error(arguments, "--memory %s: must be a size such as 500M or 4G", given);
        return false;
    }
    sn_budget_start(&budget, limit);
    budget.element_bytes = 1; // until a scene says what it is solved by
    return true;
}

void sn_give_memory_back(void)
{
    sn_budget_stop();
}

SnSizeWords sn_memory_taken(void)
{
    return sn_size_words(atomic_load(&budget.highest));
}

SnStatus sn_explain_memory(SnStatus status)
{
    return sn_budget_explain(&budget, status);
}
