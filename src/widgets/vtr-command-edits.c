/* Finds which commands a row of the command list stands for when it is disabled, and whether
 * all, some or none of them are disabled now. */
#include "vtr-config.h"

#include "widgets/vtr-command-edits.h"

#include <glib/gi18n.h>

#include "engine/replay-builder/vtr-stream-edit.h"

#define CHUNK 64
/* Larger groups cannot be disabled at once. */
#define MAX_COLLECTED 65536
/* The most rows that are checked to choose the mark of a group. */
#define MAX_SEEN 2000

/* Returns: whether to go on. */
typedef gboolean (*Visit) (guint64 command,
                           gpointer data);

typedef struct
{
  VtrCommandTree *tree;
  VtrTrace *trace;
  Visit visit;
  gpointer data;
} Walk;

static gboolean
is_single (const VtrTreeNode *node)
{
  return node->kind == VTR_NODE_CMD || node->kind == VTR_NODE_COMMAND;
}

/* All commands below @node that can be disabled. */
static gboolean
walk (const Walk *self, const VtrTreeNode *node)
{
  VtrTreeNode children[CHUNK];

  if (node->n_children == 0 && is_single (node) &&
      vtr_stream_edit_can_disable (vtr_trace_get_command_id (self->trace, node->command)))
    return self->visit (node->command, self->data);
  for (guint32 first = 0; first < node->n_children; first += CHUNK)
    {
      guint32 n = MIN (CHUNK, node->n_children - first);

      vtr_command_tree_get_children (self->tree, node, first, n, children);
      for (guint32 i = 0; i < n; i++)
        if (!walk (self, &children[i]))
          return FALSE;
    }
  return TRUE;
}

static Walk
make_walk (VtrSession *session, Visit visit, gpointer data)
{
  return (Walk){ vtr_session_get_tree (session), vtr_session_get_trace (session), visit, data };
}

/* --- collecting ------------------------------------------------------------------------------ */

static gboolean
add_command (guint64 command, gpointer data)
{
  GArray *commands = data;

  g_array_append_val (commands, command);
  return commands->len <= MAX_COLLECTED;
}

static gboolean
check_count (const GArray *commands, GError **error)
{
  if (commands->len > 0 && commands->len <= MAX_COLLECTED)
    return TRUE;
  if (commands->len > 0)
    g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                         _ ("Too many commands to disable at once. Choose a smaller group."));
  else
    g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                         _ ("Nothing here can be disabled. Only draws, dispatches, clears, "
                            "copies and executed command buffers can."));
  return FALSE;
}

GArray *
vtr_command_edits_collect (VtrSession         *session,
                           const VtrTreeNode  *node,
                           GError            **error)
{
  g_autoptr (GArray) commands = g_array_new (FALSE, FALSE, sizeof (guint64));
  const Walk self = make_walk (session, add_command, commands);

  if (is_single (node))
    {
      if (!vtr_document_can_disable (vtr_session_get_document (session), node->command, error))
        return NULL;
      g_array_append_val (commands, node->command);
      return g_steal_pointer (&commands);
    }
  walk (&self, node);
  return check_count (commands, error) ? g_steal_pointer (&commands) : NULL;
}

/* The nearest pass above it, else the nearest command buffer. */
static gboolean
find_around (VtrSession *session, const VtrTreeNode *node, VtrTreeNode *out)
{
  g_autoptr (GArray) nodes = vtr_command_tree_find_run (vtr_session_get_tree (session),
                                                        node->command, node->run, NULL);

  for (guint i = nodes != NULL ? nodes->len : 0; i-- > 0;)
    {
      const VtrTreeNode *above = &g_array_index (nodes, VtrTreeNode, i);

      if (above->depth < node->depth &&
          (above->kind == VTR_NODE_PASS || above->kind == VTR_NODE_LIST))
        {
          *out = *above;
          return TRUE;
        }
    }
  return FALSE;
}

GArray *
vtr_command_edits_collect_others (VtrSession         *session,
                                  const VtrTreeNode  *node,
                                  GError            **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GHashTable) set = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GArray) own = NULL;
  const Walk self = make_walk (session, add_command, all);
  VtrTreeNode around;

  if (!find_around (session, node, &around))
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("No other commands here. Choose a command in a command buffer."));
      return NULL;
    }
  walk (&self, &around);
  own = vtr_command_edits_collect (session, node, NULL);
  for (guint i = 0; own != NULL && i < own->len; i++)
    g_hash_table_add (set, &g_array_index (own, guint64, i));
  for (guint i = 0; i < all->len; i++)
    if (!g_hash_table_contains (set, &g_array_index (all, guint64, i)))
      g_array_append_val (others, g_array_index (all, guint64, i));
  return check_count (others, error) ? g_steal_pointer (&others) : NULL;
}

/* --- state ----------------------------------------------------------------------------------- */

typedef struct
{
  VtrEdits *edits;
  guint n_seen;
  gboolean some, others;
} Look;

static gboolean
look_at (guint64 command, gpointer data)
{
  Look *look = data;

  if (vtr_edits_is_disabled (look->edits, command))
    look->some = TRUE;
  else
    look->others = TRUE;
  return !(look->some && look->others) && ++look->n_seen < MAX_SEEN;
}

VtrCommandEditState
vtr_command_edits_get_state (VtrSession *session, const VtrTreeNode *node)
{
  Look look = { .edits = vtr_session_get_edits (session) };
  const Walk self = make_walk (session, look_at, &look);

  if (vtr_edits_get_n_disabled (look.edits) == 0)
    return VTR_COMMAND_RUNS;
  if (is_single (node) && vtr_edits_is_disabled (look.edits, node->command))
    return VTR_COMMAND_DISABLED;
  walk (&self, node);
  if (!look.some)
    return VTR_COMMAND_RUNS;
  return look.others || look.n_seen >= MAX_SEEN ? VTR_COMMAND_PARTLY_DISABLED
                                                : VTR_COMMAND_DISABLED;
}
