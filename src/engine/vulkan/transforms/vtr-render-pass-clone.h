/* A render pass like another, of which every attachment can be read in the middle. */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/vulkan/state/vtr-pass-references.h"

G_BEGIN_DECLS

/* How a clone differs. */
typedef struct
{
  gboolean cut; /* the pass is left early, in .subpass: everything is stored, what later
                           subpasses would clear or discard at their start is loaded, and a pass of one
                           subpass resolves nothing, for the picture is unfinished */
  guint32 subpass;
  const GArray *spared; /* VtrPassReference (nullable): resolves of a pass of several subpasses that
                           must not take place, as their targets hold something by then */
  gboolean resumed;     /* the pass ran before, was cut in .resumed_subpass, and goes on: loads what it
                           has used, from where the first part left it */
  guint32 resumed_subpass;
} VtrRenderPassClone;

/**
 * vtr_render_pass_clone:
 * @creation: the decoded vkCreateRenderPass or vkCreateRenderPass2 of the original; changed in
 * place
 * @arena: of @creation
 * @handle: captured-side value of the new render pass
 *
 * None of this affects compatibility, so pipelines and framebuffers stay. What is spared does by the
 * letter of the specification, which knows no better way to end a pass early; but a pipeline's code
 * does not depend on what is resolved.
 * Returns: the number of subpasses; 0 when @creation is no such command.
 */
guint32 vtr_render_pass_clone (VtrCommand               *creation,
                               VtrArena                 *arena,
                               const VtrRenderPassClone *what,
                               guint64                  *handle);

G_END_DECLS
