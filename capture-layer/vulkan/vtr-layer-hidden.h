/* What programs do not get to see because the layer could not follow it: extensions that the registry
 * does not know or that mean more than their record tells, versions after the one it was written for,
 * and their commands. Extensions whose programs could not be replayed are hidden, too. With
 * VITRINE_PASS_UNKNOWN=1 nothing is hidden, with VITRINE_PASS_EXTENSIONS not what it names (separated
 * by commas or spaces; "all").
 *
 * The host and the trace are told what is hidden, and which of it a program uses or asks for.
 *
 * Threading: any. */
#pragma once

#include "vtr-layer.h"

/* Whether the application does not get to see this device extension. */
bool vtr_layer_hides_extension (const VtrLayerInstance *instance,
                                VkPhysicalDevice        physical,
                                const char             *name);

/* Says, to the host and in the trace, which extensions of @info the layer does not follow. @device:
 * NULL if it could not be made. */
void vtr_layer_report_unfollowed (const VtrLayerInstance   *instance,
                                  VkPhysicalDevice          physical,
                                  VtrLayerDevice           *device,
                                  const VkDeviceCreateInfo *info);

/* Whether the application gets no such function; VTR_CMD_NONE: one that the registry does not know. */
bool vtr_layer_hides_command (VtrCmdId cmd);
