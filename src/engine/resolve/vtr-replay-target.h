/* Which image a command's framebuffer view shows. */
#pragma once

#include "engine/resolve/vtr-document.h"
#include "wire/vtr-replay-functions.h"

G_BEGIN_DECLS

typedef struct
{
  VtrReplayReadImage read; /* captured handles; layout and post not set */
  VkFormat format;         /* to decode the texels by: that of the view */
  guint32 image;           /* object id */
  guint64 created;         /* flat index of the command that made the image */
} VtrReplayTarget;

/**
 * vtr_replay_target_find:
 *
 * The image that @attachment means after command @index: the one of its pass; outside a pass, of
 * the last pass before it in the same command buffer, submission or frame; for a present the
 * presented image. Blocks; does not replay. Errors: VTR_RESOLVE_ERROR_NOTHING with the reason.
 * Threading: any.
 */
gboolean vtr_replay_target_find (VtrDocument        *document,
                                 guint64             index,
                                 guint32             run,
                                 VtrAttachmentKind   attachment,
                                 VtrReplayTarget    *out,
                                 GError            **error);

G_END_DECLS
