/* What programs do not get to see because the layer could not follow it: extensions that the registry
 * does not know or that mean more than their record tells, versions after the one it was written for,
 * and their commands. Extensions whose programs could not be replayed are hidden, too. With
 * VITRINE_PASS_UNKNOWN=1 nothing is hidden.
 *
 * Threading: any. */
#pragma once

#include "vtr-layer.h"

/* Whether the application does not get to see this device extension. */
bool vtr_layer_hides_extension (const char *name);

/* Whether the application gets no such function; VTR_CMD_NONE: one that the registry does not know. */
bool vtr_layer_hides_command (VtrCmdId cmd);
