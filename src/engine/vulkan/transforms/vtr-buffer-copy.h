/* Allocates command buffers that only a replay has, for copies of recordings. */
#pragma once

#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/* Allocates a command buffer from the pool that @original has at command @index: passes the allocation to @next. @out: the new
 * captured-side handle. Errors: VTR_REPLAY_ERROR_TRACE if the trace does not say how @original was allocated; those of
 * @next. Threading: one at a time. */
gboolean vtr_buffer_copy_allocate (VtrTransform     *next,
                                   VtrHistory       *history,
                                   guint64           original,
                                   guint64           index,
                                   VkCommandBuffer  *out,
                                   GError          **error);

G_END_DECLS
