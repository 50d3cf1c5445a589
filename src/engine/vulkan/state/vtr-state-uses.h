/* What a recording needs to stay valid: the objects that its commands name. */
#pragma once

#include "engine/vulkan/state/vtr-vulkan-shared.h"

G_BEGIN_DECLS

/* Why a command buffer that was recorded can be submitted no more. */
typedef struct
{
  guint32 object;  /* id of what was destroyed, updated or recorded anew */
  guint64 command; /* that did it */
} VtrInvalidation;

/* Whether the recording in the command buffer @record of @state has become invalid by what happened
   to the objects that it names. Recordings of more than some thousand commands are taken for
   valid. The first look at a recording decodes it. */
gboolean vtr_api_state_find_invalidation (VtrApiState                 *state,
                                          const VtrStateCommandBuffer *record,
                                          VtrInvalidation             *out);

G_END_DECLS
