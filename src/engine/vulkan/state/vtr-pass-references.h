/* Which pass a command is in or shows, and everything that the pass refers to: what it draws to, reads as input,
 * resolves into. */
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

/* What the attachment is called. */
VtrAttachmentKind vtr_pass_reference_get_kind (const VtrPassReference *self);

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
 * What the trace does not contain is left out. Returns: (transfer full): GArray of VtrPassReference.
 * Threading: any.
 */
GArray *vtr_pass_list_references (VtrHistory          *history,
                                  const VtrBoundState *state);

/* The pass that is open at @address: fills @state at the command of the recording that began it, and sets @address to
 * that command (inside a secondary: to the vkCmdExecuteCommands). Returns: FALSE when none is open. Threading: any. */
gboolean vtr_pass_find_open (VtrBoundWalker *walker,
                             VtrPlace       *address,
                             VtrBoundState  *state);

/* The pass whose attachments @address shows: the open one, else the last one before it in its recording, in the
 * recordings that execute it, in its submission, in earlier submissions. @state is filled for a command inside of it.
 * Errors: VTR_RESOLVE_ERROR_NOTHING, when no pass came before. Threading: any. */
gboolean vtr_pass_find_shown (VtrBoundWalker  *walker,
                              const VtrPlace  *address,
                              VtrBoundState   *state,
                              GError         **error);

G_END_DECLS
