// Four numbers in one register, loaded from anywhere; and eight, which are one or two.
#pragma once

typedef double Four __attribute__((vector_size(32)));
typedef double FourAnywhere __attribute__((vector_size(32), aligned(8), may_alias));

#define LOAD(x) (*(const FourAnywhere*)(x))
#define STORE(x, v) (*(FourAnywhere*)(x) = (v))

typedef double Eights __attribute__((vector_size(64), aligned(8), may_alias));
#define LOAD8(x) (*(const Eights*)(x))
#define STORE8(x, v) (*(Eights*)(x) = (v))
