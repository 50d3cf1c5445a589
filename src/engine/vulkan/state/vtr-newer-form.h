/* Gives analysers one form of calls that Vulkan has in two versions, such as vkQueueSubmit and vkQueueSubmit2: always the
 * second. Analysers so need to know only one version. Replays, edits and the window use the call as the program made it.
 *
 * These are calls that bind memory, ask for memory requirements, create, begin and end render passes, submit, transfer, set
 * barriers and wait for events. vtr-older-form.h does the reverse, for later calls that are read as several older ones.
 *
 * Threading: any. */
#pragma once

#include "engine/format/vtr-command.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/* The canonical id of the second version of @id; for other commands, their own canonical id. */
VtrCmdId vtr_cmd_newer_form (VtrCmdId id);

/**
 * VtrNewerForm:
 * @command: the call. Its .id is vtr_cmd_newer_form () of the call's id, and its .args are those of .id; the
 *   other fields are as in the call
 *
 * Chains (pNext) and arrays that are the same in both versions are shared with the call. Structures in a
 * chain whose contents have become members stay in the chain. An array that the trace does not have is NULL,
 * with the length that the call gave.
 *
 * Declare it with g_auto (VtrNewerForm), or clear it with vtr_newer_form_clear ().
 */
typedef struct
{
  VtrCommand command;
  /*< private >*/
  VtrArena arena; /* for what .room does not hold */
  gsize used;     /* bytes of .room */
  guint64 room[128];
} VtrNewerForm;

/* @command: must outlive @self. A call that has no second version is used as it is. */
void vtr_newer_form_init (VtrNewerForm     *self,
                          const VtrCommand *command);
void vtr_newer_form_clear (VtrNewerForm *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VtrNewerForm, vtr_newer_form_clear)

G_END_DECLS
