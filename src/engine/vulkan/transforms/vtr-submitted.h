/* The command buffers that a submission runs, to be replaced in the call that the program made, which goes on in its own
 * version. Analysers, which only read, use vtr-newer-form.h. */
#pragma once

#include "engine/format/vtr-command.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/* @slot: may be given another command buffer. @batch, @position: where it stands in the call. */
typedef gboolean (*VtrSubmittedVisitor) (VkCommandBuffer *slot,
                                         guint32 batch,
                                         guint32 position,
                                         gpointer data,
                                         GError **error);

/* Calls @visit for each command buffer of @command, in order. Nothing to do if it is neither vkQueueSubmit nor
 * vkQueueSubmit2. Returns: FALSE with the visitor's @error. */
gboolean vtr_submitted_visit (const VtrCommand     *command,
                              VtrSubmittedVisitor   visit,
                              gpointer              data,
                              GError              **error);

G_END_DECLS
