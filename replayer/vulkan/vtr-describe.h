/* Describes this machine's Vulkan devices to the engine, which plans replays with it.
 *
 * Threading: one at a time, between requests. */
#pragma once

#include "vtr-vk-objects.h"

/* Loads the drivers, which takes long, before the first request. Errors are reported by the first
 * request that needs them. */
void vtr_describe_prepare (VtrReplayVk *vk);

/* Gives each device as a packed vtr.vulkan.Device. Returns: why there are none, a sentence; NULL: all were
 * described. */
const char *vtr_describe_devices (VtrReplayVk     *vk,
                                  VtrDescribeSink  sink,
                                  void            *data);

/* @question: a packed vtr.vulkan.ImageQuestion. Returns: false when there is no such device, or out of
 * memory. */
bool vtr_describe_images (VtrReplayVk     *vk,
                          const void      *question,
                          size_t           size,
                          VtrDescribeSink  sink,
                          void            *data);
