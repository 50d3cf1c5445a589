/* Changes captured handles of shader groups to the replay's own, wherever they may be in a shader
 * binding table.
 *
 * When the program is told handles, the replay asks for its own and keeps them in slots. After bytes
 * that may be part of a table (VtrGroupPlan) are written, those that are a captured handle are
 * written once more. What only shaders put together is not found. */
#pragma once

#include "engine/replay-builder/vtr-group-plan.h"
#include "engine/replay-builder/vtr-replay-builder.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/**
 * VtrGroupPatcher:
 *
 * What a builder keeps of it. Threading: one at a time.
 */
typedef struct _VtrGroupPatcher VtrGroupPatcher;

/* @plan is borrowed. */
VtrGroupPatcher *vtr_group_patcher_new (const VtrGroupPlan *plan);
/* For a builder that goes on from where another is now. */
VtrGroupPatcher *vtr_group_patcher_fork (const VtrGroupPatcher *base);
void vtr_group_patcher_free (VtrGroupPatcher *self);

/* The vkGetRayTracingShaderGroupHandlesKHR @command. */
void vtr_group_patcher_tell (VtrReplayBuilder *builder,
                             const VtrCommand *command);

/* The captured @memory is that of command @index now. */
void vtr_group_patcher_allocate (VtrReplayBuilder *builder,
                                 guint64           memory,
                                 guint64           index);

/* The captured @buffer lies there now. */
void vtr_group_patcher_bind (VtrReplayBuilder *builder,
                             guint64           buffer,
                             guint64           memory,
                             guint64           offset);

/* After @write was built. Errors: those of the send function. */
gboolean vtr_group_patcher_end_write (VtrReplayBuilder      *builder,
                                      const VtrMappedWrite  *write,
                                      GError               **error);

/* Changes what a vkCmdUpdateBuffer writes, which lies at volatile @source. */
void vtr_group_patcher_change_update (VtrReplayBuilder                *builder,
                                      const VtrArgs_vkCmdUpdateBuffer *args,
                                      guint64                          source);

G_END_DECLS
