/* Questions about Vulkan's objects in a state. Threading: any. */
#pragma once

#include "engine/state/vtr-api-state.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

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

/* The last command that ran before the state's own position and is of one of @classes; and the last
   submission. VTR_COMMAND_NO_INDEX: none. */
guint64 vtr_api_state_find_last (VtrApiState *self,
                                 VtrApiClass  classes);

G_END_DECLS
