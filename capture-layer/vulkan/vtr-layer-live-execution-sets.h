/* Indirect execution sets (VK_EXT_device_generated_commands): each entry keeps the call that
 * wrote it last, and with it the pipeline or shader object. If the Vulkan registry lacks the
 * extension, there are none. Threading: with the lock of vtr-layer-live.h. */
#pragma once

#include "vtr-layer-live.h"

/* Whether @cmd (canonical) writes entries of an execution set. */
bool vtr_layer_updates_execution_set (VtrCmdId cmd);

void vtr_layer_execution_set_update (VtrLayerWorld *world,
                                     VtrCmdId       called,
                                     const void    *args);
