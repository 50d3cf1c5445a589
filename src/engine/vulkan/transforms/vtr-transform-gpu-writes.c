/* Drops recorded bytes of mapped memory that the GPU wrote, not the CPU.  A changed page does
 * not prove that the CPU wrote to it: software drivers, and GPUs that share memory with the CPU,
 * also change mapped pages. The following bytes are taken for the GPU's: ranges that a pending
 * submission is known to write exactly (copies, fills, updates, query results); memory that only
 * images with optimal tiling use; and unchanged bytes that shaders may have written
 * (vtr-uncertain-writes.h). With .poison, ranges that any earlier submission has written are the
 * GPU's, too, so that a replay cannot look right only because it was given the recorded results. */
#include "engine/vulkan/transforms/vtr-gpu-writes-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "vtr-config.h"

#include "base/vtr-must.h"

#include <glib/gi18n-lib.h>

static void
free_writes (gpointer data,
             gpointer user_data)
{
  g_array_unref (data);
}

static void
set_free (gpointer data)
{
  vtr_range_set_finish (data);
  g_free (data);
}

/* --- Submissions ----------------------------------------------------------------------------- */

static void
run (VtrGpuWrites    *self,
     GArray          *pending,
     VkCommandBuffer  command_buffer)
{
  const GArray *writes = g_hash_table_lookup (self->recorded, command_buffer);

  if (writes == NULL)
    return;
  g_array_append_vals (pending, writes->data, writes->len);
  for (guint i = 0; self->poison && i < writes->len; i++)
    {
      const VtrGpuWrite *write = &g_array_index (writes, VtrGpuWrite, i);
      VtrRangeSet *set = g_hash_table_lookup (self->written, VTR_GPU_KEY (write->memory));

      if (set == NULL)
        {
          set = g_new0 (VtrRangeSet, 1);
          g_hash_table_insert (self->written, VTR_GPU_KEY (write->memory), set);
        }
      vtr_must (vtr_range_set_add (set, write->begin, write->end));
    }
}

/* Returns: @writes; NULL, and lets them go, when there are none. */
static GArray *
take_any (GArray *writes)
{
  if (writes->len > 0)
    return writes;
  g_array_unref (writes);
  return NULL;
}

static void
submit (VtrGpuWrites     *self,
        const VtrCommand *command)
{
  const VtrArgs_vkQueueSubmit2 *args;
  g_auto (VtrNewerForm) form;
  guint32 n;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  n = args->pSubmits != NULL ? args->submitCount : 0;
  if (n == 0)
    vtr_pending_add (&self->pending, args, 0, NULL);
  for (guint32 i = 0; i < n; i++)
    {
      GArray *writes = g_array_new (FALSE, FALSE, sizeof (VtrGpuWrite));

      for (guint32 j = 0; args->pSubmits[i].pCommandBufferInfos != NULL &&
                          j < args->pSubmits[i].commandBufferInfoCount;
           j++)
        run (self, writes, args->pSubmits[i].pCommandBufferInfos[j].commandBuffer);
      vtr_pending_add (&self->pending, args, i, take_any (writes));
    }
}

static gboolean
gpu_writes_command (VtrTransform  *transform,
                    VtrCommand    *command,
                    GError       **error)
{
  VtrGpuWrites *self = (VtrGpuWrites *)transform;

  if (vtr_cmd_is (command->id, VTR_CLASS_RECORD))
    {
      if (vtr_cmd_is (command->id, VTR_CLASS_TRANSFER | VTR_CLASS_EXECUTE))
        vtr_gpu_writes_record (self, command);
      if (vtr_pending_wants (command->id))
        vtr_pending_note (&self->pending, command);
      return vtr_transform_command (self->parent.next, command, error);
    }
  vtr_pending_note (&self->pending, command);
  switch (vtr_cmd_newer_form (command->id))
    {
    case VTR_CMD_vkBeginCommandBuffer:
      g_hash_table_remove (self->recorded,
                           ((const VtrArgs_vkBeginCommandBuffer *)command->args)->commandBuffer);
      break;
    case VTR_CMD_vkQueueSubmit2:
      submit (self, command);
      break;
    default:
      vtr_gpu_writes_note (self, command);
    }
  return vtr_transform_command (self->parent.next, command, error);
}

/* --- Mapped writes --------------------------------------------------------------------------- */

/* The uncertain writes, if known, say which bytes the GPU may have written. */
static void
add_pending (VtrGpuWrites *self,
             guint64       memory,
             guint64       begin,
             guint64       end,
             VtrRangeSet  *set)
{
  for (guint i = 0; i < self->pending.submissions->len; i++)
    {
      const GArray *writes = vtr_pending_get (&self->pending, i);

      if (vtr_pending_get_told (&self->pending, i) == VTR_PENDING_PERHAPS &&
          self->uncertain != NULL)
        continue;
      for (guint j = 0; writes != NULL && j < writes->len; j++)
        {
          const VtrGpuWrite *write = &g_array_index (writes, VtrGpuWrite, j);

          if (write->memory == memory && write->begin < end && begin < write->end)
            vtr_must (vtr_range_set_add (set, write->begin, write->end));
        }
    }
}

/* The parts of @other in [@begin, @end). */
static void
add_overlap (VtrRangeSet       *set,
             const VtrRangeSet *other,
             guint64            begin,
             guint64            end)
{
  for (guint64 stop; other != NULL && vtr_range_set_next_part (other, &begin, end, &stop);
       begin = stop)
    vtr_must (vtr_range_set_add (set, begin, stop));
}

/* Leaves bytes as they are, or as the GPU makes them, because the program did not write them.
 * Changed bytes are written when the GPU is done. */
static gboolean
add_uncertain (VtrGpuWrites            *self,
               guint64                  index,
               const VtrContentRecord  *write,
               VtrRangeSet             *set,
               GError                 **error)
{
  VtrVulkanRead settle = { .parent = VTR_VULKAN_READ, .function = VTR_REPLAY_SETTLE };
  gboolean changed = FALSE;
  gsize n = 0;
  const VtrUncertainWrite *uncertain =
    self->uncertain != NULL ? vtr_uncertain_writes_find (self->uncertain, index, &n) : NULL;

  for (gsize i = 0; i < n; i++)
    {
      if (uncertain[i].memory != write->object ||
          uncertain[i].offset >= write->offset + write->size ||
          write->offset >= uncertain[i].offset + uncertain[i].size)
        continue;
      if (uncertain[i].same)
        vtr_must (
          vtr_range_set_add (set, uncertain[i].offset, uncertain[i].offset + uncertain[i].size));
      else
        changed = TRUE;
    }
  return !changed || !vtr_uncertain_writes_may_settle (self->uncertain) ||
         vtr_transform_read (self->parent.next, &settle.parent, error);
}

static gboolean
gpu_writes_write (VtrTransform      *transform,
                  guint64            index,
                  gsize              nth,
                  VtrContentRecord  *write,
                  GError           **error)
{
  VtrGpuWrites *self = (VtrGpuWrites *)transform;
  const VtrRangeSet *written = g_hash_table_lookup (self->written, VTR_GPU_KEY (write->object));
  VtrRangeSet set = { 0 };
  guint64 begin = write->offset;
  guint64 end = write->offset + write->size;
  guint64 stop;
  gboolean ok = TRUE;

  if (write->what != VTR_CONTENT_BYTES)
    return vtr_transform_write (self->parent.next, index, nth, write, error);
  add_pending (self, write->object, begin, end, &set);
  add_overlap (&set, vtr_gpu_writes_opaque_ranges (self, write->object), begin, end);
  add_overlap (&set, written, begin, end);
  ok = add_uncertain (self, index, write, &set, error);
  while (ok && vtr_range_set_next_gap (&set, &begin, end, &stop))
    {
      VtrContentRecord part = *write;
      gboolean whole = begin == write->offset && stop == end;

      part.offset = begin;
      part.data += begin - write->offset;
      part.size = stop - begin;
      ok = vtr_transform_write (self->parent.next, whole ? index : VTR_COMMAND_NO_INDEX, nth,
                                &part, error);
      begin = stop;
    }
  vtr_range_set_finish (&set);
  return ok;
}

static void
gpu_writes_free (VtrTransform *transform)
{
  VtrGpuWrites *self = (VtrGpuWrites *)transform;

  g_hash_table_unref (self->buffers);
  g_hash_table_unref (self->images);
  g_hash_table_unref (self->opaque);
  g_hash_table_unref (self->paged);
  g_hash_table_unref (self->recorded);
  g_hash_table_unref (self->written);
  for (guint i = 0; i < self->pending.submissions->len; i++)
    if (vtr_pending_get (&self->pending, i) != NULL)
      g_array_unref (vtr_pending_get (&self->pending, i));
  vtr_pending_finish (&self->pending);
  g_free (self);
}

static gboolean gpu_writes_resume (VtrTransform       *transform,
                                   VtrTransformStart  *start,
                                   GError            **error);

static const VtrTransformClass gpu_writes_class = {
  .name = "gpu-writes",
  .command = gpu_writes_command,
  .write = gpu_writes_write,
  .free = gpu_writes_free,
  .resume = gpu_writes_resume,
};

static gpointer
copy_writes (gpointer data)
{
  return g_array_copy (data);
}

/* Copies the data of the transform that saw the trace up to @start. */
static gboolean
gpu_writes_resume (VtrTransform       *transform,
                   VtrTransformStart  *start,
                   GError            **error)
{
  VtrGpuWrites *self = (VtrGpuWrites *)transform;
  const VtrGpuWrites *known =
    (const VtrGpuWrites *)vtr_transform_find (start->chain, &gpu_writes_class);
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  if (known == NULL || known->poison != self->poison || g_hash_table_size (known->written) > 0)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                           _ ("Filling memory with a pattern requires a replay of the whole "
                              "trace"));
      return FALSE;
    }
  g_hash_table_iter_init (&iter, known->buffers);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->buffers, key, g_memdup2 (value, sizeof (VtrGpuBuffer)));
  g_hash_table_iter_init (&iter, known->images);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->images, key, g_memdup2 (value, sizeof (VtrGpuImage)));
  g_hash_table_iter_init (&iter, known->paged);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (self->paged, key);
  g_hash_table_iter_init (&iter, known->recorded);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->recorded, key, g_array_copy (value));
  vtr_pending_copy (&self->pending, &known->pending, copy_writes);
  self->uncertain = known->uncertain;
  return TRUE;
}

VtrTransform *
vtr_transform_gpu_writes_new (gboolean poison)
{
  VtrGpuWrites *self = g_new0 (VtrGpuWrites, 1);

  self->parent.klass = &gpu_writes_class;
  self->poison = poison;
  self->buffers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->images = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->opaque = g_hash_table_new_full (NULL, NULL, NULL, set_free);
  self->paged = g_hash_table_new (NULL, NULL);
  self->recorded = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  self->written = g_hash_table_new_full (NULL, NULL, NULL, set_free);
  vtr_pending_init (&self->pending, free_writes, NULL);
  return &self->parent;
}

void
vtr_transform_gpu_writes_set_uncertain (VtrTransform             *chain,
                                        const VtrUncertainWrites *uncertain)
{
  VtrGpuWrites *self =
    (VtrGpuWrites *)vtr_transform_find (chain, &gpu_writes_class);

  if (self != NULL)
    self->uncertain = uncertain;
}
