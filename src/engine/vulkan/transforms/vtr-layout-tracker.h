/* The layout one image subresource is in, followed through a command stream.
 *
 * Recording a command buffer changes nothing; submitting it does. */
#pragma once

#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/**
 * VtrLayoutTracker: Threading: one at a time.
 */
typedef struct _VtrLayoutTracker VtrLayoutTracker;

/* Follows mip @mip, layer @layer, aspect @aspect of the VkImage @image that command @created
 * made. @slices: @layer is a slice of a 3D image, which has a layout of its own. */
VtrLayoutTracker *vtr_layout_tracker_new (guint64            image,
                                          guint64            created,
                                          VkImageAspectFlags aspect,
                                          guint32            mip,
                                          guint32            layer,
                                          gboolean           slices);
void vtr_layout_tracker_free (VtrLayoutTracker *self);

/* Every command of the stream, those made by transforms included. */
void vtr_layout_tracker_command (VtrLayoutTracker *self,
                                 const VtrCommand *command);

/* Knows what happened before @start as if it had followed the trace up to there. The first time for
 * an image costs a look at the commands before. */
gboolean vtr_layout_tracker_resume (VtrLayoutTracker   *self,
                                    VtrTransformStart  *start,
                                    GError            **error);

/* VK_IMAGE_LAYOUT_UNDEFINED: not created yet, or nothing was ever put into it. */
VkImageLayout vtr_layout_tracker_get (VtrLayoutTracker *self);

/* Whether the tracker looks at commands of @id; the others need not be decoded. */
gboolean vtr_layout_tracker_follows (VtrCmdId id);

G_END_DECLS
