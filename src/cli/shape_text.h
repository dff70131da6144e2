// Generators for people: their parameters with defaults and units, from the rows of sn_shapes.
#pragma once
#include "mesh/mesh.h"

void sn_print_shape_parameters(const SnShape* shape);
// "2,1,1 m": a parameter's default.
void sn_shape_default_text(const SnShapeParameter* parameter, char* text, size_t size);
