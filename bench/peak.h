// The arithmetic limit of one instruction set: multiply-adds per second on independent registers.
#pragma once
#include "core/isa.h"

double sn_peak_gflops(SnIsa isa); // one thread, double precision, a multiply-add counts two
