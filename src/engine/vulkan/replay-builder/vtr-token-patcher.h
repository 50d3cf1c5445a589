/* Changes captured tokens (VtrTokenPlan) to the replay's own, wherever the program may have put them.
 *
 * When the program is told tokens, the replay asks for its own and keeps them in slots. After bytes
 * that may hold tokens are written, each captured token in them is written once more as the replay's.
 * If the driver later gives the same bytes for another object, what lies in memory is changed again:
 * the program may not write bytes that are there already. Tokens that only shaders put together are
 * not found. */
#pragma once

#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"
#include "engine/vulkan/replay-builder/vtr-token-plan.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/**
 * VtrTokenPatcher:
 *
 * What a builder keeps of one kind of token. Threading: one at a time.
 */
typedef struct _VtrTokenPatcher VtrTokenPatcher;

/* @plan is borrowed. */
VtrTokenPatcher *vtr_token_patcher_new (const VtrTokenPlan *plan);
/* For a builder that goes on from where another is now. */
VtrTokenPatcher *vtr_token_patcher_fork (const VtrTokenPatcher *base);
void vtr_token_patcher_free (VtrTokenPatcher *self);

/* The vkGetRayTracingShaderGroupHandlesKHR @command. Errors: those of the send function. */
gboolean vtr_token_patcher_tell_groups (VtrReplayBuilder  *builder,
                                        const VtrCommand  *command,
                                        GError           **error);

/* After a call of vkGetDescriptorEXT was built that writes the replay's descriptor to volatile @from.
 * @told: changes when the descriptor may be another one although its captured bytes are the same.
 * Errors: those of the send function. */
gboolean vtr_token_patcher_tell_descriptor (VtrReplayBuilder                  *builder,
                                            const VtrArgs_vkGetDescriptorEXT  *args,
                                            guint64                            told,
                                            guint64                            from,
                                            GError                           **error);

/* Whether the program got descriptors that are not searched for, because of their size. */
gboolean vtr_token_patcher_has_lost_descriptors (const VtrReplayBuilder *builder);

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
gboolean vtr_token_patcher_end_write (VtrReplayBuilder        *builder,
                                      const VtrContentRecord  *write,
                                      GError                 **error);

/* Changes what a vkCmdUpdateBuffer writes, which lies at volatile @source. */
void vtr_token_patcher_change_update (VtrReplayBuilder                *builder,
                                      const VtrArgs_vkCmdUpdateBuffer *args,
                                      guint64                          source);

G_END_DECLS
