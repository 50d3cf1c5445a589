/* How VtrMemoryObjects follows passes, descriptor sets and shaders that use addresses. */
#pragma once

#include "api/vtr-api-args.h"
#include "engine/vulkan/memory/vtr-memory-objects.h"

G_BEGIN_DECLS

/* @position: VTR_MEMORY_NONE forgets the handle. */
void vtr_memory_objects_name (VtrMemoryObjects *self,
                              VtrHandleId       type,
                              guint64           handle,
                              guint32           position);

void vtr_memory_objects_create_framebuffer (VtrMemoryObjects                  *self,
                                            const VtrArgs_vkCreateFramebuffer *args);
/* @command: of either version. */
void vtr_memory_objects_create_render_pass (VtrMemoryObjects *self,
                                            const VtrCommand *command);

gboolean vtr_memory_addressing_wants (VtrCmdId id);
/* Does nothing for commands that make no shaders. */
void vtr_memory_addressing_apply (VtrMemoryObjects *self,
                                  const VtrCommand *command);

void vtr_memory_set_free (gpointer data);
gboolean vtr_memory_sets_want (VtrCmdId id);
/* Returns: FALSE for commands that are not about descriptor sets. */
gboolean vtr_memory_sets_apply (VtrMemoryObjects *self,
                                const VtrCommand *command);

G_END_DECLS
