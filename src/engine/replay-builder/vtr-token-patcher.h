/* Changes captured handles of shader groups to the replay's own, wherever they may be in a shader
 * binding table.
 *
 * When the program is told handles, the replay asks for its own and keeps them in slots. After bytes
 * that may be part of a table (VtrTokenPlan) are written, those that are a captured handle are
 * written once more. What only shaders put together is not found. */
#pragma once

#include "engine/replay-builder/vtr-token-plan.h"
#include "engine/replay-builder/vtr-replay-builder.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/**
 * VtrTokenPatcher:
 *
 * What a builder keeps of it. Threading: one at a time.
 */
typedef struct _VtrTokenPatcher VtrTokenPatcher;

/* @plan is borrowed. */
VtrTokenPatcher *vtr_token_patcher_new (const VtrTokenPlan *plan);
/* For a builder that goes on from where another is now. */
VtrTokenPatcher *vtr_token_patcher_fork (const VtrTokenPatcher *base);
void vtr_token_patcher_free (VtrTokenPatcher *self);

/* The vkGetRayTracingShaderGroupHandlesKHR @command. */
void vtr_token_patcher_tell (VtrReplayBuilder *builder,
                             const VtrCommand *command);

/* The captured @memory is that of command @index now. */
void vtr_token_patcher_allocate (VtrReplayBuilder *builder,
                                 guint64           memory,
                                 guint64           index);

/* The captured @buffer lies there now. */
void vtr_token_patcher_bind (VtrReplayBuilder *builder,
                             guint64           buffer,
                             guint64           memory,
                             guint64           offset);

/* After @write was built. Errors: those of the send function. */
gboolean vtr_token_patcher_end_write (VtrReplayBuilder      *builder,
                                      const VtrMappedWrite  *write,
                                      GError               **error);

/* Changes what a vkCmdUpdateBuffer writes, which lies at volatile @source. */
void vtr_token_patcher_change_update (VtrReplayBuilder                *builder,
                                      const VtrArgs_vkCmdUpdateBuffer *args,
                                      guint64                          source);

G_END_DECLS
