/* Which commands below a row of the command tree can be disabled, and how many of them are. */
#pragma once

#include "session/vtr-session.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_COMMAND_RUNS,
  VTR_COMMAND_PARTLY_DISABLED, /* of a group: some of its commands are disabled */
  VTR_COMMAND_DISABLED,
} VtrCommandEditState;

/* The commands that *Disable* disables for @node: the command itself, or all commands of a group
 * that can be disabled. Returns: a GArray of guint64; NULL with @error when there are none, or too
 * many. (transfer full) */
GArray *vtr_command_edits_collect (VtrSession         *session,
                                   const VtrTreeNode  *node,
                                   GError            **error);
/* The commands that *Disable Others* disables for @node: the other commands of its pass, or, for a
 * pass, those of its command buffer. Returns and errors: as vtr_command_edits_collect (). */
GArray *vtr_command_edits_collect_others (VtrSession         *session,
                                          const VtrTreeNode  *node,
                                          GError            **error);
/* Which of the commands of @node are disabled. Of a very large group it looks only at the first
 * ones. */
VtrCommandEditState vtr_command_edits_get_state (VtrSession        *session,
                                                 const VtrTreeNode *node);

G_END_DECLS
