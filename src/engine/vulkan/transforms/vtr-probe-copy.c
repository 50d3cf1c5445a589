/* Records a copy of a command buffer with timestamp and statistics queries around its passes and
 * draws. */
#include "engine/vulkan/transforms/vtr-probe-copy.h"

#include "engine/vulkan/transforms/vtr-buffer-copy.h"
#include "vtr-api-args.h"

#define HANDLE(type, value) ((type)(gsize)(value))

/* Commands that may lie between two commands that share a timestamp. */
#define STATE (VTR_CLASS_BIND | VTR_CLASS_DYNAMIC | VTR_CLASS_BEGIN_LABEL | VTR_CLASS_END_LABEL)

struct _VtrProbeCopy
{
  const VtrProbeContext *context;
  VtrTransform *next; /* borrowed: where the copy's commands go */
  guint32 run;
  const VtrRecording *recording;
  guint64 device;
  VtrProbeFamily family;
  VkCommandBuffer copy; /* captured-side handle */

  gboolean in_pass;
  GArray *masks; /* guint32: views of each subpass */
  guint32 subpass;
  guint32 stamp;        /* the last one, if nothing has happened since */
  guint32 buffer, pass; /* rows; VTR_PROBE_NONE: none */
  guint own_statistics; /* queries of the program's that are active */
  guint own_occlusion;
};

VtrProbeCopy *
vtr_probe_copy_new (const VtrProbeContext *context,
                    guint32                run)
{
  VtrProbeCopy *self = g_new0 (VtrProbeCopy, 1);

  self->context = context;
  self->run = run;
  self->recording = vtr_timeline_get_recording (
    context->timeline, vtr_timeline_get_run (context->timeline, run)->recording);
  self->masks = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->stamp = self->buffer = self->pass = VTR_PROBE_NONE;
  return self;
}

void
vtr_probe_copy_free (VtrProbeCopy *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->masks);
  g_free (self);
}

void
vtr_probe_copy_set_family (VtrProbeCopy         *self,
                           guint64               device,
                           const VtrProbeFamily *family)
{
  self->device = device;
  self->family = *family;
}

VkCommandBuffer
vtr_probe_copy_get_command_buffer (const VtrProbeCopy *self)
{
  return self->copy;
}

/* --- Rows ------------------------------------------------------------------------------------ */

static VtrProbeRow *
get_row (VtrProbeCopy *self,
         guint32       nth)
{
  return &g_array_index (self->context->probe->rows, VtrProbeRow, nth);
}

static gboolean
is_timed (const VtrProbeCopy *self)
{
  return (self->context->what & VTR_PROBE_TIME) != 0 && self->family.valid_bits > 0;
}

static guint32
add_row (VtrProbeCopy *self,
         VtrProbeKind  kind,
         guint64       index)
{
  VtrProbeRow row = {
    .kind = kind,
    .index = index,
    .last = index,
    .run = self->run,
    .parent = self->pass != VTR_PROBE_NONE ? self->pass : self->buffer,
    .begin = VTR_PROBE_NONE,
    .end = VTR_PROBE_NONE,
    .statistics = VTR_PROBE_NONE,
    .occlusion = VTR_PROBE_NONE,
    .n_views = 1,
    .time_reason = self->family.valid_bits > 0 ? VTR_PROBE_FINE : VTR_PROBE_NO_TIMESTAMPS,
    .valid_bits = (guint8)MIN (self->family.valid_bits, 64),
    .period = self->family.period,
  };

  g_array_append_val (self->context->probe->rows, row);
  return self->context->probe->rows->len - 1;
}

/* --- Queries --------------------------------------------------------------------------------- */

/* Queries of a multiview pass take one place for each view. */
static guint32
count_views (const VtrProbeCopy *self)
{
  guint32 mask = self->in_pass && self->subpass < self->masks->len
                   ? g_array_index (self->masks, guint32, self->subpass)
                   : 0;

  return MAX (1, (guint32)__builtin_popcount (mask));
}

static gboolean
write_one_stamp (VtrProbeCopy  *self,
                 guint64        index,
                 guint32       *out,
                 GError       **error)
{
  VtrArgs_vkCmdWriteTimestamp args = { .commandBuffer = self->copy,
                                       .pipelineStage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT };

  if (!vtr_probe_take (self->context->probe, self->next, self->device, VTR_PROBE_QUERY_TIME,
                       count_views (self), index, out, error))
    return FALSE;
  args.queryPool = vtr_probe_get_pool (self->context->probe, *out, &args.query);
  return vtr_transform_emit (self->next, VTR_CMD_vkCmdWriteTimestamp, &args, index, error);
}

/* llvmpipe draws tile by tile: it ends what it has gathered before a timestamp, and gathers the
 * timestamp with what follows. So it would be that of the last tile, with all others drawn; a
 * second one keeps what follows away from it. */
static gboolean
write_stamp (VtrProbeCopy  *self,
             guint64        index,
             guint32       *out,
             GError       **error)
{
  guint32 behind;

  if (!is_timed (self))
    return TRUE;
  if (!write_one_stamp (self, index, out, error))
    return FALSE;
  self->stamp = *out;
  return !self->family.is_software || write_one_stamp (self, index, &behind, error);
}

/* The statistics that the queues of the family can count. */
static gboolean
choose_statistics (const VtrProbeCopy *self,
                   VtrProbeQuery      *kind,
                   VtrProbeRow        *row)
{
  if (!self->family.statistics)
    return FALSE;
  *kind = (self->family.flags & VK_QUEUE_COMPUTE_BIT) == 0 ||
              (self->family.flags & VK_QUEUE_GRAPHICS_BIT) != 0
            ? VTR_PROBE_QUERY_GRAPHICS
            : VTR_PROBE_QUERY_COMPUTE;
  /* Queues that draw but do not compute cannot count the invocations of compute shaders. */
  if ((self->family.flags & VK_QUEUE_GRAPHICS_BIT) != 0 &&
      (self->family.flags & VK_QUEUE_COMPUTE_BIT) == 0)
    return FALSE;
  row->first_statistic = *kind == VTR_PROBE_QUERY_COMPUTE ? VTR_PROBE_N_STATISTICS - 1 : 0;
  row->n_statistics = VTR_PROBE_N_STATISTICS - row->first_statistic;
  return TRUE;
}

static gboolean
begin_query (VtrProbeCopy         *self,
             VtrProbeQuery         kind,
             VkQueryControlFlags   flags,
             guint64               index,
             guint32              *out,
             GError              **error)
{
  VtrArgs_vkCmdBeginQuery args = { .commandBuffer = self->copy, .flags = flags };

  if (!vtr_probe_take (self->context->probe, self->next, self->device, kind, count_views (self),
                       index, out, error))
    return FALSE;
  args.queryPool = vtr_probe_get_pool (self->context->probe, *out, &args.query);
  return vtr_transform_emit (self->next, VTR_CMD_vkCmdBeginQuery, &args, index, error);
}

static gboolean
end_query (VtrProbeCopy  *self,
           guint32        id,
           guint64        index,
           GError       **error)
{
  VtrArgs_vkCmdEndQuery args = { .commandBuffer = self->copy };

  if (id == VTR_PROBE_NONE)
    return TRUE;
  args.queryPool = vtr_probe_get_pool (self->context->probe, id, &args.query);
  return vtr_transform_emit (self->next, VTR_CMD_vkCmdEndQuery, &args, index, error);
}

/* Queries around a draw or dispatch. */
static gboolean
begin_statistics (VtrProbeCopy      *self,
                  const VtrCommand  *command,
                  guint32            nth,
                  GError           **error)
{
  gboolean draws = vtr_cmd_is (command->id, VTR_CLASS_DRAW);
  VtrProbeRow row = *get_row (self, nth);
  VtrProbeQuery kind = VTR_PROBE_QUERY_GRAPHICS;

  if ((self->context->what & VTR_PROBE_STATISTICS) == 0 ||
      !vtr_cmd_is (command->id, VTR_CLASS_DRAW | VTR_CLASS_DISPATCH))
    return TRUE;
  row.n_views = count_views (self);
  if (self->own_statistics > 0)
    row.statistics_reason = VTR_PROBE_OWN_STATISTICS;
  else if (!choose_statistics (self, &kind, &row))
    row.statistics_reason = VTR_PROBE_NO_STATISTICS;
  else if (!begin_query (self, kind, 0, command->index, &row.statistics, error))
    return FALSE;
  if (draws && self->own_occlusion > 0)
    row.occlusion_reason = VTR_PROBE_OWN_STATISTICS;
  else if (draws && !self->family.precise)
    row.occlusion_reason = VTR_PROBE_NO_STATISTICS;
  else if (draws && !begin_query (self, VTR_PROBE_QUERY_OCCLUSION, VK_QUERY_CONTROL_PRECISE_BIT,
                                  command->index, &row.occlusion, error))
    return FALSE;
  *get_row (self, nth) = row;
  return TRUE;
}

static gboolean
end_statistics (VtrProbeCopy  *self,
                guint32        nth,
                guint64        index,
                GError       **error)
{
  const VtrProbeRow row = *get_row (self, nth);

  return end_query (self, row.occlusion, index, error) &&
         end_query (self, row.statistics, index, error);
}

/* --- What the program counts itself ---------------------------------------------------------- */

static void
note_own_query (VtrProbeCopy *self,
                VkQueryPool   pool,
                guint64       index,
                int           change)
{
  VtrHistory *history = self->context->history;
  const VtrObject *object =
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkQueryPool, (guint64)(gsize)pool),
                      index);
  const VtrArgs_vkCreateQueryPool *args;
  VtrCommand creation;
  VtrArena arena;
  guint *count = NULL;

  vtr_arena_init (&arena);
  if (object != NULL && vtr_history_decode_creation (history, object, &arena, &creation, NULL) &&
      creation.id == VTR_CMD_vkCreateQueryPool)
    {
      args = creation.args;
      if (args->pCreateInfo != NULL &&
          args->pCreateInfo->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
        count = &self->own_statistics;
      else if (args->pCreateInfo != NULL &&
               args->pCreateInfo->queryType == VK_QUERY_TYPE_OCCLUSION)
        count = &self->own_occlusion;
    }
  vtr_arena_finish (&arena);
  if (count != NULL && (change > 0 || *count > 0))
    *count += (guint)change;
}

static void
note_query (VtrProbeCopy     *self,
            const VtrCommand *command)
{
  if ((self->context->what & VTR_PROBE_STATISTICS) == 0)
    return;
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdBeginQuery:
    case VTR_CMD_vkCmdBeginQueryIndexedEXT: /* begins with the same parameters */
      note_own_query (self, ((const VtrArgs_vkCmdBeginQuery *)command->args)->queryPool,
                      command->index, 1);
      break;
    case VTR_CMD_vkCmdEndQuery:
    case VTR_CMD_vkCmdEndQueryIndexedEXT:
      note_own_query (self, ((const VtrArgs_vkCmdEndQuery *)command->args)->queryPool,
                      command->index, -1);
      break;
    default:
      break;
    }
}

/* --- Views ----------------------------------------------------------------------------------- */

static void
list_views (GArray           *masks,
            const VtrCommand *creation)
{
  const VtrArgs_vkCreateRenderPass2 *second = creation->args;
  const VtrArgs_vkCreateRenderPass *first = creation->args;
  const VkRenderPassMultiviewCreateInfo *views;

  if (vtr_cmd_canonical (creation->id) == VTR_CMD_vkCreateRenderPass2)
    {
      for (guint32 i = 0; second->pCreateInfo != NULL && i < second->pCreateInfo->subpassCount; i++)
        g_array_append_val (masks, second->pCreateInfo->pSubpasses[i].viewMask);
      return;
    }
  if (vtr_cmd_canonical (creation->id) != VTR_CMD_vkCreateRenderPass || first->pCreateInfo == NULL)
    return;
  views = vtr_api_find_next (first->pCreateInfo->pNext,
                             VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
  if (views != NULL && views->pViewMasks != NULL)
    g_array_append_vals (masks, views->pViewMasks, views->subpassCount);
}

static void
find_views (VtrProbeCopy *self,
            VkRenderPass  render_pass,
            guint64       index)
{
  VtrHistory *history = self->context->history;
  const VtrObject *object =
    vtr_history_find (history,
                      vtr_vulkan_identity (VTR_HANDLE_VkRenderPass, (guint64)(gsize)render_pass),
                      index);
  VtrCommand creation;
  VtrArena arena;

  g_array_set_size (self->masks, 0);
  vtr_arena_init (&arena);
  if (object != NULL && vtr_history_decode_creation (history, object, &arena, &creation, NULL))
    list_views (self->masks, &creation);
  vtr_arena_finish (&arena);
}

/* A secondary that is executed inside a pass. */
static void
inherit (VtrProbeCopy                   *self,
         const VkCommandBufferBeginInfo *info,
         guint64                         index)
{
  const VkCommandBufferInheritanceInfo *inheritance = info->pInheritanceInfo;
  const VkCommandBufferInheritanceRenderingInfo *rendering;

  if (!self->recording->nested || inheritance == NULL)
    return;
  self->own_statistics = inheritance->pipelineStatistics != 0;
  self->own_occlusion = inheritance->occlusionQueryEnable != VK_FALSE;
  if ((info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) == 0)
    return;
  self->in_pass = TRUE;
  rendering = vtr_api_find_next (inheritance->pNext,
                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
  if (inheritance->renderPass != VK_NULL_HANDLE)
    {
      find_views (self, inheritance->renderPass, index);
      self->subpass = inheritance->subpass;
    }
  else if (rendering != NULL)
    g_array_append_val (self->masks, rendering->viewMask);
}

static void
enter_pass (VtrProbeCopy     *self,
            const VtrCommand *command)
{
  const VtrArgs_vkCmdBeginRenderPass *pass = command->args; /* ...2 begins with the same */
  const VtrArgs_vkCmdBeginRendering *rendering = command->args;

  self->in_pass = TRUE;
  self->subpass = 0;
  g_array_set_size (self->masks, 0);
  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkCmdBeginRendering)
    {
      if (rendering->pRenderingInfo != NULL)
        g_array_append_val (self->masks, rendering->pRenderingInfo->viewMask);
    }
  else if (pass->pRenderPassBegin != NULL)
    find_views (self, pass->pRenderPassBegin->renderPass, command->index);
}

/* --- Commands -------------------------------------------------------------------------------- */

/* Records @command into the copy, as it is but for the command buffer. */
static gboolean
record (VtrProbeCopy  *self,
        VtrCommand    *command,
        GError       **error)
{
  return vtr_transform_command_into (self->next, self->copy, command, error);
}

static gboolean
record_begin (VtrProbeCopy  *self,
              VtrCommand    *command,
              GError       **error)
{
  const VtrArgs_vkBeginCommandBuffer *args = command->args;
  guint32 begin = VTR_PROBE_NONE;

  if (args->pBeginInfo != NULL)
    inherit (self, args->pBeginInfo, command->index);
  if (!record (self, command, error))
    return FALSE;
  self->buffer = add_row (self, VTR_PROBE_COMMAND_BUFFER, command->index);
  if (!write_stamp (self, command->index, &begin, error))
    return FALSE;
  get_row (self, self->buffer)->begin = begin;
  return TRUE;
}

static gboolean
record_end (VtrProbeCopy  *self,
            VtrCommand    *command,
            GError       **error)
{
  guint32 end = VTR_PROBE_NONE;

  if (!write_stamp (self, command->index, &end, error))
    return FALSE;
  if (self->buffer != VTR_PROBE_NONE)
    {
      get_row (self, self->buffer)->end = end;
      get_row (self, self->buffer)->last = command->index;
    }
  return record (self, command, error);
}

static gboolean
record_begin_pass (VtrProbeCopy  *self,
                   VtrCommand    *command,
                   GError       **error)
{
  guint32 begin = VTR_PROBE_NONE;

  if (self->context->detail >= VTR_PROBE_PASS)
    {
      self->pass = add_row (self, VTR_PROBE_PASS, command->index);
      if (!write_stamp (self, command->index, &begin, error))
        return FALSE;
      get_row (self, self->pass)->begin = begin;
    }
  enter_pass (self, command);
  self->stamp = VTR_PROBE_NONE;
  return record (self, command, error);
}

static gboolean
record_end_pass (VtrProbeCopy  *self,
                 VtrCommand    *command,
                 GError       **error)
{
  guint32 end = VTR_PROBE_NONE;

  if (!record (self, command, error))
    return FALSE;
  self->in_pass = FALSE;
  self->stamp = VTR_PROBE_NONE;
  if (self->pass == VTR_PROBE_NONE)
    return TRUE;
  if (!write_stamp (self, command->index, &end, error))
    return FALSE;
  get_row (self, self->pass)->end = end;
  get_row (self, self->pass)->last = command->index;
  self->pass = VTR_PROBE_NONE;
  return TRUE;
}

static gboolean
record_action (VtrProbeCopy  *self,
               VtrCommand    *command,
               GError       **error)
{
  guint32 begin = self->stamp;
  guint32 end = VTR_PROBE_NONE;
  guint32 row;

  if (self->context->detail < VTR_PROBE_COMMAND)
    {
      self->stamp = VTR_PROBE_NONE;
      return record (self, command, error);
    }
  row = add_row (self, VTR_PROBE_COMMAND, command->index);
  if (begin == VTR_PROBE_NONE && !write_stamp (self, command->index, &begin, error))
    return FALSE;
  if (!begin_statistics (self, command, row, error) || !record (self, command, error) ||
      !end_statistics (self, row, command->index, error) ||
      !write_stamp (self, command->index, &end, error))
    return FALSE;
  get_row (self, row)->begin = begin;
  get_row (self, row)->end = end;
  return TRUE;
}

static gboolean
record_execute (VtrProbeCopy       *self,
                VtrCommand         *command,
                VtrProbeFindInner   find,
                gpointer            data,
                GError            **error)
{
  VtrArgs_vkCmdExecuteCommands args = *(const VtrArgs_vkCmdExecuteCommands *)command->args;
  g_autofree VkCommandBuffer *buffers = NULL;
  VtrCommand changed = *command;

  if (args.pCommandBuffers == NULL)
    return record (self, command, error);
  buffers = g_memdup2 (args.pCommandBuffers, args.commandBufferCount * sizeof *buffers);
  for (guint32 i = 0; i < args.commandBufferCount; i++)
    {
      const VtrProbeCopy *inner = find (data, self->run, command->index, i);

      if (inner == NULL || inner->copy == NULL)
        continue;
      buffers[i] = inner->copy;
      if (inner->buffer != VTR_PROBE_NONE)
        get_row (self, inner->buffer)->parent =
          self->pass != VTR_PROBE_NONE ? self->pass : self->buffer;
    }
  args.pCommandBuffers = buffers;
  changed.args = &args;
  self->stamp = VTR_PROBE_NONE;
  return record (self, &changed, error);
}

static gboolean
record_other (VtrProbeCopy  *self,
              VtrCommand    *command,
              GError       **error)
{
  if (!vtr_cmd_is (command->id, STATE))
    self->stamp = VTR_PROBE_NONE;
  if (vtr_cmd_is (command->id, VTR_CLASS_NEXT_SUBPASS))
    self->subpass++;
  note_query (self, command);
  return record (self, command, error);
}

gboolean
vtr_probe_copy_command (VtrProbeCopy       *self,
                        VtrTransform       *next,
                        VtrCommand         *command,
                        VtrProbeFindInner   find,
                        gpointer            data,
                        GError            **error)
{
  self->next = next;
  if (command->index == self->recording->first &&
      !vtr_buffer_copy_allocate (next, self->context->history, self->recording->list,
                                 command->index, &self->copy, error))
    return FALSE;
  if (command->id == VTR_CMD_vkBeginCommandBuffer)
    return record_begin (self, command, error);
  if (command->id == VTR_CMD_vkEndCommandBuffer)
    return record_end (self, command, error);
  if (vtr_cmd_is (command->id, VTR_CLASS_BEGIN_PASS))
    return record_begin_pass (self, command, error);
  if (vtr_cmd_is (command->id, VTR_CLASS_END_PASS))
    return record_end_pass (self, command, error);
  if (vtr_cmd_is (command->id, VTR_CLASS_EXECUTE))
    return record_execute (self, command, find, data, error);
  if (vtr_cmd_is (command->id, VTR_PROBE_ACTIONS))
    return record_action (self, command, error);
  return record_other (self, command, error);
}
