/* Which image, and which part of it, a question for a picture means, and where to read it. */
#pragma once

#include "engine/replay-session/vtr-picture.h"
#include "engine/replay-session/vtr-replay-basis.h"
#include "vulkan/vtr-vulkan-replay.h"

G_BEGIN_DECLS

typedef struct
{
  VtrReplayReadImage read; /* captured handles; layout and post not set */
  VkFormat format;         /* to decode the texels by: that of the view */
  guint32 image;           /* object id */
  guint64 created;         /* flat index of the command that made the image */
  gboolean slices;         /* slices of the image have layouts of their own */
  VtrPlace cut;            /* after which command to read: the one asked about, or one before it
                              that left the same contents */
} VtrReplayTarget;

/**
 * vtr_replay_target_find:
 *
 * For an attachment: the image of the pass at the command; outside a pass, of the last pass before
 * it in the same command buffer, submission or frame; for a present the presented image. Blocks;
 * does not replay. Errors: VTR_RESOLVE_ERROR_NOTHING with the reason. Threading: any.
 */
gboolean vtr_replay_target_find (const VtrReplayBasis  *basis,
                                 const VtrPicture      *picture,
                                 VtrReplayTarget       *out,
                                 GError               **error);

/* The last command after which an image or buffer still holds what it held at the end: before the first destruction
 * after the last submission of its life. Threading: any. */
guint64 vtr_replay_find_last_readable (VtrTrace        *trace,
                                       const VtrObject *object);

G_END_DECLS
