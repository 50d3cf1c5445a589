/* Makes Vulkan's rows in the command tree: what passes, subpasses and labels begin and end, their
 * names, and the icons of commands. */
#include "engine/vulkan/state/vtr-vulkan-scopes.h"

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-scope-tree.h"
#include "engine/state/vtr-tree-node.h"
#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/state/vtr-work.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-types.h"

#include <glib/gi18n.h>

VtrCommandCount
vtr_vulkan_count (VtrTrace *trace,
                  guint64   index)
{
  const VtrApiClass classes = vtr_cmd_get (vtr_trace_get_command_id (trace, index))->classes;
  const VtrApiClass work = (classes & VTR_CLASS_GENERATED) != 0 ? vtr_work_at (trace, index)
                                                                : classes;

  if ((work & VTR_CLASS_DRAW) != 0)
    return VTR_COUNT_DRAW;
  if ((work & (VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS)) != 0)
    return VTR_COUNT_DISPATCH;
  if ((classes & VTR_CLASS_TRANSFER) != 0)
    return VTR_COUNT_TRANSFER;
  return (classes & VTR_CLASS_BEGIN_PASS) != 0 ? VTR_COUNT_PASS : VTR_COUNT_NOTHING;
}

VtrCommandKind
vtr_vulkan_get_kind (VtrCmdId id)
{
  static const struct
  {
    VtrApiClass classes;
    VtrCommandKind kind;
  } kinds[] = {
    { VTR_CLASS_DRAW | VTR_CLASS_GENERATED, VTR_COMMAND_KIND_DRAW },
    { VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS | VTR_CLASS_BUILD, VTR_COMMAND_KIND_DISPATCH },
    { VTR_CLASS_CLEAR, VTR_COMMAND_KIND_CLEAR },
    { VTR_CLASS_TRANSFER, VTR_COMMAND_KIND_COPY },
    { VTR_CLASS_FRAME_END, VTR_COMMAND_KIND_PRESENT },
    { VTR_CLASS_SUBMIT, VTR_COMMAND_KIND_SUBMIT },
    { VTR_CLASS_BEGIN_PASS | VTR_CLASS_END_PASS | VTR_CLASS_NEXT_SUBPASS, VTR_COMMAND_KIND_PASS },
    { VTR_CLASS_BEGIN_LABEL | VTR_CLASS_END_LABEL, VTR_COMMAND_KIND_GROUP },
    { VTR_CLASS_BARRIER, VTR_COMMAND_KIND_BARRIER },
    { VTR_CLASS_EXECUTE, VTR_COMMAND_KIND_LIST },
    { VTR_CLASS_BIND | VTR_CLASS_DYNAMIC, VTR_COMMAND_KIND_STATE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (vtr_cmd_is (id, kinds[i].classes))
      return kinds[i].kind;
  /* Events have no class: they are neither waited for nor a barrier themselves. */
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCmdSetEvent:
    case VTR_CMD_vkCmdSetEvent2:
    case VTR_CMD_vkCmdResetEvent:
    case VTR_CMD_vkCmdResetEvent2:
      return VTR_COMMAND_KIND_BARRIER;
    default:
      return VTR_COMMAND_KIND_OTHER;
    }
}

/* --- Nesting --- */

static gboolean
has_subpasses (VtrScopeBuilder *builder)
{
  VtrCmdId id;

  for (guint64 i = 0; vtr_scope_builder_peek (builder, i, &id); i++)
    {
      if (!vtr_cmd_is_vulkan (id))
        continue;
      if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
        return TRUE;
      if (vtr_cmd_is (id, VTR_CLASS_END_PASS | VTR_CLASS_BEGIN_PASS))
        break;
    }
  return FALSE;
}

void
vtr_vulkan_nest (VtrScopeBuilder *builder,
                 guint64          index,
                 VtrCmdId         id)
{
  if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
    {
      /* One in a pass: the file lacks the end of the outer one. */
      vtr_scope_builder_close_before (builder, VTR_NODE_PASS);
      vtr_scope_builder_open (builder, VTR_NODE_PASS, VTR_COMMAND_KIND_PASS, FALSE, FALSE);
      if (has_subpasses (builder))
        vtr_scope_builder_open (builder, VTR_NODE_SUBPASS, VTR_COMMAND_KIND_PASS, TRUE, FALSE);
    }
  else if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
    vtr_scope_builder_close (builder, VTR_NODE_PASS);
  else if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
    {
      if (!vtr_scope_builder_has_open (builder, VTR_NODE_SUBPASS))
        return;
      vtr_scope_builder_close_before (builder, VTR_NODE_SUBPASS);
      vtr_scope_builder_open (builder, VTR_NODE_SUBPASS, VTR_COMMAND_KIND_PASS, FALSE, FALSE);
    }
  else if (vtr_cmd_is (id, VTR_CLASS_BEGIN_LABEL))
    vtr_scope_builder_open (builder, VTR_NODE_GROUP, VTR_COMMAND_KIND_GROUP, FALSE, FALSE);
  else if (vtr_cmd_is (id, VTR_CLASS_END_LABEL))
    vtr_scope_builder_close (builder, VTR_NODE_GROUP);
}

/* --- Texts --- */

const char *
vtr_vulkan_get_label (const VtrCommand *command)
{
  switch (command->id)
    {
    case VTR_CMD_vkCmdBeginDebugUtilsLabelEXT:
    case VTR_CMD_vkCmdInsertDebugUtilsLabelEXT:
    case VTR_CMD_vkQueueBeginDebugUtilsLabelEXT:
    case VTR_CMD_vkQueueInsertDebugUtilsLabelEXT:
      {
        /* The second parameter of all is the label. */
        const VtrArgs_vkCmdBeginDebugUtilsLabelEXT *args = command->args;

        return args->pLabelInfo != NULL ? args->pLabelInfo->pLabelName : NULL;
      }
    case VTR_CMD_vkCmdDebugMarkerBeginEXT:
    case VTR_CMD_vkCmdDebugMarkerInsertEXT:
      {
        const VtrArgs_vkCmdDebugMarkerBeginEXT *args = command->args;

        return args->pMarkerInfo != NULL ? args->pMarkerInfo->pMarkerName : NULL;
      }
    default:
      return NULL;
    }
}

static char *
get_list_title (VtrAnalysis       *analysis,
                const VtrTreeNode *node)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (analysis);
  const VtrRecording *recording =
    vtr_timeline_get_recording (timeline, vtr_timeline_get_run (timeline, node->run)->recording);
  const VtrObject *object = vtr_history_find (
    vtr_analysis_get_history (analysis),
    vtr_vulkan_identity (VTR_HANDLE_VkCommandBuffer, recording->list), recording->first);

  if (object == NULL)
    return g_strdup (_ ("Command buffer"));
  if (object->name != NULL)
    return g_strdup (object->name);
  return g_strdup_printf (_ ("Command buffer %u"), object->id);
}

static char *
get_submit_detail (VtrAnalysis       *analysis,
                   const VtrTreeNode *node)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (analysis);
  VtrHistory *history = vtr_analysis_get_history (analysis);
  const VtrSubmission *submission = vtr_timeline_get_submission (
    timeline, vtr_timeline_find_submission (timeline, node->command));
  const VtrObject *queue = vtr_history_find (
    history, vtr_vulkan_identity (VTR_HANDLE_VkQueue, submission->executor), submission->submit);
  g_autofree char *name =
    queue != NULL ? vtr_history_describe (history, queue) : g_strdup (_ ("queue"));

  return g_strdup_printf (
    g_dngettext (NULL, "(%s, %u command buffer)", "(%s, %u command buffers)", submission->n_runs),
    name, submission->n_runs);
}

char *
vtr_vulkan_get_text (VtrAnalysis       *analysis,
                     const VtrTreeNode *node)
{
  if (node->kind == VTR_NODE_LIST)
    return get_list_title (analysis, node);
  return node->kind == VTR_NODE_SUBMIT ? get_submit_detail (analysis, node) : NULL;
}

gboolean
vtr_vulkan_is_implied (guint32 kind)
{
  return kind == VTR_HANDLE_VkDevice || kind == VTR_HANDLE_VkInstance ||
         kind == VTR_HANDLE_VkCommandBuffer;
}

const char *
vtr_vulkan_get_result (const VtrCommand *command)
{
  const char *name;

  if (!command->has_result || vtr_cmd_get (command->id)->result != VTR_RESULT_STATUS ||
      (gint32)command->result == VK_SUCCESS)
    return NULL;
  name = vtr_enum_value_name (VTR_ENUM_VkResult, (gint32)command->result);
  return name != NULL ? name : "?";
}

void
vtr_vulkan_name_pass (VtrAnalysis *analysis,
                      guint64      first,
                      VtrPassName *out)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  const VtrObject *render_pass;

  if (!vtr_bound_walker_get (vtr_analysis_get_walker (analysis), first, state, NULL))
    return;
  render_pass =
    vtr_history_find (vtr_analysis_get_history (analysis),
                      vtr_vulkan_identity (VTR_HANDLE_VkRenderPass, state->render_pass), first);
  out->name = render_pass != NULL ? render_pass->name : NULL;
  out->is_known = TRUE;
  out->n_colors = state->n_colors;
  out->has_depth = state->has_depth;
  out->has_stencil = state->has_stencil;
}
