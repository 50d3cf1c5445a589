/* Follows the layout of one image subresource through a command stream.
 *
 * Layouts change when a command buffer is submitted, not when it is recorded. */
#pragma once

#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/**
 * VtrLayoutTracker: Threading: one at a time.
 */
typedef struct _VtrLayoutTracker VtrLayoutTracker;

/* Follows aspect @aspect of mip level @mip and layer @layer of the VkImage @image, which command @created created.
 * @slices: @layer is a slice of a 3D image whose slices have layouts of their own. */
VtrLayoutTracker *vtr_layout_tracker_new (guint64            image,
                                          guint64            created,
                                          VkImageAspectFlags aspect,
                                          guint32            mip,
                                          guint32            layer,
                                          gboolean           slices);
void vtr_layout_tracker_free (VtrLayoutTracker *self);

/* Has to get every command of the stream, also those that transforms make. */
void vtr_layout_tracker_command (VtrLayoutTracker *self,
                                 const VtrCommand *command);

/* Brings the tracker to the state at @start, as if it had followed the trace up to there. The first call for an image reads
 * the commands before. Errors: those of the trace. */
gboolean vtr_layout_tracker_resume (VtrLayoutTracker   *self,
                                    VtrTransformStart  *start,
                                    GError            **error);

/* The current layout; VK_IMAGE_LAYOUT_UNDEFINED if the image was not created yet or never got contents. */
VkImageLayout vtr_layout_tracker_get (VtrLayoutTracker *self);

/* Whether the tracker uses commands of @id. Others need not be decoded. */
gboolean vtr_layout_tracker_follows (VtrCmdId id);

G_END_DECLS
