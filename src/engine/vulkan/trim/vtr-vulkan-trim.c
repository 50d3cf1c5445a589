/* Finds which of Vulkan's initial commands, bytes and contents the frames of a trace do not use. */
#include "engine/vulkan/trim/vtr-vulkan-trim.h"

#include "vtr-config.h"

#include "api/vtr-api-args.h"
#include "base/vtr-must.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace-rewrite.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "engine/vulkan/trim/vtr-trim-reach.h"

typedef struct
{
  VtrTrimReach *reach;
  VtrTrace *trace;
  GHashTable *bytes;    /* memory id → VtrRangeSet: bytes of it that are needed */
  GHashTable *pictures; /* VkImage values that have contents of their own */
  VtrArena arena;
  VtrTraceFilter filter;
} Trim;

/* ---- Bytes ---- */

static void
free_set (gpointer data)
{
  vtr_range_set_finish (data);
  g_free (data);
}

static gboolean
note_picture (const VtrContentRecord  *content,
              gsize                    nth,
              gpointer                 data,
              GError                 **error)
{
  Trim *self = data;

  if (content->what == VTR_CONTENT_TEXELS)
    g_hash_table_add (self->pictures, (gpointer)(gsize)content->object);
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

  if (!vtr_trace_each_content (self->trace, self->reach->n_initial, FALSE, note_picture, self,
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

/* Removes barriers on images that were trimmed. */
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
filter_bytes (gpointer    data,
              guint64     index,
              VtrHandleId kind,
              guint64     name)
{
  const Trim *self = data;
  MemoryQuestion question = { .trim = self };

  vtr_trim_reach_look_up (self->reach, kind, name, index, FALSE, on_memory, &question);
  /* Two objects of one name: it is unknown which of them has these bytes. */
  if (question.n != 1)
    return NULL;
  /* Bytes of mapped memory are recorded among the calls even if no call uses them. */
  return index <= self->reach->n_initial || question.gone ? question.ranges : NULL;
}

/* Contents of images among the calls are what another process gave them, and stay. */
static gboolean
filter_contents (gpointer    data,
                 guint64     index,
                 VtrHandleId kind,
                 guint64     name)
{
  const Trim *self = data;

  return (kind == VTR_HANDLE_VkImage && index > self->reach->n_initial) ||
         vtr_trim_reach_needs (self->reach, kind, name, index);
}

/* ---- All of it ---- */

static void
vulkan_free (gpointer data)
{
  Trim *self = data;

  vtr_arena_finish (&self->arena);
  g_hash_table_unref (self->pictures);
  g_hash_table_unref (self->bytes);
  vtr_trim_reach_free (self->reach);
  g_free (self);
}

static gpointer
vulkan_find (VtrTrace      *trace,
             VtrHistory    *history,
             guint8        *kept,
             GCancellable  *cancellable,
             GError       **error)
{
  Trim *self = g_new0 (Trim, 1);

  self->trace = trace;
  self->bytes = g_hash_table_new_full (NULL, NULL, NULL, free_set);
  self->pictures = g_hash_table_new (NULL, NULL);
  vtr_arena_init (&self->arena);
  self->filter = (VtrTraceFilter){
    .data = self,
    .command = filter_command,
    .bytes = filter_bytes,
    .contents = filter_contents,
  };
  self->reach = vtr_trim_reach_new (trace, history, kept, cancellable, error);
  if (self->reach != NULL && find_bytes (self, error))
    return self;
  vulkan_free (self);
  return NULL;
}

static const VtrTraceFilter *
vulkan_get_filter (gpointer data)
{
  return &((const Trim *)data)->filter;
}

const VtrTrimApi vtr_vulkan_trim = {
  .find = vulkan_find,
  .get_filter = vulkan_get_filter,
  .free = vulkan_free,
};
