/* Answers questions about Vulkan's objects in a state. Threading: any. */
#pragma once

#include "engine/state/vtr-api-state.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* The memory that is bound to a buffer, or to one plane of an image. */
typedef struct
{
  guint32 memory; /* object id of the VkDeviceMemory; 0: none is bound */
  guint64 offset;
  guint64 command; /* flat index of the command that bound it */
} VtrStateBinding;

/* Returns: FALSE if no memory is bound. */
gboolean vtr_api_state_get_binding (VtrApiState     *self,
                                    guint32          id,
                                    guint            plane,
                                    VtrStateBinding *out);
/* The layout of one subresource of image @id; VK_IMAGE_LAYOUT_UNDEFINED if there is no such subresource. */
VkImageLayout vtr_api_state_get_layout (VtrApiState           *self,
                                        guint32                id,
                                        VkImageAspectFlagBits  aspect,
                                        guint32                mip,
                                        guint32                layer);

/* The last command of one of @classes that ran before the position of the state; VTR_COMMAND_NO_INDEX: none. */
guint64 vtr_api_state_find_last (VtrApiState *self,
                                 VtrApiClass  classes);

G_END_DECLS
