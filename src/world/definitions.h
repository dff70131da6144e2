// The parameters of a world, and the checks of its definition.
#pragma once
#include <sinew/world.h>

#include "core/parameter.h"

extern const SnParameter sn_time_parameters[], sn_world_parameters[]; // members of SnWorldDef
extern const SnParameter sn_contact_parameters[];                     // of SnContactDef
extern const SnParameter sn_sleep_parameters[];                       // of SnSleepDef
extern const SnParameter sn_obstacle_parameters[];                    // of SnObstacleDef
extern const SnParameter sn_body_parameters[];                        // of SnBodyDef (world/body_element.c)
extern const SnParameter sn_body_contact_parameters[];                // of SnBodyContactDef
extern const SnParameter sn_contact_pair_parameters[];                // of SnContactPairDef
extern const SnParameter sn_limits_parameters[];                      // of SnLimits
extern const SnParameter sn_hinge_parameters[];                       // the same
extern const SnParameter sn_handle_parameters[];                      // of SnHandleDef
extern const SnParameter sn_slide_parameters[];                       // of SnSlideDef
extern const SnParameter sn_attachment_parameters[];                  // of SnAttachmentDef (world/attachment.c)
extern const SnParameter sn_probe_parameters[];                       // of SnProbeDef (world/probe.c)

SnStatus sn_actuator_check(const SnActuatorDef* def); // (world/actuator.c)
// Checks what is given, and makes of it one with every name as its table has it: the caller's texts may go away.
SnStatus sn_world_def_resolve(const SnWorldDef* given, SnWorldDef* def);
SnStatus sn_check_time_step(double time_step);
#define SN_LOCKING 0.45 // Poisson's ratio above which linear tetrahedra are too stiff
// Elements of a body of this dimension and material.
SnStatus sn_element_check(const SnBodyDef* def, int dimension, const SnMaterialType* type);
// Limits of a body made of elements of this dimension; `of` names them in messages.
SnStatus sn_limits_check(const SnLimits* limits, int dimension, const char* of);
