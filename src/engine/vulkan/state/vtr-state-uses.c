/* Keeps the ids of the objects that each recording names, to find recordings that have become
 * invalid. */
#include "engine/vulkan/state/vtr-state-uses.h"

#include "api/vtr-api-walk.h"

/* Commands of a recording that are looked at. */
#define MAX_COMMANDS 16384

typedef struct
{
  VtrStateShared *shared;
  guint64 index;
  GHashTable *seen;
  GArray *ids;
} VtrUseCollector;

static void
on_handle (gpointer              data,
           const VtrVisitHandle *handle)
{
  VtrUseCollector *self = data;
  guint64 value = vtr_visit_handle_get (handle);
  const VtrObject *object;

  if (handle->out || handle->ignored || value == 0)
    return;
  object = vtr_history_find (self->shared->history, vtr_vulkan_identity (handle->type, value),
                             self->index);
  if (object != NULL && g_hash_table_add (self->seen, GUINT_TO_POINTER (object->id)))
    g_array_append_val (self->ids, object->id);
}

static GArray *
collect (VtrStateShared     *shared,
         guint32             nth,
         const VtrRecording *recording)
{
  static const VtrApiEnv env = { .decoded = true };
  VtrUseCollector self = { .shared = shared };
  VtrApiVisitor visitor = { .data = &self, .handle = on_handle };
  VtrTrace *trace = vtr_timeline_get_trace (shared->timeline);
  gboolean contiguous = vtr_timeline_is_contiguous (shared->timeline);
  VtrCommand command;
  VtrArena arena;

  self.seen = g_hash_table_new (NULL, NULL);
  self.ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  vtr_arena_init (&arena);
  for (guint64 i = recording->first; i <= recording->last; i++)
    {
      if (!contiguous && vtr_timeline_find_recording (shared->timeline, i) != nth)
        continue;
      vtr_arena_reset (&arena);
      self.index = i;
      if (vtr_trace_decode (trace, i, &arena, &command, NULL))
        vtr_api_visit (command.id, command.args, &env, &visitor);
    }
  vtr_arena_finish (&arena);
  g_hash_table_unref (self.seen);
  return self.ids;
}

/* (transfer none): kept as long as @shared. NULL: too long to look at. */
static const GArray *
get_uses (VtrStateShared *shared,
          guint32         nth)
{
  const VtrRecording *recording = vtr_timeline_get_recording (shared->timeline, nth);
  VtrVulkanShared *own = vtr_vulkan_shared (shared);
  GArray *ids;

  if (recording->last - recording->first >= MAX_COMMANDS)
    return NULL;
  g_mutex_lock (&own->lock);
  ids = g_hash_table_lookup (own->uses, GUINT_TO_POINTER (nth));
  if (ids == NULL)
    {
      ids = collect (shared, nth, recording);
      g_hash_table_insert (own->uses, GUINT_TO_POINTER (nth), ids);
    }
  g_mutex_unlock (&own->lock);
  return ids;
}

/* A set that was updated after it was bound, without having been made for that. */
static gboolean
is_updated (const VtrStateSet *set,
            guint32            ended)
{
  const guint32 late = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
                       VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT;

  if (set->layout == NULL || set->record.command <= ended)
    return FALSE;
  for (guint32 i = 0; i < set->layout->n_bindings; i++)
    if ((set->layout->bindings[i].flags & late) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
is_invalid (VtrApiState                 *state,
            const VtrStateCommandBuffer *record,
            const VtrObject             *object,
            VtrInvalidation             *out)
{
  gconstpointer other = vtr_api_state_peek (state, object->id);

  out->object = object->id;
  if (!vtr_api_state_is_alive (state, object->id))
    {
      out->command = object->destroyed;
      return TRUE;
    }
  if (object->type == VTR_HANDLE_VkDescriptorSet && other != NULL &&
      is_updated (other, record->ended))
    {
      out->command = ((const VtrStateRecord *)other)->command;
      return TRUE;
    }
  if (object->type == VTR_HANDLE_VkCommandBuffer && other != NULL)
    {
      const VtrStateCommandBuffer *buffer = other;

      out->command = buffer->record.command;
      return buffer != record && (buffer->recording == VTR_NO_RECORDING ||
                                  buffer->ended == 0 || buffer->ended > record->ended);
    }
  return FALSE;
}

gboolean
vtr_api_state_find_invalidation (VtrApiState                 *state,
                                 const VtrStateCommandBuffer *record,
                                 VtrInvalidation             *out)
{
  const GArray *ids = record->recording != VTR_NO_RECORDING
                        ? get_uses (state->shared, record->recording)
                        : NULL;

  for (guint i = 0; ids != NULL && i < ids->len; i++)
    {
      const VtrObject *object =
        vtr_history_get_object (state->history, g_array_index (ids, guint32, i));

      if (is_invalid (state, record, object, out))
        return TRUE;
    }
  return FALSE;
}
