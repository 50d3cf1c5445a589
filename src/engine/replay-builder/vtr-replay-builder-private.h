/* What the rules with a meaning of their own (vtr-replay-custom.c) build with. */
#pragma once

#include "engine/replay-builder/vtr-replay-builder.h"
#include "engine/replay-builder/vtr-replay-rule.h"
#include "engine/replay-builder/vtr-replay-slots.h"
#include "wire/vtr-replay-asm.h"

G_BEGIN_DECLS

/* Calls @id with @args (its VtrArgs_…), as machine function @function (the id itself, or a
 * synthetic one that takes the same arguments). Handles it makes get slots. */
gboolean vtr_replay_builder_call (VtrReplayBuilder  *self,
                                  VtrCmdId           id,
                                  const void        *args,
                                  guint32            function,
                                  GError           **error);

/* Pushes the replay's handle for a captured one; null when unknown. */
void vtr_replay_builder_push_handle (VtrReplayBuilder *self,
                                     VtrHandleId       type,
                                     guint64           value);

/* Calls a synthetic function with what was pushed. */
void vtr_replay_builder_call_synthetic (VtrReplayBuilder  *self,
                                        VtrReplayFunction  function);

/* Lays @size (< 1 MiB) bytes into scratch. Returns: their volatile address. */
guint64 vtr_replay_builder_scratch (VtrReplayBuilder *self,
                                    gconstpointer     data,
                                    guint32           size);

VtrBuffer *vtr_replay_builder_get_code (VtrReplayBuilder *self);
VtrReplaySlots *vtr_replay_builder_get_slots (VtrReplayBuilder *self);
VtrTrace *vtr_replay_builder_get_trace (VtrReplayBuilder *self);

/* Remembers the entries of a descriptor update template, for vkUpdateDescriptorSetWithTemplate
 * and its kin. */
void vtr_replay_builder_add_template (VtrReplayBuilder                           *self,
                                      guint64                                     handle,
                                      const VkDescriptorUpdateTemplateCreateInfo *info);

typedef struct
{
  VtrCmdId id; /* canonical: aliases share the rule */
  VtrReplayRule rule;
} VtrReplayCustomEntry;

/* The table of commands with a meaning of their own. */
const VtrReplayCustomEntry *vtr_replay_custom_table (gsize *n);

G_END_DECLS
