/* Hides from programs what the layer cannot record: extensions that the registry does not know
 * or that do more than their record shows, later Vulkan versions than the registry's, and their
 * commands. Extensions whose programs could not be replayed are hidden too. With
 * VITRINE_PASS_UNKNOWN=1 nothing is hidden. VITRINE_PASS_EXTENSIONS lists extensions that are
 * not hidden (separated by commas or spaces; "all" for every one).
 *
 * The host and the trace get a list of hidden features, and of those that the program uses or asks
 * for.
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
