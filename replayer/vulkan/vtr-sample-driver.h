/* Gives src/vulkan's readers and writers of single samples the device functions they need.
 * Threading: the replay thread. */
#pragma once

#include "vtr-vk-objects.h"

#include "vulkan/vtr-vulkan-samples.h"

/* Valid as long as @table. */
void vtr_sample_driver_init (VtrSamplesDriver *self,
                             VtrReplayVk      *vk,
                             VtrTable         *table);
