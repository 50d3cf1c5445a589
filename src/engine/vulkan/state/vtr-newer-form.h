/* Calls of which Vulkan has a first and a second version that means the same: the second version of
 * either. Analysers read these calls in this form and so know one version. Replay, window and edits
 * take the call as the program made it.
 *
 * Of binding memory, asking for memory requirements, creating render passes, submitting, transfers,
 * barriers and waits for events, beginning and ending render passes. vtr-older-form.h does the same for later
 * calls that say less than what they replaced.
 *
 * Threading: any. */
#pragma once

#include "engine/format/vtr-command.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/* The canonical id of the second version of @id; of others, their own canonical id. */
VtrCmdId vtr_cmd_newer_form (VtrCmdId id);

/**
 * VtrNewerForm:
 * @command: the call. Its .args are those of .id, which is vtr_cmd_newer_form () of the call's; all
 *   else is as in the call
 *
 * Chains (pNext) and arrays that are the same in both versions are the call's own. Structures in a
 * chain whose content has become a member stay in the chain. An array that the trace does not have is
 * NULL, with the length that the call gave.
 *
 * Declare it with g_auto (VtrNewerForm), or clear it.
 */
typedef struct
{
  VtrCommand command;
  /*< private >*/
  VtrArena arena; /* for what .room does not hold */
  gsize used;     /* bytes of .room */
  guint64 room[128];
} VtrNewerForm;

/* The call must stay as long as @self. A call of neither version is taken as it is. */
void vtr_newer_form_init (VtrNewerForm     *self,
                          const VtrCommand *command);
void vtr_newer_form_clear (VtrNewerForm *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VtrNewerForm, vtr_newer_form_clear)

G_END_DECLS
