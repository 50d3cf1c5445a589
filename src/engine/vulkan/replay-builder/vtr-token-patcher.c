/* Adds instructions to a replay that replace captured shader group handles and descriptors in
 * memory by the replay's own. */
#include "engine/vulkan/replay-builder/vtr-token-patcher.h"

#include <string.h>

#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "vulkan/vtr-vulkan-facts.h"

/* No handle's: slots of tokens, a type for each kind. */
#define SLOT_TYPE ((VtrHandleId)(VTR_VULKAN_N_HANDLES + 1))

#define WORD ((guint)sizeof (guint64))
#define MAX_SIZE VTR_MAX_DESCRIPTOR /* of a token */
#define MAX_GROUPS 4096u
#define MAX_SIZES 16u /* different ones */
#define FILTER_BITS 16

/* The token that the program got. */
typedef struct
{
  GBytes *bytes; /* captured */
  guint64 slot;  /* volatile address of the replay's bytes */
  guint64 told;
  GHashTable *places; /* where it was written: see pack(); a set (nullable) */
} Token;

/* Captured bytes that may hold tokens; 0 where nothing was written. */
typedef struct
{
  VtrTokenRange range;
  guint64 memory;
  guint8 *bytes;
} Shadow;

typedef struct
{
  guint64 memory, offset;
} Place;

struct _VtrTokenPatcher
{
  const VtrTokenPlan *plan;
  guint step;
  gboolean lost;        /* a token could not be added */
  GArray *tokens;       /* Token */
  GHashTable *numbers;  /* GBytes of the token → number + 1 */
  GArray *sizes;        /* guint, the longest first */
  guint8 *filter;       /* bits: how tokens begin */
  GHashTable *memories; /* VkDeviceMemory → index of its allocation */
  GHashTable *buffers;  /* VkBuffer → Place */
  GArray *shadows;      /* Shadow */
};

static void
clear_token (gpointer data)
{
  Token *token = data;

  g_bytes_unref (token->bytes);
  g_clear_pointer (&token->places, g_hash_table_unref);
}

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
  self->step = vtr_token_plan_get_step (plan);
  self->tokens = g_array_new (FALSE, FALSE, sizeof (Token));
  g_array_set_clear_func (self->tokens, clear_token);
  self->numbers = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  self->sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  self->filter = g_malloc0 ((1u << FILTER_BITS) / 8);
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

static void
copy_tokens (VtrTokenPatcher *to,
             const GArray    *from)
{
  for (guint i = 0; i < from->len; i++)
    {
      Token token = g_array_index (from, Token, i);
      GHashTable *places = token.places;
      GHashTableIter iter;
      gpointer key;

      g_bytes_ref (token.bytes);
      token.places = places != NULL ? g_hash_table_new (NULL, NULL) : NULL;
      if (places != NULL)
        g_hash_table_iter_init (&iter, places);
      while (places != NULL && g_hash_table_iter_next (&iter, &key, NULL))
        g_hash_table_add (token.places, key);
      g_array_append_val (to->tokens, token);
      g_hash_table_insert (to->numbers, token.bytes, GUINT_TO_POINTER (i + 1));
    }
}

VtrTokenPatcher *
vtr_token_patcher_fork (const VtrTokenPatcher *base)
{
  VtrTokenPatcher *self = vtr_token_patcher_new (base->plan);

  self->lost = base->lost;
  copy_tokens (self, base->tokens);
  g_array_append_vals (self->sizes, base->sizes->data, base->sizes->len);
  memcpy (self->filter, base->filter, (1u << FILTER_BITS) / 8);
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
  g_hash_table_unref (self->numbers);
  g_array_unref (self->tokens);
  g_array_unref (self->sizes);
  g_free (self->filter);
  g_hash_table_unref (self->memories);
  g_hash_table_unref (self->buffers);
  g_array_unref (self->shadows);
  g_free (self);
}

/* --- Tokens ---------------------------------------------------------------------------------- */

static guint
filter_bit (const guint8 *bytes)
{
  guint32 head;

  memcpy (&head, bytes, sizeof head);
  return (head * 2654435761u) >> (32 - FILTER_BITS);
}

/* Returns: (nullable): nothing begins here that is known and at most @available bytes long. */
static Token *
find_token (const VtrTokenPatcher *self,
            const guint8          *bytes,
            guint64                available)
{
  guint bit;

  if (available < sizeof (guint32))
    return NULL;
  bit = filter_bit (bytes);
  if ((self->filter[bit / 8] & 1u << bit % 8) == 0)
    return NULL;
  for (guint i = 0; i < self->sizes->len; i++)
    {
      const guint size = g_array_index (self->sizes, guint, i);
      g_autoptr (GBytes) key = size <= available ? g_bytes_new_static (bytes, size) : NULL;
      const guint number =
        key != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, key)) : 0;

      if (number != 0)
        return &g_array_index (self->tokens, Token, number - 1);
    }
  return NULL;
}

static guint
size_of (const Token *token)
{
  return (guint)g_bytes_get_size (token->bytes);
}

/* Returns: whether there is room for it. */
static gboolean
add_size (VtrTokenPatcher *self,
          guint            size)
{
  guint i = 0;

  while (i < self->sizes->len && g_array_index (self->sizes, guint, i) > size)
    i++;
  if (i < self->sizes->len && g_array_index (self->sizes, guint, i) == size)
    return TRUE;
  if (self->sizes->len == MAX_SIZES)
    return FALSE;
  g_array_insert_val (self->sizes, i, size);
  return TRUE;
}

/* Returns: (nullable): there is no space for more. */
static Token *
add_token (VtrReplayBuilder *builder,
           VtrTokenPatcher  *self,
           const guint8     *bytes,
           guint             size)
{
  const guint bit = filter_bit (bytes);
  Token token = { 0 };

  if (!add_size (self, size))
    return NULL;
  token.slot = vtr_replay_slots_ensure_run (
    &builder->slots,
    vtr_vulkan_identity (SLOT_TYPE + (VtrHandleId)vtr_token_plan_get_kind (self->plan),
                         self->tokens->len + 1u),
    (size + WORD - 1) / WORD);
  builder->full |= token.slot == 0;
  if (token.slot == 0)
    return NULL;
  token.bytes = g_bytes_new (bytes, size);
  self->filter[bit / 8] |= (guint8)(1u << bit % 8);
  g_array_append_val (self->tokens, token);
  g_hash_table_insert (self->numbers, token.bytes, GUINT_TO_POINTER (self->tokens->len));
  return &g_array_index (self->tokens, Token, self->tokens->len - 1);
}

static void
copy_volatile (VtrReplayBuilder *builder,
               guint64           from,
               guint64           to,
               guint             size)
{
  vtr_asm_push (&builder->code, VTR_VM_VOLATILE, from);
  vtr_asm_push (&builder->code, VTR_VM_VOLATILE, to);
  vtr_asm_x (&builder->code, VTR_OP_COPY, size);
}

/* Writes the replay's bytes of @token to byte @at of @memory. */
static void
write_token (VtrReplayBuilder *builder,
             const Token      *token,
             guint64           memory,
             guint64           at)
{
  vtr_replay_builder_write_laid_out (builder, memory, at, token->slot, size_of (token));
}

/* A place as the key of a set: the number of the shadow and the byte in it. */
#define PLACE_BITS 40

static gpointer
pack (guint   shadow,
      guint64 at)
{
  return GSIZE_TO_POINTER ((gsize)shadow << PLACE_BITS | at);
}

/* Writes @token once more wherever it still lies. */
static gboolean
write_again (VtrReplayBuilder  *builder,
             VtrTokenPatcher   *self,
             Token             *token,
             GError           **error)
{
  const guint8 *bytes = g_bytes_get_data (token->bytes, NULL);
  GHashTableIter iter;
  gpointer key;

  if (token->places == NULL)
    return TRUE;
  g_hash_table_iter_init (&iter, token->places);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const Shadow *shadow =
        &g_array_index (self->shadows, Shadow, GPOINTER_TO_SIZE (key) >> PLACE_BITS);
      const guint64 at = GPOINTER_TO_SIZE (key) & ((G_GUINT64_CONSTANT (1) << PLACE_BITS) - 1);
      const guint64 *allocation = g_hash_table_lookup (self->memories, &shadow->memory);

      if (allocation == NULL || *allocation != shadow->range.allocation ||
          memcmp (shadow->bytes + at, bytes, size_of (token)) != 0)
        {
          g_hash_table_iter_remove (&iter);
          continue;
        }
      write_token (builder, token, shadow->memory, shadow->range.begin + at);
      if (!vtr_replay_builder_flush_if_long (builder, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_zero (const guint8 *bytes,
         guint         size)
{
  return bytes[0] == 0 && memcmp (bytes, bytes + 1, size - 1) == 0;
}

/* The program got @bytes where the replay has the value at volatile @from. */
static gboolean
learn (VtrReplayBuilder  *builder,
       VtrTokenPatcher   *self,
       const guint8      *bytes,
       guint              size,
       guint64            told,
       guint64            from,
       GError           **error)
{
  g_autoptr (GBytes) key = g_bytes_new_static (bytes, size);
  const guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, key));
  Token *token = number != 0 ? &g_array_index (self->tokens, Token, number - 1) : NULL;
  const gboolean changed = token != NULL && token->told != told;

  /* Zeroes mean nothing, or null; they are everywhere. */
  if (is_zero (bytes, size))
    return TRUE;
  if (token == NULL)
    token = add_token (builder, self, bytes, size);
  self->lost |= token == NULL;
  if (token == NULL)
    return TRUE;
  copy_volatile (builder, from, token->slot, size);
  token->told = told;
  return !changed || write_again (builder, self, token, error);
}

/* The handles that lie at volatile @here are compared with the @captured ones, which are laid out
 * behind them. */
static void
compare (VtrReplayBuilder *builder,
         gconstpointer     captured,
         guint32           n_bytes,
         guint             size,
         guint64           here)
{
  VtrBuffer *code = &builder->code;

  vtr_asm_inline (code, here + n_bytes, captured, n_bytes, NULL, 0, NULL, 0);
  vtr_asm_push (code, VTR_VM_UINT64, n_bytes);
  vtr_asm_push (code, VTR_VM_VOLATILE, here + n_bytes);
  vtr_asm_push (code, VTR_VM_VOLATILE, here);
  vtr_asm_push (code, VTR_VM_UINT32, size);
  vtr_replay_builder_call_synthetic (builder, VTR_REPLAY_COMPARE_GROUPS);
}

gboolean
vtr_token_patcher_tell_groups (VtrReplayBuilder  *builder,
                               const VtrCommand  *command,
                               GError           **error)
{
  const VtrArgs_vkGetRayTracingShaderGroupHandlesKHR *args = command->args;
  VtrTokenPatcher *self = vtr_vulkan_part (builder)->tokens[VTR_TOKEN_GROUP];
  const guint64 pipeline = (guint64)(gsize)args->pipeline;
  VtrBuffer *code = &builder->code;
  guint size = args->groupCount > 0 ? (guint)(args->dataSize / args->groupCount) : 0;
  guint64 out, slot;

  if (self == NULL || args->pData == NULL || size == 0 || size % WORD != 0 || size > MAX_SIZE ||
      args->groupCount > MAX_GROUPS)
    return TRUE;
  slot = vtr_replay_slots_find (&builder->slots,
                                vtr_vulkan_identity (VTR_HANDLE_VkPipeline, pipeline));
  out = vtr_replay_builder_take_scratch (builder, 2 * (gsize)size * args->groupCount);
  vtr_replay_builder_push_handle (builder, VTR_HANDLE_VkDevice, (guint64)(gsize)args->device);
  vtr_replay_builder_push_handle (builder, VTR_HANDLE_VkPipeline, pipeline);
  vtr_asm_push (code, VTR_VM_UINT32, args->firstGroup);
  vtr_asm_push (code, VTR_VM_UINT32, args->groupCount);
  vtr_asm_push (code, VTR_VM_UINT64, (guint64)size * args->groupCount);
  vtr_asm_push (code, VTR_VM_VOLATILE, out);
  vtr_asm_call (code, VTR_VM_API_VULKAN, command->id, false);
  compare (builder, args->pData, size * args->groupCount, size, out);
  for (guint i = 0; i < args->groupCount; i++)
    {
      const guint64 life = vtr_replay_slots_get_life (&builder->slots, slot);

      if (!learn (builder, self, (const guint8 *)args->pData + i * size, size,
                  life ^ pipeline ^ (args->firstGroup + i), out + i * size, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
vtr_token_patcher_tell_descriptor (VtrReplayBuilder                  *builder,
                                   const VtrArgs_vkGetDescriptorEXT  *args,
                                   guint64                            told,
                                   guint64                            from,
                                   GError                           **error)
{
  VtrTokenPatcher *self = vtr_vulkan_part (builder)->tokens[VTR_TOKEN_DESCRIPTOR];

  if (args->dataSize >= VTR_MIN_DESCRIPTOR && args->dataSize <= MAX_SIZE)
    return learn (builder, self, args->pDescriptor, (guint)args->dataSize, told, from, error);
  /* Addresses in memory are the business of the address patcher. */
  if (!vtr_descriptor_is_address (args->pDescriptorInfo, args->pDescriptor, args->dataSize))
    self->lost = TRUE;
  return TRUE;
}

gboolean
vtr_token_patcher_has_lost_descriptors (const VtrReplayBuilder *builder)
{
  const VtrTokenPatcher *self = vtr_vulkan_part (builder)->tokens[VTR_TOKEN_DESCRIPTOR];

  return self != NULL && self->lost;
}

/* --- Memory ---------------------------------------------------------------------------------- */

void
vtr_token_patcher_allocate (VtrReplayBuilder *builder,
                            guint64           memory,
                            guint64           index)
{
  VtrTokenPatcher **tokens = vtr_vulkan_part (builder)->tokens;

  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    if (tokens[i] != NULL)
      g_hash_table_replace (tokens[i]->memories, g_memdup2 (&memory, sizeof memory),
                            g_memdup2 (&index, sizeof index));
}

void
vtr_token_patcher_bind (VtrReplayBuilder *builder,
                        guint64           buffer,
                        guint64           memory,
                        guint64           offset)
{
  VtrTokenPatcher **tokens = vtr_vulkan_part (builder)->tokens;
  const Place place = { memory, offset };

  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    if (tokens[i] != NULL)
      g_hash_table_replace (tokens[i]->buffers, g_memdup2 (&buffer, sizeof buffer),
                            g_memdup2 (&place, sizeof place));
}

/* Returns: its number + 1; 0: there is no memory for it. */
static guint
find_shadow (VtrTokenPatcher     *self,
             const VtrTokenRange *range,
             guint64              memory)
{
  Shadow shadow = { *range, memory, NULL };

  for (guint i = 0; i < self->shadows->len; i++)
    {
      const Shadow *each = &g_array_index (self->shadows, Shadow, i);

      if (memcmp (&each->range, range, sizeof *range) == 0)
        return i + 1;
    }
  if ((range->end - range->begin) >> PLACE_BITS != 0)
    return 0;
  shadow.bytes = g_try_malloc0 (range->end - range->begin);
  if (shadow.bytes == NULL)
    return 0;
  g_array_append_val (self->shadows, shadow);
  return self->shadows->len;
}

/* The first place of a token at or behind @at that is in @range. */
static guint64
align (const VtrTokenPatcher *self,
       const VtrTokenRange   *range,
       guint64                at)
{
  return at + (range->phase - at) % self->step;
}

/* Tokens in shadow @number of which bytes [@begin, @end) of the memory are new. */
static gboolean
write_tokens (VtrReplayBuilder  *builder,
              VtrTokenPatcher   *self,
              guint              number,
              guint64            begin,
              guint64            end,
              GError           **error)
{
  const Shadow *shadow = &g_array_index (self->shadows, Shadow, number);
  const VtrTokenRange *range = &shadow->range;
  const guint longest = g_array_index (self->sizes, guint, 0);
  guint64 first = begin - range->begin >= longest ? begin - longest + 1 : range->begin;

  for (guint64 at = align (self, range, first); at < end && at < range->end;)
    {
      Token *token =
        find_token (self, shadow->bytes + (at - range->begin), range->end - at);

      if (token == NULL || at + size_of (token) <= begin)
        {
          at += self->step;
          continue;
        }
      write_token (builder, token, shadow->memory, at);
      if (token->places == NULL)
        token->places = g_hash_table_new (NULL, NULL);
      g_hash_table_add (token->places, pack (number, at - range->begin));
      at = align (self, range, at + size_of (token));
      if (!vtr_replay_builder_flush_if_long (builder, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
end_write (VtrReplayBuilder        *builder,
           VtrTokenPatcher         *self,
           const VtrContentRecord  *write,
           GError                 **error)
{
  const guint64 *allocation = g_hash_table_lookup (self->memories, &write->object);
  g_autoptr (GArray) ranges = NULL;
  guint64 stop;

  if (allocation == NULL || __builtin_add_overflow (write->offset, write->size, &stop))
    return TRUE;
  ranges = vtr_token_plan_find (self->plan, *allocation, write->offset, stop);
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrTokenRange *range = &g_array_index (ranges, VtrTokenRange, i);
      const guint64 begin = MAX (range->begin, write->offset), end = MIN (range->end, stop);
      const guint number = find_shadow (self, range, write->object);

      if (number == 0)
        continue;
      memcpy (g_array_index (self->shadows, Shadow, number - 1).bytes + (begin - range->begin),
              write->data + (begin - write->offset), end - begin);
      if (self->sizes->len > 0 && !write_tokens (builder, self, number - 1, begin, end, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
vtr_token_patcher_end_write (VtrReplayBuilder        *builder,
                             const VtrContentRecord  *write,
                             GError                 **error)
{
  VtrTokenPatcher **tokens = vtr_vulkan_part (builder)->tokens;

  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    if (tokens[i] != NULL && !end_write (builder, tokens[i], write, error))
      return FALSE;
  return TRUE;
}

static void
change_update (VtrReplayBuilder                *builder,
               VtrTokenPatcher                 *self,
               const VtrArgs_vkCmdUpdateBuffer *args,
               guint64                          source)
{
  const guint64 key = (guint64)(gsize)args->dstBuffer;
  const Place *place = g_hash_table_lookup (self->buffers, &key);
  const guint64 *allocation =
    place != NULL ? g_hash_table_lookup (self->memories, &place->memory) : NULL;
  g_autoptr (GArray) ranges = NULL;
  guint64 begin, stop;

  if (allocation == NULL || __builtin_add_overflow (place->offset, args->dstOffset, &begin) ||
      __builtin_add_overflow (begin, args->dataSize, &stop))
    return;
  ranges = vtr_token_plan_find (self->plan, *allocation, begin, stop);
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrTokenRange *range = &g_array_index (ranges, VtrTokenRange, i);

      for (guint64 at = align (self, range, MAX (begin, range->begin)); at < stop;)
        {
          const Token *token =
            find_token (self, (const guint8 *)args->pData + (at - begin), stop - at);

          if (token != NULL)
            copy_volatile (builder, token->slot, source + (at - begin), size_of (token));
          at = align (self, range, at + (token != NULL ? size_of (token) : self->step));
        }
    }
}

void
vtr_token_patcher_change_update (VtrReplayBuilder                *builder,
                                 const VtrArgs_vkCmdUpdateBuffer *args,
                                 guint64                          source)
{
  VtrTokenPatcher **tokens = vtr_vulkan_part (builder)->tokens;

  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    if (tokens[i] != NULL)
      change_update (builder, tokens[i], args, source);
}
