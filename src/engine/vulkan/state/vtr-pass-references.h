/* Everything a render pass instance refers to: what it draws to, reads as input, resolves into. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_PASS_COLOR,
  VTR_PASS_DEPTH,
  VTR_PASS_STENCIL,
  VTR_PASS_INPUT,
  VTR_PASS_RESOLVE,
  VTR_PASS_DEPTH_RESOLVE,
  VTR_PASS_STENCIL_RESOLVE,
  VTR_PASS_SHADING_RATE,
} VtrPassUse;

/* One reference. */
typedef struct
{
  guint32 subpass; /* 0 with dynamic rendering */
  VtrPassUse use;
  guint32 nth; /* of the subpass' list of its kind */
  VtrAttachment attachment;
} VtrPassReference;

gboolean vtr_pass_use_is_resolve (VtrPassUse use);

/* Whether a pass that is in the middle of @subpass has not yet touched what @self refers to on its
 * behalf: resolves come at the end of theirs. */
gboolean vtr_pass_reference_is_to_come (const VtrPassReference *self,
                                        guint32                 subpass);

/* Whether the two are, in part, the same subresources. */
gboolean vtr_attachment_overlaps (const VtrAttachment *a,
                                  const VtrAttachment *b);

/**
 * vtr_pass_list_references:
 * @state: inside a pass that a primary command buffer (or a dynamic rendering) began
 *
 * All references of all subpasses of the pass, ascending by subpass. Unused ones are left out.
 * What the trace does not hold is left out. Returns: (transfer full): GArray of VtrPassReference.
 * Threading: any.
 */
GArray *vtr_pass_list_references (VtrHistory          *history,
                                  const VtrBoundState *state);

G_END_DECLS
