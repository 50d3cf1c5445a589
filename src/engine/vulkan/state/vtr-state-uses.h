/* Finds out whether a recorded command buffer is still valid, by the objects that its commands name. */
#pragma once

#include "engine/vulkan/state/vtr-vulkan-shared.h"

G_BEGIN_DECLS

/* Why a recorded command buffer can no longer be submitted. */
typedef struct
{
  guint32 object;  /* id of the object that was destroyed, updated or recorded again */
  guint64 command; /* flat index of the command that did it */
} VtrInvalidation;

/* Whether the recording of @record in @state has become invalid, because of a change to an object that it names. Recordings of
 * more than some thousand commands are assumed to be valid. The first call for a recording decodes it. Threading: any. */
gboolean vtr_api_state_find_invalidation (VtrApiState                 *state,
                                          const VtrStateCommandBuffer *record,
                                          VtrInvalidation             *out);

G_END_DECLS
