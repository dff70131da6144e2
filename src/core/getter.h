// Public functions that tell a member of a struct whose inside is not public.
#pragma once
#include "core/handle.h"

#define SN_GETTER(Type, function, Owner, member)                   \
    Type function(Owner owner)                                     \
    {                                                              \
        return sn_handle_lives(owner) ? owner->member : (Type){0}; \
    }
