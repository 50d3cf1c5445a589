/* A render pass like another, of which every attachment can be read in the middle. */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/state/vtr-pass-references.h"

G_BEGIN_DECLS

/**
 * vtr_render_pass_clone:
 * @creation: the decoded vkCreateRenderPass or vkCreateRenderPass2 of the original; changed in
 * place
 * @arena: of @creation
 * @subpass: in which the pass will be left
 * @spared: (element-type VtrPassReference) (nullable): resolves of a pass of several subpasses that
 * must not take place, as their targets hold something by then
 * @handle: captured-side value of the new render pass
 *
 * Makes all store operations STORE, keeps what later subpasses would clear or discard at their
 * start (LOAD), and leaves out the resolves of a pass of one subpass, which would overwrite their
 * targets with an unfinished picture. None of this affects compatibility, so pipelines and
 * framebuffers stay. What is @spared does by the letter of the specification, which knows no
 * better way to end a pass early; but a pipeline's code does not depend on what is resolved.
 * Returns: the number of subpasses; 0 when @creation is no such command.
 */
guint32 vtr_render_pass_clone (VtrCommand   *creation,
                               VtrArena     *arena,
                               guint32       subpass,
                               const GArray *spared,
                               guint64      *handle);

G_END_DECLS
