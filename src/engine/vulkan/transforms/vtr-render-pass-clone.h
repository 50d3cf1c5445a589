/* Copies a render pass so that it can be left early and all its attachments can be read. */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/vulkan/state/vtr-pass-references.h"

G_BEGIN_DECLS

/* How the copy differs from the original. */
typedef struct
{
  gboolean cut; /* the pass is left early, in .subpass: all attachments are stored; attachments that
                             later subpasses would clear or discard are loaded; a pass of one subpass resolves
                             nothing, because its picture is unfinished */
  guint32 subpass;
  const GArray *spared; /* VtrPassReference (nullable): in passes of several subpasses, the resolves to leave
                             out, because their targets already hold contents that the picture needs */
  gboolean resumed;     /* the pass was cut in .resumed_subpass, and this is its second part: it loads the
                             attachments that the first part used */
  guint32 resumed_subpass;
} VtrRenderPassClone;

/**
 * vtr_render_pass_clone:
 * @creation: the decoded vkCreateRenderPass or vkCreateRenderPass2 of the original; changed in
 *   place
 * @arena: holds the arguments of @creation
 * @handle: captured-side handle of the new render pass
 *
 * The changes keep the render pass compatible, so pipelines and framebuffers can be used as they are.
 * The exception is .spared: by the letter of the specification, passes that resolve differently are not
 * compatible. Vulkan has no other way to end a pass early, and drivers do not compile resolves into
 * pipelines.
 * Returns: the number of subpasses; 0 if @creation is another command. Threading: one at a time.
 */
guint32 vtr_render_pass_clone (VtrCommand               *creation,
                               VtrArena                 *arena,
                               const VtrRenderPassClone *what,
                               guint64                  *handle);

G_END_DECLS
