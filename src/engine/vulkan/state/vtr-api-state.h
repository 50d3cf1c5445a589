/* The whole API state at a command: every living object with what has changed in it since it was
   made (docs/design/state.md). */
#pragma once

#include "engine/state/vtr-state-store.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/**
 * VtrApiState:
 *
 * What the API's objects were after one command. Objects are those of VtrHistory; this adds what
 * changed in them beyond their creation. Threading: any (immutable). Atomically reference-counted.
 */
typedef struct _VtrApiState VtrApiState;

VtrApiState *vtr_api_state_ref (VtrApiState *self);
void vtr_api_state_unref (VtrApiState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrApiState, vtr_api_state_unref)

/* The command it is after, and the run of that command's recording (VTR_NO_RUN: the command
   is not inside a command buffer, or was never submitted). */
guint64 vtr_api_state_get_index (VtrApiState *self);
guint32 vtr_api_state_get_run (VtrApiState *self);
VtrHistory *vtr_api_state_get_history (VtrApiState *self);
VtrTimeline *vtr_api_state_get_timeline (VtrApiState *self);
/* The object lives: was made at or before the command and not ended by then. */
gboolean vtr_api_state_is_alive (VtrApiState *self,
                                 guint32      id);
/* The command made @id, or changed something in it. */
gboolean vtr_api_state_is_changed (VtrApiState *self,
                                   guint32      id);

/* Where a buffer, or plane @plane of an image, has its memory. */
typedef struct
{
  guint32 memory; /* object id of the VkDeviceMemory; 0: none is bound */
  guint64 offset;
  guint64 command; /* that bound it */
} VtrStateBinding;

/* Returns: FALSE when nothing is bound. */
gboolean vtr_api_state_get_binding (VtrApiState     *self,
                                    guint32          id,
                                    guint            plane,
                                    VtrStateBinding *out);
/* The layout of one subresource of an image; VK_IMAGE_LAYOUT_UNDEFINED for what does not exist. */
VkImageLayout vtr_api_state_get_layout (VtrApiState           *self,
                                        guint32                id,
                                        VkImageAspectFlagBits  aspect,
                                        guint32                mip,
                                        guint32                layer);

G_END_DECLS
