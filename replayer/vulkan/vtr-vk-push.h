/* Pushed descriptors where the driver has none.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

/* Called when a command buffer is recorded again. */
void vtr_push_restart (VtrReplayVk     *vk,
                       VtrReplayObject *commands);

/* Frees the data about an object, before its device ends. */
void vtr_push_forget (VtrReplayVk     *vk,
                      VtrReplayObject *object);
