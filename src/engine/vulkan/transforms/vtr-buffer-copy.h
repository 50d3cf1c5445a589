/* A command buffer that only a replay has, to record a copy of another one's commands into. */
#pragma once

#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/* Sends @next the allocation of a command buffer from the pool of @original, as that was at command
 * @index, and puts its captured-side handle into @out. Errors: VTR_REPLAY_ERROR_TRACE when the trace
 * does not say how @original was allocated. */
gboolean vtr_buffer_copy_allocate (VtrTransform     *next,
                                   VtrHistory       *history,
                                   guint64           original,
                                   guint64           index,
                                   VkCommandBuffer  *out,
                                   GError          **error);

G_END_DECLS
