/* A device as the replayer describes it. */
#pragma once

#include "engine/replay/vtr-replay-device.h"
#include "vulkan/vtr-vulkan-device.pb-c.h"

G_BEGIN_DECLS

/* (transfer full) Sizes in @message are not trusted. Threading: any. */
VtrReplayDevice *vtr_replay_device_from_message (const Vtr__Vulkan__Device *message);

G_END_DECLS
