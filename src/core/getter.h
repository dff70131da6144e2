// Public functions that tell a member of a struct whose inside is not public.
#pragma once

#define SN_GETTER(Type, function, Owner, member) \
    Type function(Owner owner)                   \
    {                                            \
        return owner->member;                    \
    }
