// Four numbers in one register, loaded from anywhere.
#pragma once

typedef double Four __attribute__((vector_size(32)));
typedef double FourAnywhere __attribute__((vector_size(32), aligned(8), may_alias));

#define LOAD(x) (*(const FourAnywhere*)(x))
#define STORE(x, v) (*(FourAnywhere*)(x) = (v))
