/* Finds the images to which a render pass instance draws. Threading: any. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/* Fills the attachments, view mask and render area of @state from its .pass_begin and .subpass, for a pass that a primary
 * command buffer began. Fields that the trace does not tell stay empty. */
void vtr_attachments_fill (VtrHistory    *history,
                           VtrBoundState *state);

/* Fills the attachments for a secondary that no primary executes, from what it inherits: formats from its render pass or its
 * VkCommandBufferInheritanceRenderingInfo, images from its framebuffer. @begin: flat index of its vkBeginCommandBuffer. */
void vtr_attachments_fill_inherited (VtrHistory    *history,
                                     guint64        begin,
                                     VtrBoundState *state);

/* Fills @out, except for the layout, from the view that @handle means to command @index. */
void vtr_attachments_describe_view (VtrHistory    *history,
                                    guint64        index,
                                    guint64        handle,
                                    VtrAttachment *out);
/* The views of @framebuffer; if it is imageless, those of @begin. @begin: (nullable). @views: (out): in @arena. Returns: their
 * number. */
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
