/* Which commands below a row of the command tree can be disabled, and how many of them are. */
#pragma once

#include "session/vtr-session.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_COMMAND_RUNS,
  VTR_COMMAND_PARTLY_DISABLED, /* of a group: some of its commands are */
  VTR_COMMAND_DISABLED,
} VtrCommandEditState;

/* What is disabled when @node is: the command itself; of a group all below that can be. Returns: a
 * GArray of guint64; NULL with a sentence when there is nothing, or too much. (transfer full) */
GArray *vtr_command_edits_collect (VtrSession         *session,
                                   const VtrTreeNode  *node,
                                   GError            **error);
/* What is disabled for @node to be alone: the others of its pass; of a pass, of its command buffer.
 * Likewise. */
GArray *vtr_command_edits_collect_others (VtrSession         *session,
                                          const VtrTreeNode  *node,
                                          GError            **error);
/* Cheap: of a very large group only the beginning is looked at. */
VtrCommandEditState vtr_command_edits_get_state (VtrSession        *session,
                                                 const VtrTreeNode *node);

G_END_DECLS
