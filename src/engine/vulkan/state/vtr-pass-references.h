/* Finds the pass of a command, and all attachments that the pass draws to, reads as input or resolves into. */
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

/* A reference of a subpass to an attachment. */
typedef struct
{
  guint32 subpass; /* 0 with dynamic rendering */
  VtrPassUse use;
  guint32 nth; /* position in the subpass' list of references of this use */
  VtrAttachment attachment;
} VtrPassReference;

gboolean vtr_pass_use_is_resolve (VtrPassUse use);

/* The kind under which the attachment is shown. */
VtrAttachmentKind vtr_pass_reference_get_kind (const VtrPassReference *self);

/* Whether a pass in the middle of @subpass has not yet used the attachment for this reference. Resolves take place at the end
 * of their subpass. */
gboolean vtr_pass_reference_is_to_come (const VtrPassReference *self,
                                        guint32                 subpass);

/* Whether the two attachments have subresources in common. */
gboolean vtr_attachment_overlaps (const VtrAttachment *a,
                                  const VtrAttachment *b);

/**
 * vtr_pass_list_references:
 * @state: inside a pass that a primary command buffer (or a dynamic rendering) began
 *
 * All references of all subpasses of the pass, ascending by subpass. References to unused attachments, and to
 * attachments that the trace does not contain, are left out. Returns: (transfer full): GArray of
 * VtrPassReference. Threading: any.
 */
GArray *vtr_pass_list_references (VtrHistory          *history,
                                  const VtrBoundState *state);

/* The pass that is open at @address. @state: (out): the state at the command that is in the same recording as the beginning of
 * the pass: @address itself or, for a command of a secondary, the vkCmdExecuteCommands; @address is set to that command.
 * Returns: FALSE if no pass is open. Threading: any. */
gboolean vtr_pass_find_open (VtrBoundWalker *walker,
                             VtrPlace       *address,
                             VtrBoundState  *state);

/* The pass whose attachments are shown for the command at @address: the open pass, or else the last pass before it in its
 * recording, in the recordings that execute that, in its submission, or in earlier submissions. @state: (out): the state at a
 * command inside the pass. Errors: VTR_RESOLVE_ERROR_NOTHING if there is no pass before it. Threading: any. */
gboolean vtr_pass_find_shown (VtrBoundWalker  *walker,
                              const VtrPlace  *address,
                              VtrBoundState   *state,
                              GError         **error);

G_END_DECLS
