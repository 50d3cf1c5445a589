/* A device as the replayer describes it. */
#pragma once

#include "engine/replay/vtr-replay-device.h"
#include "wire/vtr-replay-message.h"

G_BEGIN_DECLS

/* (transfer full) Sizes in @message are not trusted. Threading: any. */
VtrReplayDevice *vtr_replay_device_from_message (const Vtr__Replay__Device *message);

G_END_DECLS
