#include "engine/replay-builder/vtr-token-patcher.h"

#include <string.h>

#include "engine/replay-builder/vtr-replay-builder-private.h"

/* No handle's: slots of words of group handles. */
#define SLOT_TYPE ((VtrHandleId)(VTR_HANDLE_COUNT + 1))

#define WORD ((guint)sizeof (guint64))
#define MAX_WORDS 16u /* of a handle */
#define MAX_GROUPS 4096u

/* Bytes that may be part of a table, as they are now; 0 where nobody wrote. */
typedef struct
{
  VtrTokenRange range;
  guint8 *bytes;
} Shadow;

typedef struct
{
  guint64 memory, offset;
} Place;

struct _VtrTokenPatcher
{
  const VtrTokenPlan *plan;
  guint size;           /* of a handle; 0: none was told */
  GHashTable *handles;  /* GBytes → number + 1 */
  GHashTable *memories; /* VkDeviceMemory → index of its allocation */
  GHashTable *buffers;  /* VkBuffer → Place */
  GArray *shadows;      /* Shadow */
};

static void
clear_shadow (gpointer data)
{
  g_free (((Shadow *)data)->bytes);
}

VtrTokenPatcher *
vtr_token_patcher_new (const VtrTokenPlan *plan)
{
  VtrTokenPatcher *self = g_new0 (VtrTokenPatcher, 1);

  self->plan = plan;
  self->handles = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref,
                                         NULL);
  self->memories = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->buffers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->shadows = g_array_new (FALSE, FALSE, sizeof (Shadow));
  g_array_set_clear_func (self->shadows, clear_shadow);
  return self;
}

static void
copy_table (GHashTable *to,
            GHashTable *from,
            gsize       size)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to, g_memdup2 (key, sizeof (guint64)), g_memdup2 (value, size));
}

VtrTokenPatcher *
vtr_token_patcher_fork (const VtrTokenPatcher *base)
{
  VtrTokenPatcher *self = vtr_token_patcher_new (base->plan);
  GHashTableIter iter;
  gpointer key, value;

  self->size = base->size;
  g_hash_table_iter_init (&iter, base->handles);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->handles, g_bytes_ref (key), value);
  copy_table (self->memories, base->memories, sizeof (guint64));
  copy_table (self->buffers, base->buffers, sizeof (Place));
  for (guint i = 0; i < base->shadows->len; i++)
    {
      Shadow shadow = g_array_index (base->shadows, Shadow, i);

      shadow.bytes = g_memdup2 (shadow.bytes, shadow.range.end - shadow.range.begin);
      g_array_append_val (self->shadows, shadow);
    }
  return self;
}

void
vtr_token_patcher_free (VtrTokenPatcher *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->handles);
  g_hash_table_unref (self->memories);
  g_hash_table_unref (self->buffers);
  g_array_unref (self->shadows);
  g_free (self);
}

/* --- Handles --------------------------------------------------------------------------------- */

/* Returns: where @word of handle @number is kept; 0: there is no slot left. */
static guint64
slot_of (VtrReplayBuilder *builder,
         guint             number,
         guint             word)
{
  guint64 slot = vtr_replay_slots_ensure (&builder->slots, SLOT_TYPE,
                                          (guint64)number * MAX_WORDS + word + 1);

  builder->full |= slot == 0;
  return slot;
}

/* The handles that lie at volatile @here are compared with the @captured ones, which are laid out
 * behind them. */
static void
compare (VtrReplayBuilder *builder,
         gconstpointer     captured,
         guint32           n_bytes,
         guint64           here)
{
  VtrBuffer *code = &builder->code;

  vtr_asm_inline (code, here + n_bytes, captured, n_bytes, NULL, 0, NULL, 0);
  vtr_asm_push (code, VTR_VM_UINT64, n_bytes);
  vtr_asm_push (code, VTR_VM_VOLATILE, here + n_bytes);
  vtr_asm_push (code, VTR_VM_VOLATILE, here);
  vtr_asm_push (code, VTR_VM_UINT32, builder->groups->size);
  vtr_replay_builder_call_synthetic (builder, VTR_REPLAY_COMPARE_GROUPS);
}

/* Keeps handle @number, which lies at volatile @from. */
static void
keep (VtrReplayBuilder *builder,
      guint             number,
      guint64           from)
{
  for (guint i = 0; i < builder->groups->size / WORD; i++)
    {
      vtr_asm_load (&builder->code, VTR_VM_UINT64, from + i * WORD);
      vtr_asm_store (&builder->code, slot_of (builder, number, i));
    }
}

void
vtr_token_patcher_tell (VtrReplayBuilder *builder,
                        const VtrCommand *command)
{
  const VtrArgs_vkGetRayTracingShaderGroupHandlesKHR *args = command->args;
  VtrTokenPatcher *self = builder->groups;
  VtrBuffer *code = &builder->code;
  guint size = args->groupCount > 0 ? (guint)(args->dataSize / args->groupCount) : 0;
  guint64 out;

  if (args->pData == NULL || size == 0 || size % WORD != 0 || size > MAX_WORDS * WORD ||
      args->groupCount > MAX_GROUPS || (self->size != 0 && size != self->size))
    return;
  self->size = size;
  out = vtr_replay_builder_take_scratch (builder, 2 * (gsize)size * args->groupCount);
  vtr_replay_builder_push_handle (builder, VTR_HANDLE_VkDevice, (guint64)(gsize)args->device);
  vtr_replay_builder_push_handle (builder, VTR_HANDLE_VkPipeline, (guint64)(gsize)args->pipeline);
  vtr_asm_push (code, VTR_VM_UINT32, args->firstGroup);
  vtr_asm_push (code, VTR_VM_UINT32, args->groupCount);
  vtr_asm_push (code, VTR_VM_UINT64, (guint64)size * args->groupCount);
  vtr_asm_push (code, VTR_VM_VOLATILE, out);
  vtr_asm_call (code, VTR_VM_API_VULKAN, command->id, false);
  compare (builder, args->pData, size * args->groupCount, out);
  for (guint i = 0; i < args->groupCount; i++)
    {
      g_autoptr (GBytes) handle = g_bytes_new ((const guint8 *)args->pData + i * size, size);
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->handles, handle));

      if (number == 0)
        {
          number = g_hash_table_size (self->handles) + 1;
          g_hash_table_insert (self->handles, g_bytes_ref (handle), GUINT_TO_POINTER (number));
        }
      keep (builder, number - 1, out + i * size);
    }
}

/* Returns: whether there is one at @bytes. */
static gboolean
find_handle (const VtrTokenPatcher *self,
             const guint8          *bytes,
             guint                 *number)
{
  g_autoptr (GBytes) key = g_bytes_new_static (bytes, self->size);
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (self->handles, key));

  *number = found - 1;
  return found != 0;
}

/* Copies the replay's handle to volatile @to. */
static void
lay_out (VtrReplayBuilder *builder,
         guint             number,
         guint64           to)
{
  for (guint i = 0; i < builder->groups->size / WORD; i++)
    {
      vtr_asm_load (&builder->code, VTR_VM_UINT64, slot_of (builder, number, i));
      vtr_asm_store (&builder->code, to + i * WORD);
    }
}

/* --- Memory ---------------------------------------------------------------------------------- */

void
vtr_token_patcher_allocate (VtrReplayBuilder *builder,
                            guint64           memory,
                            guint64           index)
{
  g_hash_table_replace (builder->groups->memories, g_memdup2 (&memory, sizeof memory),
                        g_memdup2 (&index, sizeof index));
}

void
vtr_token_patcher_bind (VtrReplayBuilder *builder,
                        guint64           buffer,
                        guint64           memory,
                        guint64           offset)
{
  const Place place = { memory, offset };

  g_hash_table_replace (builder->groups->buffers, g_memdup2 (&buffer, sizeof buffer),
                        g_memdup2 (&place, sizeof place));
}

static Shadow *
find_shadow (VtrTokenPatcher     *self,
             const VtrTokenRange *range)
{
  Shadow shadow = { *range, NULL };

  for (guint i = 0; i < self->shadows->len; i++)
    {
      Shadow *each = &g_array_index (self->shadows, Shadow, i);

      if (memcmp (&each->range, range, sizeof *range) == 0)
        return each;
    }
  shadow.bytes = g_try_malloc0 (range->end - range->begin);
  if (shadow.bytes == NULL)
    return NULL;
  g_array_append_val (self->shadows, shadow);
  return &g_array_index (self->shadows, Shadow, self->shadows->len - 1);
}

/* The first place of a handle at or behind @at that is in @range. */
static guint64
align (const VtrTokenRange *range,
       guint64              at)
{
  return at + (range->phase - at) % VTR_TOKEN_STEP;
}

/* Handles in a range of which bytes [@begin, @end) are new. */
static gboolean
write_handles (VtrReplayBuilder     *builder,
               guint64               memory,
               const VtrTokenRange  *range,
               const Shadow         *shadow,
               guint64               begin,
               guint64               end,
               GError              **error)
{
  const guint size = builder->groups->size;
  guint64 first = begin - range->begin >= size ? begin - size + 1 : range->begin;

  for (guint64 at = align (range, first); at < end && range->end - at >= size && at < range->end;)
    {
      guint64 source;
      guint number;

      if (!find_handle (builder->groups, shadow->bytes + (at - range->begin), &number))
        {
          at += VTR_TOKEN_STEP;
          continue;
        }
      source = vtr_replay_builder_take_scratch (builder, size);
      lay_out (builder, number, source);
      vtr_replay_builder_write_laid_out (builder, memory, at, source, size);
      at = align (range, at + size);
      if (!vtr_replay_builder_flush_if_long (builder, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
vtr_token_patcher_end_write (VtrReplayBuilder      *builder,
                             const VtrMappedWrite  *write,
                             GError               **error)
{
  VtrTokenPatcher *self = builder->groups;
  const guint64 *allocation = g_hash_table_lookup (self->memories, &write->memory);
  g_autoptr (GArray) ranges = NULL;
  guint64 stop;

  if (self->size == 0 || allocation == NULL ||
      __builtin_add_overflow (write->offset, write->size, &stop))
    return TRUE;
  ranges = vtr_token_plan_find (self->plan, *allocation, write->offset, stop);
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrTokenRange *range = &g_array_index (ranges, VtrTokenRange, i);
      const guint64 begin = MAX (range->begin, write->offset), end = MIN (range->end, stop);
      Shadow *shadow = find_shadow (self, range);

      if (shadow == NULL)
        continue;
      memcpy (shadow->bytes + (begin - range->begin), write->data + (begin - write->offset),
              end - begin);
      if (!write_handles (builder, write->memory, range, shadow, begin, end, error))
        return FALSE;
    }
  return TRUE;
}

void
vtr_token_patcher_change_update (VtrReplayBuilder                *builder,
                                 const VtrArgs_vkCmdUpdateBuffer *args,
                                 guint64                          source)
{
  VtrTokenPatcher *self = builder->groups;
  const guint64 key = (guint64)(gsize)args->dstBuffer;
  const Place *place = g_hash_table_lookup (self->buffers, &key);
  const guint64 *allocation =
    place != NULL ? g_hash_table_lookup (self->memories, &place->memory) : NULL;
  g_autoptr (GArray) ranges = NULL;
  guint64 begin, stop;

  if (self->size == 0 || allocation == NULL ||
      __builtin_add_overflow (place->offset, args->dstOffset, &begin) ||
      __builtin_add_overflow (begin, args->dataSize, &stop))
    return;
  ranges = vtr_token_plan_find (self->plan, *allocation, begin, stop);
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrTokenRange *range = &g_array_index (ranges, VtrTokenRange, i);

      for (guint64 at = align (range, MAX (begin, range->begin));
           at < stop && stop - at >= self->size; at += VTR_TOKEN_STEP)
        {
          guint number;

          if (find_handle (self, (const guint8 *)args->pData + (at - begin), &number))
            lay_out (builder, number, source + (at - begin));
        }
    }
}
