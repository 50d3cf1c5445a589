/* The images a render pass instance draws to. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* Fills the attachments, view mask and render area of @state from its pass_begin and subpass (the
   pass of a primary command buffer). What is not in the trace stays empty. */
void vtr_attachments_fill (VtrHistory    *history,
                           VtrBoundState *state);

/* What is known of the pass that a secondary inherits when nobody executes it: formats from its
   render pass or its VkCommandBufferInheritanceRenderingInfo, images from its framebuffer. @begin:
   flat index of its vkBeginCommandBuffer. */
void vtr_attachments_fill_inherited (VtrHistory    *history,
                                     guint64        begin,
                                     VtrBoundState *state);

/* Fills all of @out but the layout from a view handle as command @index means it. */
void vtr_attachments_describe_view (VtrHistory    *history,
                                    guint64        index,
                                    guint64        handle,
                                    VtrAttachment *out);
/* The views of a framebuffer, or those given when its pass began (@begin, nullable). Returns: how
   many; @views lie in @arena. */
guint32 vtr_attachments_get_pass_views (VtrHistory                   *history,
                                        guint64                       index,
                                        guint64                       framebuffer,
                                        const VkRenderPassBeginInfo  *begin,
                                        VtrArena                     *arena,
                                        const VkImageView           **views);

/* Calls @func for each image that the load operations of the pass that begins at @begin clear. */
typedef void (*VtrClearedFunc) (guint32 image,
                                gpointer data);
void vtr_attachments_visit_cleared (VtrHistory     *history,
                                    guint64         begin,
                                    VtrClearedFunc  func,
                                    gpointer        data);

/* Formats with a depth or a stencil aspect. */
gboolean vtr_format_has_depth (VkFormat format);
gboolean vtr_format_has_stencil (VkFormat format);

G_END_DECLS
