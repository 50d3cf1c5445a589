/* The targets of a command: which images its work writes to, without a replay. Threading: any. */
#pragma once

#include "engine/memory/vtr-memory.h"
#include "engine/state/vtr-lifetimes.h"
#include "engine/state/vtr-target.h"

G_BEGIN_DECLS

/**
 * vtr_targets_list:
 * @place: .run: of the command list that holds the command; VTR_NO_RUN: its first
 * @all: with the images that the work reads as input and resolves into
 *
 * The targets at a command, in the order in which they are shown. A command without targets has
 * those of earlier work, which its API finds: for Vulkan, those of the last pass before it in the
 * same command buffer or frame.
 *
 * Returns: (transfer full) (element-type VtrTarget): empty with a VTR_RESOLVE_ERROR_NOTHING when
 * there is none. NULL: other errors.
 */
GArray *vtr_targets_list (VtrMemory       *memory,
                          const VtrPlace  *place,
                          gboolean         all,
                          GError         **error);

/* The image part from which a picture is read. Errors: VTR_RESOLVE_ERROR_NOTHING, with the reason;
 * VTR_TRACE_ERROR_RANGE. */
gboolean vtr_target_find (VtrMemory             *memory,
                          const VtrTargetQuery  *query,
                          VtrTarget             *out,
                          GError               **error);

/* The last command after which an image or buffer still has its final contents: before its end, or
 * before the end of objects that its API ends along with it. */
guint64 vtr_target_find_last_readable (VtrMemory       *memory,
                                       const VtrObject *object);

G_END_DECLS
