/* Writes a smaller copy of a trace without the objects and contents that its frames do not use. */
#include "engine/vulkan/trim/vtr-trim.h"

#include "vtr-config.h"

#include "api/vtr-api-args.h"
#include "base/vtr-must.h"
#include "engine/format/vtr-trace-rewrite.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "engine/vulkan/trim/vtr-trim-reach.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

typedef struct
{
  VtrTrimReach *reach;
  VtrTrace *trace;
  GHashTable *bytes;    /* memory id → VtrRangeSet: bytes of it that are needed */
  GHashTable *pictures; /* VkImage values that have contents of their own */
  VtrArena arena;
} Trim;

/* ---- Bytes ---- */

static void
free_set (gpointer data)
{
  vtr_range_set_finish (data);
  g_free (data);
}

static gboolean
note_picture (const VtrMappedWrite  *write,
              gsize                  nth,
              gpointer               data,
              GError               **error)
{
  Trim *self = data;

  if (write->image != 0)
    g_hash_table_add (self->pictures, (gpointer)(gsize)write->image);
  return TRUE;
}

/* Where the bytes of a resource end in its memory. An image does not say: G_MAXUINT64. */
static guint64
get_end (Trim    *self,
         guint32  id,
         guint64  offset)
{
  VtrBufferFact buffer;

  return vtr_facts_get_buffer (self->reach->history, id, &buffer) &&
             buffer.size <= G_MAXUINT64 - offset
           ? offset + buffer.size
           : G_MAXUINT64;
}

/* Whether the bytes of an image are recorded as texels, and mean nothing in its memory. */
static gboolean
has_picture (Trim            *self,
             const VtrObject *object)
{
  VtrImageInfo info;

  return object->type == VTR_HANDLE_VkImage &&
         g_hash_table_contains (self->pictures, (gpointer)(gsize)object->handle) &&
         vtr_history_get_image_info (self->reach->history, object, &info, NULL) &&
         info.tiling != VK_IMAGE_TILING_LINEAR;
}

/* The bytes that a needed object has when the frames begin. */
static void
add_bytes (Trim    *self,
           guint32  id)
{
  VtrBoundMemory bound;

  for (guint plane = 0; plane < VTR_MAX_PLANES; plane++)
    {
      gpointer key;
      VtrRangeSet *set;

      if (!vtr_facts_get_bound (self->reach->history, id, plane, self->reach->n_initial - 1,
                                &bound) ||
          bound.memory == 0)
        continue;
      key = GUINT_TO_POINTER (bound.memory);
      set = g_hash_table_lookup (self->bytes, key);
      if (set == NULL)
        {
          set = g_new0 (VtrRangeSet, 1);
          g_hash_table_insert (self->bytes, key, set);
        }
      vtr_must (vtr_range_set_add (set, bound.offset, get_end (self, id, bound.offset)));
    }
}

static gboolean
find_bytes (Trim    *self,
            GError **error)
{
  const guint32 n = vtr_history_get_n_objects (self->reach->history);

  if (!vtr_trace_each_mapped_write (self->trace, self->reach->n_initial, FALSE, note_picture, self,
                                    error))
    return FALSE;
  for (guint32 id = 1; self->reach->n_initial > 0 && id <= n; id++)
    if (self->reach->needed[id] &&
        !has_picture (self, vtr_history_get_object (self->reach->history, id)))
      add_bytes (self, id);
  return TRUE;
}

/* ---- The recorder's own barriers ---- */

static gboolean
keeps_barrier (const Trim                 *self,
               const VkImageMemoryBarrier *barrier,
               guint64                     index)
{
  return vtr_trim_reach_needs (self->reach, VTR_HANDLE_VkImage, (guint64)barrier->image, index);
}

/* Leaves those barriers that are about images which are gone. */
static VtrRewriteAnswer
filter_barriers (Trim             *self,
                 const VtrCommand *command,
                 VtrBuffer        *message)
{
  static const VtrApiEnv env = { .decoded = true };
  VtrArgs_vkCmdPipelineBarrier args = *(const VtrArgs_vkCmdPipelineBarrier *)command->args;
  g_autofree VkImageMemoryBarrier *barriers =
    g_memdup2 (args.pImageMemoryBarriers,
               args.imageMemoryBarrierCount * sizeof *args.pImageMemoryBarriers);
  guint32 n = 0;

  for (guint32 i = 0; i < args.imageMemoryBarrierCount; i++)
    if (keeps_barrier (self, &barriers[i], command->index))
      barriers[n++] = barriers[i];
  if (n == args.imageMemoryBarrierCount)
    return VTR_REWRITE_KEEP;
  args.imageMemoryBarrierCount = n;
  args.pImageMemoryBarriers = barriers;
  /* Numbers that replace handles of a second device must not get into another trace. */
  for (guint32 i = 0; i < n; i++)
    barriers[i].image = (VkImage)(gsize)vtr_trace_get_driver_handle (
      self->trace, (guint64)(gsize)barriers[i].image);
  vtr_api_encode (message, command->id, &args, 0, (guint32)command->thread, 0,
                  VTR_COMMAND_FLAG_INITIAL, &env);
  return VTR_REWRITE_REPLACE;
}

/* ---- What stays ---- */

static VtrRewriteAnswer
filter_command (gpointer    data,
                guint64     index,
                VtrBuffer  *message,
                GError    **error)
{
  Trim *self = data;
  VtrCommand command;

  if (index >= self->reach->n_initial)
    return VTR_REWRITE_KEEP;
  if (!self->reach->kept[index])
    return VTR_REWRITE_DROP;
  if (vtr_trace_get_command_id (self->trace, index) != VTR_CMD_vkCmdPipelineBarrier)
    return VTR_REWRITE_KEEP;
  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (self->trace, index, &self->arena, &command, error))
    return VTR_REWRITE_FAIL;
  return filter_barriers (self, &command, message);
}

typedef struct
{
  const Trim *trim;
  const VtrRangeSet *ranges; /* NULL: all of it */
  gboolean gone;             /* all of it */
  guint n;
} MemoryQuestion;

static void
on_memory (gpointer data,
           guint32  id)
{
  static const VtrRangeSet none = { 0 };
  MemoryQuestion *self = data;
  const VtrRangeSet *set = g_hash_table_lookup (self->trim->bytes, GUINT_TO_POINTER (id));

  self->n++;
  self->gone = !self->trim->reach->needed[id];
  if (self->gone)
    self->ranges = &none;
  else if (self->trim->reach->whole[id])
    self->ranges = NULL;
  else
    self->ranges = set != NULL ? set : &none;
}

static const VtrRangeSet *
filter_memory (gpointer data,
               guint64  index,
               guint64  memory)
{
  const Trim *self = data;
  MemoryQuestion question = { .trim = self };

  vtr_trim_reach_look_up (self->reach, VTR_HANDLE_VkDeviceMemory, memory, index, FALSE, on_memory,
                          &question);
  /* Two objects of one name: it is unknown which of them has these bytes. */
  if (question.n != 1)
    return NULL;
  /* Bytes of mapped memory are recorded among the calls even if no call uses them. */
  return index <= self->reach->n_initial || question.gone ? question.ranges : NULL;
}

static gboolean
filter_image (gpointer data,
              guint64  index,
              guint64  image)
{
  const Trim *self = data;

  return index > self->reach->n_initial ||
         vtr_trim_reach_needs (self->reach, VTR_HANDLE_VkImage, image, index);
}

static gboolean
filter_structure (gpointer data,
                  guint64  index,
                  guint64  structure)
{
  const Trim *self = data;

  return vtr_trim_reach_needs (self->reach, VTR_HANDLE_VkAccelerationStructureKHR, structure,
                               index);
}

static gboolean
filter_device (gpointer data,
               guint64  index,
               guint64  device)
{
  const Trim *self = data;

  return vtr_trim_reach_needs (self->reach, VTR_HANDLE_VkDevice, device, index);
}

/* ---- All of it ---- */

static void
count (const Trim   *self,
       VtrTrimFacts *facts)
{
  VtrTrimReach *reach = self->reach;
  guint32 n = vtr_history_get_n_objects (reach->history);

  facts->commands_before = reach->n_initial;
  for (guint64 i = 0; i < reach->n_initial; i++)
    facts->commands_after += reach->kept[i];
  for (guint32 id = 1; id <= n; id++)
    {
      const VtrObject *object = vtr_history_get_object (reach->history, id);

      if (object->created >= reach->n_initial || object->destroyed < reach->n_initial)
        continue;
      facts->objects_before++;
      facts->objects_after += reach->kept[object->created];
    }
}

static gboolean
trim (Trim          *self,
      const char    *output,
      VtrTrimFacts  *facts,
      GCancellable  *cancellable,
      GError       **error)
{
  const VtrTraceFilter filter = {
    .data = self,
    .command = filter_command,
    .memory = filter_memory,
    .image = filter_image,
    .structure = filter_structure,
    .device = filter_device,
  };
  GStatBuf info;

  self->reach = vtr_trim_reach_new (self->trace, cancellable, error);
  if (self->reach == NULL || !find_bytes (self, error))
    return FALSE;
  count (self, facts);
  facts->bytes_before = vtr_trace_get_info (self->trace)->bytes;
  if (!vtr_trace_rewrite (self->trace, &filter, output, cancellable, error))
    return FALSE;
  facts->bytes_after = g_stat (output, &info) == 0 ? (guint64)info.st_size : 0;
  return TRUE;
}

gboolean
vtr_trim (const char    *path,
          const char    *output,
          VtrTrimFacts  *facts,
          GCancellable  *cancellable,
          GError       **error)
{
  g_autoptr (VtrTrace) trace = vtr_trace_open (path, NULL, NULL, cancellable, error);
  VtrTrimFacts local = { 0 };
  Trim self = { .trace = trace };
  gboolean done;

  if (trace == NULL)
    return FALSE;
  self.bytes = g_hash_table_new_full (NULL, NULL, NULL, free_set);
  self.pictures = g_hash_table_new (NULL, NULL);
  vtr_arena_init (&self.arena);
  done = trim (&self, output, &local, cancellable, error);
  vtr_arena_finish (&self.arena);
  g_hash_table_unref (self.pictures);
  g_hash_table_unref (self.bytes);
  vtr_trim_reach_free (self.reach);
  if (done && facts != NULL)
    *facts = local;
  return done;
}
