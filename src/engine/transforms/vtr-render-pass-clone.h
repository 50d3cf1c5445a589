/* A render pass like another, of which every attachment can be read in the middle. */
#pragma once

#include "engine/format/vtr-command.h"

G_BEGIN_DECLS

/**
 * vtr_render_pass_clone:
 * @creation: the decoded vkCreateRenderPass or vkCreateRenderPass2 of the original; changed in
 * place
 * @subpass: in which the pass will be left
 * @handle: captured-side value of the new render pass
 *
 * Makes all store operations STORE, keeps what later subpasses would clear or discard at their
 * start (LOAD), and leaves out the resolves of a pass of one subpass, which would overwrite their
 * targets with an unfinished picture. None of this affects compatibility, so pipelines and
 * framebuffers stay. Returns: the number of subpasses; 0 when @creation is no such command.
 */
guint32 vtr_render_pass_clone (VtrCommand *creation,
                               guint32     subpass,
                               guint64    *handle);

G_END_DECLS
