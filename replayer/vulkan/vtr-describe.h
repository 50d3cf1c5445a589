/* Describes this machine's Vulkan devices to the engine, which plans replays with it.
 *
 * Threading: one at a time, between requests. */
#pragma once

#include "vtr-replay-vk.h"

#include "wire/vtr-replay.pb-c.h"

/* Gets each device; valid during the call only. */
typedef void (*VtrDescribeSink) (void *data,
                                 Vtr__Replay__Device *device);

/* Loads the drivers, which takes long, so that the first question finds them there. What goes wrong
 * is told by whoever needs them. */
void vtr_describe_prepare (VtrReplayVk *vk);

/* Returns: why there are none, a sentence; NULL: all were described. */
const char *vtr_describe_devices (VtrReplayVk     *vk,
                                  VtrDescribeSink  sink,
                                  void            *data);

/* Both as the messages have them. @answers: (out): to be freed. Returns: false when there is no
 * such device, or out of memory. */
bool vtr_describe_images (VtrReplayVk               *vk,
                          uint32_t                   device,
                          const ProtobufCBinaryData *images,
                          ProtobufCBinaryData       *answers);
