/* Copies to and from images that the host does itself (VK_EXT_host_image_copy). Where the registry does
   not know them there are none. Threading: any. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* @id: also one that no registry has. */
gboolean vtr_is_host_copy (VtrCmdId id);
/* The images (VkImage) that it reads and writes; 0: none. Returns: FALSE for other commands. */
gboolean vtr_host_copy_read (const VtrCommand *command,
                             guint64          *source,
                             guint64          *destination);

G_END_DECLS
