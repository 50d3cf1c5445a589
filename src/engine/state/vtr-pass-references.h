/* Everything a render pass instance refers to: what it draws to, reads as input, resolves into. */
#pragma once

#include "engine/state/vtr-state.h"

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

/**
 * vtr_pass_list_references:
 * @state: inside a pass that a primary command buffer (or a dynamic rendering) began
 * @n_subpasses: (out) (nullable): of the render pass
 *
 * All references of all subpasses of the pass, ascending by subpass. Unused ones are left out.
 * What the trace does not hold is left out. Returns: (transfer full): GArray of VtrPassReference.
 * Threading: any.
 */
GArray *vtr_pass_list_references (VtrHistory          *history,
                                  const VtrBoundState *state,
                                  guint32             *n_subpasses);

G_END_DECLS
