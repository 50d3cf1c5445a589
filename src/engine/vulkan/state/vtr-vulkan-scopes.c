/* Tells the timeline about command buffers, their recordings and submissions (VtrScopeApi). */
#include "engine/state/vtr-timeline-builder.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "engine/vulkan/state/vtr-vulkan-scopes.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-types.h"

/* The known facts about a VkCommandBuffer at this point of the pass. */
typedef struct
{
  guint64 handle;
  gboolean secondary;
  guint32 queue_family;
  guint32 open;  /* recording in progress, or VTR_NO_RECORDING */
  guint32 ended; /* last recording that was ended */
} VtrBufferState;

typedef struct
{
  VtrTimelineBuilder *builder;
  VtrTrace *trace;
  VtrArena arena;
  GHashTable *pools;   /* VkCommandPool (guint64 *) → queue family */
  GHashTable *buffers; /* VkCommandBuffer (guint64 *) → VtrBufferState */
  guint32 open;        /* recording that a vkCmd* is part of, in contiguous files */
  gboolean mixed;      /* recordings are interleaved: each vkCmd* is asked whose it is */
} VtrListScan;

static gpointer
scan_new (VtrTimelineBuilder *builder)
{
  VtrListScan *self = g_new0 (VtrListScan, 1);

  self->builder = builder;
  self->trace = vtr_timeline_builder_get_trace (builder);
  self->mixed = vtr_timeline_builder_is_mixed (builder);
  self->open = VTR_NO_RECORDING;
  vtr_arena_init (&self->arena);
  self->pools = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->buffers = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  return self;
}

static void
scan_free (gpointer data)
{
  VtrListScan *self = data;

  g_hash_table_unref (self->buffers);
  g_hash_table_unref (self->pools);
  vtr_arena_finish (&self->arena);
  g_free (self);
}

static VtrBufferState *
scan_get_buffer (VtrListScan *self,
                 guint64      handle)
{
  VtrBufferState *state = g_hash_table_lookup (self->buffers, &handle);

  if (state != NULL)
    return state;

  state = g_new0 (VtrBufferState, 1);
  state->handle = handle;
  state->queue_family = G_MAXUINT32;
  state->open = state->ended = VTR_NO_RECORDING;
  g_hash_table_insert (self->buffers, &state->handle, state);
  return state;
}

static void
scan_create_pool (VtrListScan      *self,
                  const VtrCommand *command)
{
  const VtrArgs_vkCreateCommandPool *args = command->args;
  guint64 *key;

  if (args->pCreateInfo == NULL || args->pCommandPool == NULL || *args->pCommandPool == 0)
    return;

  key = g_new (guint64, 1);
  *key = (guint64)*args->pCommandPool;
  g_hash_table_replace (self->pools, key, GUINT_TO_POINTER (args->pCreateInfo->queueFamilyIndex));
}

static void
scan_allocate (VtrListScan      *self,
               const VtrCommand *command)
{
  const VtrArgs_vkAllocateCommandBuffers *args = command->args;
  guint64 pool;
  gpointer family;

  if (args->pAllocateInfo == NULL || args->pCommandBuffers == NULL ||
      (command->has_result && (gint64)command->result < 0))
    return;

  pool = (guint64)args->pAllocateInfo->commandPool;
  for (guint32 i = 0; i < args->pAllocateInfo->commandBufferCount; i++)
    {
      guint64 handle = (guint64)(guintptr)args->pCommandBuffers[i];
      VtrBufferState *state = scan_get_buffer (self, handle);

      state->secondary = args->pAllocateInfo->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
      if (g_hash_table_lookup_extended (self->pools, &pool, NULL, &family))
        state->queue_family = GPOINTER_TO_UINT (family);
    }
}

static void
scan_begin (VtrListScan      *self,
            const VtrCommand *command)
{
  const VtrArgs_vkBeginCommandBuffer *args = command->args;
  VtrBufferState *state = scan_get_buffer (self, (guint64)(guintptr)args->commandBuffer);

  state->open = vtr_timeline_builder_begin (self->builder, state->handle, command->index,
                                            state->secondary, state->queue_family);
  self->open = state->open;
  vtr_timeline_builder_extend (self->builder, self->open, command->index, VTR_COUNT_NOTHING);
}

static void
scan_execute (VtrListScan      *self,
              const VtrCommand *command,
              guint32           nth)
{
  const VtrArgs_vkCmdExecuteCommands *args = command->args;
  guint32 n = args->pCommandBuffers != NULL ? args->commandBufferCount : 0;
  g_autofree guint32 *executed = g_new (guint32, MAX (n, 1));

  for (guint32 i = 0; i < n; i++)
    executed[i] = scan_get_buffer (self, (guint64)(guintptr)args->pCommandBuffers[i])->ended;
  vtr_timeline_builder_execute (self->builder, nth, command->index, executed, n);
}

static void
scan_add_run (VtrListScan     *self,
              VkCommandBuffer  buffer,
              guint32          batch,
              guint32          position)
{
  vtr_timeline_builder_add_run (self->builder,
                                scan_get_buffer (self, (guint64)(guintptr)buffer)->ended, batch,
                                position);
}

static void
scan_submit (VtrListScan      *self,
             const VtrCommand *command)
{
  gboolean failed = command->has_result && (gint32)command->result < 0 &&
                    (gint32)command->result != VK_ERROR_DEVICE_LOST;
  const VtrArgs_vkQueueSubmit2 *args;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  vtr_timeline_builder_submit (self->builder, command->index, (guint64)(guintptr)args->queue);
  for (guint32 i = 0; i < args->submitCount && args->pSubmits != NULL && !failed; i++)
    for (guint32 k = 0; k < args->pSubmits[i].commandBufferInfoCount &&
                        args->pSubmits[i].pCommandBufferInfos != NULL;
         k++)
      scan_add_run (self, args->pSubmits[i].pCommandBufferInfos[k].commandBuffer, i, k);
  vtr_timeline_builder_end_submission (self->builder);
}

static gboolean
scan_decode (VtrListScan *self,
             guint64      index,
             VtrCommand  *out)
{
  vtr_arena_reset (&self->arena);
  return vtr_trace_decode (self->trace, index, &self->arena, out, NULL);
}

/* Finds the recording that the vkCmd* or vkEndCommandBuffer at @index belongs to. */
static guint32
scan_find_open (VtrListScan *self,
                guint64      index)
{
  VtrCommand command;
  guint64 handle;

  if (!self->mixed)
    return self->open;
  if (!scan_decode (self, index, &command))
    return VTR_NO_RECORDING;
  handle = (guint64)(guintptr) * (VkCommandBuffer *)command.args;
  return scan_get_buffer (self, handle)->open;
}

/* A command in a command buffer. Returns: FALSE when the file turns out not to be contiguous. */
static gboolean
scan_record (VtrListScan *self,
             guint64      index,
             VtrCmdId     id)
{
  guint32 nth = scan_find_open (self, index);
  VtrCommand command;

  if (nth == VTR_NO_RECORDING)
    return self->mixed;

  vtr_timeline_builder_extend (self->builder, nth, index, vtr_vulkan_count (self->trace, index));
  if (id == VTR_CMD_vkEndCommandBuffer)
    {
      VtrBufferState *state =
        scan_get_buffer (self, vtr_timeline_builder_get_list (self->builder, nth));

      vtr_timeline_builder_end (self->builder, nth);
      state->ended = nth;
      state->open = VTR_NO_RECORDING;
      self->open = VTR_NO_RECORDING;
    }
  else if (vtr_cmd_is (id, VTR_CLASS_EXECUTE) && scan_decode (self, index, &command))
    scan_execute (self, &command, nth);
  return TRUE;
}

/* A command that cannot be decoded is passed over: the rest of the trace is still worth seeing, and
   the report names it. */
static gboolean
scan (gpointer data,
      guint64  index,
      VtrCmdId id)
{
  VtrListScan *self = data;
  VtrCommand command;

  if (vtr_cmd_is (id, VTR_CLASS_RECORD) || id == VTR_CMD_vkEndCommandBuffer)
    return scan_record (self, index, id);

  self->open = VTR_NO_RECORDING;
  switch (vtr_cmd_newer_form (id))
    {
    case VTR_CMD_vkBeginCommandBuffer:
      if (scan_decode (self, index, &command) &&
          !(command.has_result && (gint32)command.result < 0))
        scan_begin (self, &command);
      break;
    case VTR_CMD_vkCreateCommandPool:
      if (scan_decode (self, index, &command))
        scan_create_pool (self, &command);
      break;
    case VTR_CMD_vkAllocateCommandBuffers:
      if (scan_decode (self, index, &command))
        scan_allocate (self, &command);
      break;
    case VTR_CMD_vkQueueSubmit2:
      if (scan_decode (self, index, &command))
        scan_submit (self, &command);
      break;
    default:
      break;
    }
  return TRUE;
}

const VtrScopeApi vtr_vulkan_scopes = {
  .scan_new = scan_new,
  .scan = scan,
  .scan_free = scan_free,
  .list_kind = VTR_HANDLE_VkCommandBuffer,
  .executor_kind = VTR_HANDLE_VkQueue,
  .count = vtr_vulkan_count,
  .get_kind = vtr_vulkan_get_kind,
  .nest_list = vtr_vulkan_nest,
  .get_label = vtr_vulkan_get_label,
  .get_text = vtr_vulkan_get_text,
  .is_implied = vtr_vulkan_is_implied,
  .get_result = vtr_vulkan_get_result,
  .name_pass = vtr_vulkan_name_pass,
};
