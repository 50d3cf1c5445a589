/* Reads the effects of barriers, passes, queries and events in recordings, chunk by chunk, and
 * caches them. */
#include "engine/vulkan/state/vtr-state-effects.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "api/vtr-api-args.h"

#include <string.h>

/* Bytes of chunks kept. */
#define CACHE_LIMIT (24 << 20)

/* --- Effects on images --- */

static void
init_image (VtrEffect                     *self,
            VtrEffectKind                  kind,
            const VtrImageFact            *fact,
            guint32                        image,
            const VkImageSubresourceRange *range)
{
  *self = (VtrEffect){ .kind = kind, .object = image };
  self->image.range = *range;
  self->image.fits = vtr_image_fact_clamp (fact, &self->image.range);
  self->image.source = self->image.destination = VK_QUEUE_FAMILY_IGNORED;
}

gboolean
vtr_effect_init_use (VtrEffect                     *self,
                     VtrStateFacts                 *facts,
                     guint32                        image,
                     const VkImageSubresourceRange *range,
                     guint32                        first_slice,
                     guint32                        n_slices,
                     VkImageLayout                  layout)
{
  const VtrImageFact *fact = vtr_state_facts_get_image (facts, image);
  VkImageSubresourceRange used = *range;

  if (fact == NULL)
    return FALSE;
  vtr_image_fact_name_slices (fact, &used, first_slice, n_slices);
  init_image (self, VTR_EFFECT_USE, fact, image, &used);
  self->image.old_layout = self->image.new_layout = layout;
  return TRUE;
}

gboolean
vtr_effect_init_layout (VtrEffect                     *self,
                        VtrStateFacts                 *facts,
                        guint32                        image,
                        const VkImageSubresourceRange *range,
                        VkImageLayout                  old_layout,
                        VkImageLayout                  new_layout)
{
  const VtrImageFact *fact = vtr_state_facts_get_image (facts, image);

  if (fact == NULL)
    return FALSE;
  init_image (self, VTR_EFFECT_LAYOUT, fact, image, range);
  self->image.old_layout = old_layout;
  self->image.new_layout = new_layout;
  return TRUE;
}

/* --- Makers --- */

guint32
vtr_effect_find (VtrEffectMaker *self,
                 guint32         type,
                 guint64         handle)
{
  const VtrObject *object =
    vtr_history_find (self->shared->history, vtr_vulkan_identity (type, handle),
                      self->command.index);

  return object != NULL ? object->id : 0;
}

static void
append (VtrEffectMaker *self,
        VtrEffect       effect)
{
  effect.offset = self->offset;
  g_array_append_val (self->effects, effect);
}

VtrEffect *
vtr_effect_add (VtrEffectMaker *self,
                VtrEffectKind   kind,
                guint32         object)
{
  append (self, (VtrEffect){ .kind = kind, .object = object });
  return &g_array_index (self->effects, VtrEffect, self->effects->len - 1);
}

void
vtr_effect_add_use (VtrEffectMaker                *self,
                    VkImage                        image,
                    const VkImageSubresourceRange *range,
                    guint32                        first_slice,
                    guint32                        n_slices,
                    VkImageLayout                  layout)
{
  VtrEffect effect;

  if (vtr_effect_init_use (&effect, vtr_vulkan_facts (self->shared),
                           vtr_effect_find (self, VTR_HANDLE_VkImage, (guint64)image), range,
                           first_slice, n_slices, layout))
    append (self, effect);
}

static void
add_layout (VtrEffectMaker                *self,
            VkImage                        image,
            const VkImageSubresourceRange *range,
            VkImageLayout                  old_layout,
            VkImageLayout                  new_layout,
            guint32                        source,
            guint32                        destination)
{
  VtrEffect effect;

  if (!vtr_effect_init_layout (&effect, vtr_vulkan_facts (self->shared),
                               vtr_effect_find (self, VTR_HANDLE_VkImage, (guint64)image), range,
                               old_layout, new_layout))
    return;
  effect.image.source = source;
  effect.image.destination = destination;
  append (self, effect);
}

static void
add_owner (VtrEffectMaker *self,
           VkBuffer        buffer,
           guint32         source,
           guint32         destination)
{
  VtrEffect *effect;

  if (source == destination)
    return;
  effect = vtr_effect_add (self, VTR_EFFECT_OWNER,
                           vtr_effect_find (self, VTR_HANDLE_VkBuffer, (guint64)buffer));
  effect->owner.source = source;
  effect->owner.destination = destination;
}

static void
add_dependency (VtrEffectMaker         *self,
                const VkDependencyInfo *info)
{
  if (info == NULL)
    return;
  for (guint32 i = 0; i < info->imageMemoryBarrierCount && info->pImageMemoryBarriers != NULL; i++)
    {
      const VkImageMemoryBarrier2 *barrier = &info->pImageMemoryBarriers[i];

      add_layout (self, barrier->image, &barrier->subresourceRange, barrier->oldLayout,
                  barrier->newLayout, barrier->srcQueueFamilyIndex,
                  barrier->dstQueueFamilyIndex);
    }
  for (guint32 i = 0; i < info->bufferMemoryBarrierCount && info->pBufferMemoryBarriers != NULL;
       i++)
    add_owner (self, info->pBufferMemoryBarriers[i].buffer,
               info->pBufferMemoryBarriers[i].srcQueueFamilyIndex,
               info->pBufferMemoryBarriers[i].dstQueueFamilyIndex);
}

static void
add_query (VtrEffectMaker *self,
           VtrEffectKind   kind,
           VkQueryPool     pool,
           guint32         first,
           guint32         count)
{
  VtrEffect *effect = vtr_effect_add (
    self, kind, vtr_effect_find (self, VTR_HANDLE_VkQueryPool, (guint64)pool));

  effect->query.first = first;
  effect->query.count = count;
}

static void
add_event (VtrEffectMaker *self,
           VkEvent         event,
           gboolean        set,
           guint64         stages)
{
  VtrEffect *effect = vtr_effect_add (
    self, VTR_EFFECT_EVENT, vtr_effect_find (self, VTR_HANDLE_VkEvent, (guint64)event));

  effect->set = set;
  effect->stages = stages;
}

/* In every structure, the member with the destination of a build is called dst…. */
static void
on_built_handle (gpointer              data,
                 const VtrVisitHandle *handle)
{
  VtrEffectMaker *self = data;
  const char *name = vtr_api_string (handle->field->name);
  guint64 value = handle->dispatchable ? 0 : *(const guint64 *)handle->slot;

  if (handle->type != VTR_HANDLE_VkAccelerationStructureKHR &&
      handle->type != VTR_HANDLE_VkAccelerationStructureNV &&
      handle->type != VTR_HANDLE_VkMicromapEXT)
    return;
  if (value != 0 && g_str_has_prefix (name, "dst"))
    vtr_effect_add (self, VTR_EFFECT_BUILD, vtr_effect_find (self, handle->type, value));
}

static void
add_builds (VtrEffectMaker *self)
{
  static const VtrApiEnv env = { .decoded = true };
  VtrApiVisitor visitor = { .data = self, .handle = on_built_handle };

  vtr_api_visit (self->command.id, self->command.args, &env, &visitor);
}

#define ARGS(name) const VtrArgs_##name *args = self->command.args

static void
add_barriers (VtrEffectMaker *self)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, &self->command);
  if (form.command.id == VTR_CMD_vkCmdPipelineBarrier2)
    {
      const VtrArgs_vkCmdPipelineBarrier2 *args = form.command.args;

      add_dependency (self, args->pDependencyInfo);
    }
  else
    {
      const VtrArgs_vkCmdWaitEvents2 *args = form.command.args;

      for (guint32 i = 0; i < args->eventCount && args->pDependencyInfos != NULL; i++)
        add_dependency (self, &args->pDependencyInfos[i]);
    }
}

/* Barriers and events. */
static gboolean
make_barrier (VtrEffectMaker *self)
{
  switch (vtr_cmd_newer_form (self->command.id))
    {
    case VTR_CMD_vkCmdPipelineBarrier2:
    case VTR_CMD_vkCmdWaitEvents2:
      add_barriers (self);
      return TRUE;
    case VTR_CMD_vkCmdSetEvent:
      {
        ARGS (vkCmdSetEvent);
        add_event (self, args->event, TRUE, args->stageMask);
        return TRUE;
      }
    case VTR_CMD_vkCmdResetEvent:
      {
        ARGS (vkCmdResetEvent);
        add_event (self, args->event, FALSE, args->stageMask);
        return TRUE;
      }
    case VTR_CMD_vkCmdSetEvent2:
      {
        ARGS (vkCmdSetEvent2);
        add_event (self, args->event, TRUE, 0);
        return TRUE;
      }
    case VTR_CMD_vkCmdResetEvent2:
      {
        ARGS (vkCmdResetEvent2);
        add_event (self, args->event, FALSE, args->stageMask);
        return TRUE;
      }
    default:
      return FALSE;
    }
}

static gboolean
make_query (VtrEffectMaker *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkCmdResetQueryPool:
      {
        ARGS (vkCmdResetQueryPool);
        add_query (self, VTR_EFFECT_QUERY_RESET, args->queryPool, args->firstQuery,
                   args->queryCount);
        return TRUE;
      }
    case VTR_CMD_vkCmdBeginQuery:
      {
        ARGS (vkCmdBeginQuery);
        add_query (self, VTR_EFFECT_QUERY_BEGIN, args->queryPool, args->query, 1);
        return TRUE;
      }
    case VTR_CMD_vkCmdEndQuery:
      {
        ARGS (vkCmdEndQuery);
        add_query (self, VTR_EFFECT_QUERY_END, args->queryPool, args->query, 1);
        return TRUE;
      }
    case VTR_CMD_vkCmdBeginQueryIndexedEXT:
      {
        ARGS (vkCmdBeginQueryIndexedEXT);
        add_query (self, VTR_EFFECT_QUERY_BEGIN, args->queryPool, args->query, 1);
        return TRUE;
      }
    case VTR_CMD_vkCmdEndQueryIndexedEXT:
      {
        ARGS (vkCmdEndQueryIndexedEXT);
        add_query (self, VTR_EFFECT_QUERY_END, args->queryPool, args->query, 1);
        return TRUE;
      }
    case VTR_CMD_vkCmdWriteTimestamp:
      {
        ARGS (vkCmdWriteTimestamp);
        add_query (self, VTR_EFFECT_QUERY_WRITE, args->queryPool, args->query, 1);
        return TRUE;
      }
    case VTR_CMD_vkCmdWriteTimestamp2:
      {
        ARGS (vkCmdWriteTimestamp2);
        add_query (self, VTR_EFFECT_QUERY_WRITE, args->queryPool, args->query, 1);
        return TRUE;
      }
    case VTR_CMD_vkCmdWriteAccelerationStructuresPropertiesKHR:
      {
        ARGS (vkCmdWriteAccelerationStructuresPropertiesKHR);
        add_query (self, VTR_EFFECT_QUERY_WRITE, args->queryPool, args->firstQuery,
                   args->accelerationStructureCount);
        return TRUE;
      }
    case VTR_CMD_vkCmdCopyQueryPoolResults:
      {
        ARGS (vkCmdCopyQueryPoolResults);
        add_query (self, VTR_EFFECT_QUERY_COPY, args->queryPool, args->firstQuery,
                   args->queryCount);
        return TRUE;
      }
    default:
      return FALSE;
    }
}

static gboolean
make_pass (VtrEffectMaker *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkCmdBeginRenderPass:
    case VTR_CMD_vkCmdBeginRenderPass2:
      {
        /* The same first two parameters. */
        ARGS (vkCmdBeginRenderPass);
        if (args->pRenderPassBegin != NULL)
          vtr_effect_begin_pass (self, args->pRenderPassBegin);
        return TRUE;
      }
    case VTR_CMD_vkCmdBeginRendering:
      {
        ARGS (vkCmdBeginRendering);
        if (args->pRenderingInfo != NULL)
          vtr_effect_begin_rendering (self, args->pRenderingInfo);
        return TRUE;
      }
    default:
      return FALSE;
    }
}

/* Effects that the command's name alone tells. Returns: FALSE when it must be decoded. */
static gboolean
make_undecoded (VtrEffectMaker *self,
                VtrCmdId        id)
{
  if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
    vtr_effect_add (self, VTR_EFFECT_PASS_NEXT, 0);
  else if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
    vtr_effect_add (self, VTR_EFFECT_PASS_END, 0);
  else if (vtr_cmd_is (id, VTR_CLASS_EXECUTE))
    vtr_effect_add (self, VTR_EFFECT_EXECUTE, 0);
  else
    return FALSE;
  return TRUE;
}

static gboolean
has_effect (VtrCmdId id)
{
  if (vtr_cmd_is (id, VTR_CLASS_BARRIER | VTR_CLASS_BEGIN_PASS | VTR_CLASS_TRANSFER |
                        VTR_CLASS_BUILD | VTR_CLASS_CLEAR))
    return TRUE;
  switch (vtr_cmd_newer_form (id))
    {
    case VTR_CMD_vkCmdSetEvent:
    case VTR_CMD_vkCmdResetEvent:
    case VTR_CMD_vkCmdSetEvent2:
    case VTR_CMD_vkCmdResetEvent2:
    case VTR_CMD_vkCmdWaitEvents2:
    case VTR_CMD_vkCmdResetQueryPool:
    case VTR_CMD_vkCmdBeginQuery:
    case VTR_CMD_vkCmdEndQuery:
    case VTR_CMD_vkCmdBeginQueryIndexedEXT:
    case VTR_CMD_vkCmdEndQueryIndexedEXT:
    case VTR_CMD_vkCmdWriteTimestamp:
    case VTR_CMD_vkCmdWriteTimestamp2:
    case VTR_CMD_vkCmdWriteAccelerationStructuresPropertiesKHR:
    case VTR_CMD_vkCmdCopyQueryPoolResults:
      return TRUE;
    default:
      return FALSE;
    }
}

static void
make_decoded (VtrEffectMaker *self)
{
  if (make_barrier (self) || make_pass (self) || make_query (self) ||
      vtr_effect_add_transfer (self))
    return;
  if (vtr_cmd_is (self->command.id, VTR_CLASS_BUILD))
    add_builds (self);
}

static VtrEffectChunk *
chunk_new (VtrStateShared *shared,
           guint32         recording,
           guint32         nth)
{
  const VtrRecording *info = vtr_timeline_get_recording (shared->timeline, recording);
  gboolean contiguous = vtr_timeline_is_contiguous (shared->timeline);
  VtrTrace *trace = vtr_timeline_get_trace (shared->timeline);
  VtrEffectChunk *self = g_new0 (VtrEffectChunk, 1);
  VtrEffectMaker maker = {
    .shared = shared,
    .effects = g_array_new (FALSE, FALSE, sizeof (VtrEffect)),
  };
  guint64 first = info->first + (guint64)nth * VTR_EFFECT_CHUNK;
  guint64 end = MIN (first + VTR_EFFECT_CHUNK, info->last + 1);
  VtrArena arena;

  g_atomic_ref_count_init (&self->refs);
  vtr_arena_init (&arena);
  for (guint64 i = first; i < end; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, i);

      if (!vtr_cmd_is_vulkan (id))
        continue;
      id = vtr_cmd_canonical (id);
      if (!contiguous && vtr_timeline_find_recording (shared->timeline, i) != recording)
        continue;
      maker.offset = (guint32)(i - info->first);
      if (make_undecoded (&maker, id) || !has_effect (id))
        continue;
      vtr_arena_reset (&arena);
      self->decoded++;
      if (!vtr_trace_decode (trace, i, &arena, &maker.command, NULL))
        continue;
      maker.command.id = id;
      make_decoded (&maker);
    }
  vtr_arena_finish (&arena);
  self->n = maker.effects->len;
  self->effects = (VtrEffect *)(void *)g_array_free (maker.effects, FALSE);
  return self;
}

void
vtr_effect_chunk_unref (VtrEffectChunk *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint32 i = 0; i < self->n; i++)
    if (self->effects[i].kind == VTR_EFFECT_PASS_BEGIN)
      vtr_state_pass_unref (self->effects[i].pass);
  g_free (self->effects);
  g_free (self);
}

/* --- The cache --- */

typedef struct
{
  guint64 key;
  VtrEffectChunk *chunk;
  GList link; /* of .order */
} VtrCacheEntry;

struct _VtrEffectCache
{
  VtrStateShared *shared;
  GMutex lock;
  GHashTable *entries; /* of VtrCacheEntry, by key */
  GQueue order;        /* used last first */
  gsize bytes;
};

static gsize
weigh (const VtrEffectChunk *chunk)
{
  return sizeof *chunk + sizeof (VtrCacheEntry) + 64 + chunk->n * sizeof (VtrEffect);
}

static void
entry_free (gpointer data)
{
  VtrCacheEntry *self = data;

  vtr_effect_chunk_unref (self->chunk);
  g_free (self);
}

VtrEffectCache *
vtr_effect_cache_new (VtrStateShared *shared)
{
  VtrEffectCache *self = g_new0 (VtrEffectCache, 1);

  self->shared = shared;
  g_mutex_init (&self->lock);
  self->entries = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, entry_free);
  return self;
}

void
vtr_effect_cache_free (VtrEffectCache *self)
{
  g_hash_table_unref (self->entries);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
trim (VtrEffectCache *self)
{
  while (self->bytes > CACHE_LIMIT && self->order.length > 1)
    {
      VtrCacheEntry *entry = self->order.tail->data;

      self->bytes -= weigh (entry->chunk);
      g_queue_unlink (&self->order, &entry->link);
      g_hash_table_remove (self->entries, &entry->key);
    }
}

VtrEffectChunk *
vtr_effect_cache_get (VtrEffectCache *self,
                      guint32         recording,
                      guint32         nth,
                      gboolean       *made)
{
  guint64 key = ((guint64)recording << 32) | nth;
  VtrEffectChunk *chunk = NULL;
  VtrCacheEntry *entry;

  *made = FALSE;
  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->entries, &key);
  if (entry != NULL)
    {
      g_queue_unlink (&self->order, &entry->link);
      g_queue_push_head_link (&self->order, &entry->link);
      chunk = entry->chunk;
      g_atomic_ref_count_inc (&chunk->refs);
    }
  g_mutex_unlock (&self->lock);
  if (chunk != NULL)
    return chunk;

  *made = TRUE;
  chunk = chunk_new (self->shared, recording, nth);
  g_mutex_lock (&self->lock);
  if (!g_hash_table_contains (self->entries, &key))
    {
      entry = g_new0 (VtrCacheEntry, 1);
      entry->key = key;
      entry->chunk = chunk;
      entry->link.data = entry;
      g_atomic_ref_count_inc (&chunk->refs);
      g_hash_table_insert (self->entries, &entry->key, entry);
      g_queue_push_head_link (&self->order, &entry->link);
      self->bytes += weigh (chunk);
      trim (self);
    }
  g_mutex_unlock (&self->lock);
  return chunk;
}
