#include "engine/replay-builder/vtr-replay-builder.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <xxhash.h>

#include "engine/format/vtr-number.h"
#include "engine/replay-builder/vtr-address-patcher.h"
#include "engine/replay-builder/vtr-replay-builder-private.h"

#define SLOTS_END G_GUINT64_CONSTANT (0x80000000)
#define LARGE_BASE SLOTS_END
#define LARGE_END G_GUINT64_CONSTANT (0x100000000)

/* Contents of at least this size travel as resources, which the replayer keeps between requests. */
#define RESOURCE_BYTES 4096
/* Most bytes in one INLINE_RESOURCE; a multiple of 8. */
#define INLINE_BYTES 0x80000
#define INLINE_PATCHES 63

/* Words per segment: the first is small, so that execution starts soon. */
#define FIRST_SEGMENT_WORDS (16 * 1024)
#define SEGMENT_WORDS (128 * 1024)

/* Where the content of a resource is found again. */
typedef struct
{
  guint64 hash[2];
  guint64 size;
  guint64 index;   /* flat index of the command; VTR_COMMAND_NO_INDEX: .bytes */
  guint32 nth;     /* mapped write, or large piece of the command's arguments */
  gboolean mapped; /* a mapped write before the command */
  GBytes *bytes;   /* (nullable) */
} ResourceSource;

static void
resource_source_free (gpointer data)
{
  ResourceSource *source = data;

  g_clear_pointer (&source->bytes, g_bytes_unref);
  g_free (source);
}

static guint
resource_source_hash (gconstpointer key)
{
  return (guint)((const ResourceSource *)key)->hash[0];
}

static gboolean
resource_source_equal (gconstpointer a,
                       gconstpointer b)
{
  const ResourceSource *x = a;
  const ResourceSource *y = b;

  return x->hash[0] == y->hash[0] && x->hash[1] == y->hash[1] && x->size == y->size;
}

static bool
env_update_template (void                       *data,
                     VkDescriptorUpdateTemplate  handle,
                     VtrUpdateTemplate          *out)
{
  VtrReplayBuilder *self = data;
  guint64 key = (guint64)(gsize)handle;
  GArray *entries = g_hash_table_lookup (self->templates, &key);

  if (entries == NULL)
    return false;
  out->entries = (const VkDescriptorUpdateTemplateEntry *)(gpointer)entries->data;
  out->n_entries = entries->len;
  return true;
}

VtrReplayBuilder *
vtr_replay_builder_new (VtrTrace      *trace,
                        VtrReplaySend  send,
                        gpointer       data)
{
  VtrReplayBuilder *self = g_new0 (VtrReplayBuilder, 1);

  self->trace = trace != NULL ? vtr_trace_ref (trace) : NULL;
  self->send = send;
  self->send_data = data;
  self->resources = g_array_new (FALSE, FALSE, sizeof (VtrReplayResource));
  self->sources = g_ptr_array_new_with_free_func (resource_source_free);
  self->numbers = g_hash_table_new (resource_source_hash, resource_source_equal);
  self->patches = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->copies = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->targets = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->templates = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                           (GDestroyNotify)g_array_unref);
  self->env = (VtrApiEnv){ .data = self, .decoded = true, .update_template = env_update_template };
  self->scratch = SCRATCH_BASE;
  self->label = G_MAXUINT64;
  vtr_replay_slots_init (&self->slots, SCRATCH_END, SLOTS_END);
  return self;
}

void
vtr_replay_builder_free (VtrReplayBuilder *self)
{
  if (self == NULL)
    return;
  vtr_buffer_finish (&self->code);
  vtr_flat_finish (&self->flat);
  vtr_replay_slots_finish (&self->slots);
  g_array_unref (self->resources);
  g_hash_table_unref (self->numbers);
  g_ptr_array_unref (self->sources);
  g_array_unref (self->patches);
  g_array_unref (self->copies);
  g_array_unref (self->targets);
  g_hash_table_unref (self->templates);
  g_clear_pointer (&self->patcher, vtr_address_patcher_free);
  g_clear_pointer (&self->plan, vtr_replay_plan_unref);
  g_clear_pointer (&self->trace, vtr_trace_unref);
  g_free (self);
}

void
vtr_replay_builder_set_plan (VtrReplayBuilder *self,
                             VtrReplayPlan    *plan)
{
  const VtrAddressRanges *ranges = vtr_replay_plan_get_ranges (plan);

  vtr_replay_plan_ref (plan);
  g_clear_pointer (&self->patcher, vtr_address_patcher_free);
  g_clear_pointer (&self->plan, vtr_replay_plan_unref);
  self->plan = plan;
  if (ranges != NULL)
    self->patcher = vtr_address_patcher_new (ranges);
}

VtrReplayPlan *
vtr_replay_builder_get_plan (VtrReplayBuilder *self)
{
  return self->plan;
}

VtrBuffer *
vtr_replay_builder_get_code (VtrReplayBuilder *self)
{
  return &self->code;
}

VtrReplaySlots *
vtr_replay_builder_get_slots (VtrReplayBuilder *self)
{
  return &self->slots;
}

VtrTrace *
vtr_replay_builder_get_trace (VtrReplayBuilder *self)
{
  return self->trace;
}

const VtrReplayBuilderStats *
vtr_replay_builder_get_stats (VtrReplayBuilder *self)
{
  return &self->stats;
}

void
vtr_replay_builder_add_template (VtrReplayBuilder                           *self,
                                 guint64                                     handle,
                                 const VkDescriptorUpdateTemplateCreateInfo *info)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (VkDescriptorUpdateTemplateEntry));

  if (info->pDescriptorUpdateEntries != NULL)
    g_array_append_vals (entries, info->pDescriptorUpdateEntries, info->descriptorUpdateEntryCount);
  g_hash_table_replace (self->templates, g_memdup2 (&handle, sizeof handle), entries);
}

/* --- Segments and resources ------------------------------------------------------------------ */

gboolean
vtr_replay_builder_flush (VtrReplayBuilder  *self,
                          GError           **error)
{
  const VtrReplaySegment segment = {
    .opcodes = (const guint32 *)(const void *)self->code.data,
    .n_opcodes = self->code.size / 4,
    .resources = (const VtrReplayResource *)(gpointer)self->resources->data,
    .n_resources = self->resources->len,
  };

  if (self->code.failed || self->full)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                   _ ("The replay needs more memory than the machine has"));
      return FALSE;
    }
  if (segment.n_opcodes == 0)
    return TRUE;
  self->stats.n_words += segment.n_opcodes;
  self->stats.n_segments++;
  if (!self->send (&segment, self->send_data, error))
    return FALSE;
  vtr_buffer_clear (&self->code);
  g_array_set_size (self->resources, 0);
  return TRUE;
}

gboolean
vtr_replay_builder_flush_if_long (VtrReplayBuilder  *self,
                                  GError           **error)
{
  gsize limit = self->stats.n_segments == 0 ? FIRST_SEGMENT_WORDS : SEGMENT_WORDS;

  if (self->code.size / 4 < limit && !self->full)
    return TRUE;
  return vtr_replay_builder_flush (self, error);
}

/* Number of the resource with this content; a new one is remembered by where it came from. */
static guint32
resource_number (VtrReplayBuilder *self,
                 const void       *data,
                 gsize             size,
                 guint64           index,
                 guint32           nth,
                 gboolean          mapped)
{
  XXH128_hash_t hash = XXH3_128bits (data, size);
  ResourceSource key = { .hash = { hash.low64, hash.high64 }, .size = size };
  gpointer known = g_hash_table_lookup (self->numbers, &key);
  const VtrReplayResource resource = { { hash.low64, hash.high64 }, size };
  ResourceSource *source;

  if (known != NULL)
    return GPOINTER_TO_UINT (known) - 1;
  source = g_memdup2 (&key, sizeof key);
  source->index = index;
  source->nth = nth;
  source->mapped = mapped;
  if (index == VTR_COMMAND_NO_INDEX || self->trace == NULL)
    source->bytes = g_bytes_new (data, size);
  g_ptr_array_add (self->sources, source);
  g_hash_table_insert (self->numbers, source, GUINT_TO_POINTER (self->sources->len));
  g_array_append_val (self->resources, resource);
  return self->sources->len - 1;
}

/* --- Argument trees -------------------------------------------------------------------------- */

typedef struct
{
  guint32 first;   /* offset in the blob of what goes to scratch: the end of the VtrArgs_… */
  guint64 address; /* volatile address of .first */
} Placement;

static inline guint32
placed (const Placement *placement,
        guint32          offset)
{
  return (guint32)(placement->address + (offset - placement->first));
}

guint64
vtr_replay_builder_take_scratch (VtrReplayBuilder *self,
                                 gsize             size)
{
  gsize rounded = (size + 7) & ~(gsize)7;
  guint64 address = self->scratch;

  if (rounded <= SCRATCH_END - self->scratch)
    {
      self->scratch += rounded;
      return address;
    }
  if (rounded > LARGE_END - LARGE_BASE)
    {
      self->full = TRUE;
      return SCRATCH_BASE;
    }
  return LARGE_BASE;
}

guint64
vtr_replay_builder_scratch (VtrReplayBuilder *self,
                            gconstpointer     data,
                            guint32           size)
{
  guint64 address = vtr_replay_builder_take_scratch (self, size);

  vtr_asm_inline (&self->code, address, data, size, NULL, 0, NULL, 0);
  return address;
}

static int
compare_u32 (gconstpointer a,
             gconstpointer b)
{
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;

  return (x > y) - (x < y);
}

/* Puts blob bytes [from, to) into scratch with the patches collected for them. */
static void
write_inline (VtrReplayBuilder *self,
              const Placement  *placement,
              guint32           from,
              guint32           to)
{
  const guint32 *patches = (const guint32 *)(gpointer)self->patches->data;
  guint n_patches = self->patches->len / 2;

  while (to - from > INLINE_BYTES)
    {
      vtr_asm_inline (&self->code, placed (placement, from), self->flat.blob.data + from,
                      INLINE_BYTES, NULL, 0, NULL, 0);
      from += INLINE_BYTES;
    }
  vtr_asm_inline (&self->code, placed (placement, from), self->flat.blob.data + from, to - from,
                  patches, MIN (n_patches, INLINE_PATCHES),
                  (const guint32 *)(gpointer)self->copies->data, self->copies->len / 2);
  for (guint done = INLINE_PATCHES; done < n_patches; done += INLINE_PATCHES)
    vtr_asm_inline (&self->code, placed (placement, from), NULL, 0, patches + 2 * done,
                    MIN (n_patches - done, INLINE_PATCHES), NULL, 0);
}

static void
write_resource (VtrReplayBuilder *self,
                const Placement  *placement,
                guint32           from,
                guint32           to)
{
  guint64 index = self->command != NULL ? self->command->index : VTR_COMMAND_NO_INDEX;
  guint32 number = resource_number (self, self->flat.blob.data + from, to - from, index,
                                    self->n_large++, FALSE);

  vtr_asm_push (&self->code, VTR_VM_VOLATILE, placed (placement, from));
  vtr_asm_x (&self->code, VTR_OP_RESOURCE, number);
}

/* The blob from its second piece on is cut at the starts of large pieces that nothing is patched
 * into: those become resources. Sorts the starts of all pieces into self->targets. */
static void
find_targets (VtrReplayBuilder *self,
              guint32           first)
{
  const VtrFlatPointer *pointers = (const VtrFlatPointer *)(const void *)self->flat.pointers.data;

  g_array_set_size (self->targets, 0);
  for (gsize i = 0; i < self->flat.n_pointers; i++)
    if (pointers[i].to >= first)
      g_array_append_val (self->targets, pointers[i].to);
  g_array_sort (self->targets, compare_u32);
}

/* Whether [from, to) is output memory only: the driver reads nothing of it. */
static gboolean
is_blank (VtrReplayBuilder *self,
          guint32           from,
          guint32           to)
{
  const guint8 *bytes = self->flat.blob.data + from;
  gsize n = to - from;

  return n > 0 && bytes[0] == 0 && memcmp (bytes, bytes + 1, n - 1) == 0;
}

static gboolean
in_output (VtrReplayBuilder *self,
           guint32           offset)
{
  const VtrFlatRange *outputs = (const VtrFlatRange *)(const void *)self->flat.outputs.data;

  for (gsize i = 0; i < self->flat.n_outputs; i++)
    if (offset >= outputs[i].at && offset - outputs[i].at < outputs[i].size)
      return TRUE;
  return FALSE;
}

/* Collects the patches that fall into [from, to). */
typedef struct
{
  gsize pointer; /* next to look at */
  gsize handle;
} PatchCursor;

static void
add_pair (GArray  *array,
          guint32  a,
          guint32  b)
{
  const guint32 pair[2] = { a, b };

  g_array_append_vals (array, pair, 2);
}

static void
collect_handle (VtrReplayBuilder    *self,
                const Placement     *placement,
                const VtrFlatHandle *handle)
{
  guint64 slot;

  if (handle->out || handle->value == 0)
    return;
  slot = vtr_replay_slots_find (&self->slots, handle->type, handle->value);
  if (slot != 0)
    add_pair (self->copies, placed (placement, handle->at), (guint32)slot);
  else
    {
      memset (self->flat.blob.data + handle->at, 0, 8);
      self->stats.n_unknown++;
    }
}

/* All patches at once when the tree goes inline as a whole; else those of one piece. */
static void
collect_patches (VtrReplayBuilder *self,
                 const Placement  *placement,
                 guint32           from,
                 guint32           to)
{
  const VtrFlatPointer *pointers = (const VtrFlatPointer *)(const void *)self->flat.pointers.data;
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;

  g_array_set_size (self->patches, 0);
  g_array_set_size (self->copies, 0);
  for (gsize i = 0; i < self->flat.n_pointers; i++)
    if (pointers[i].at >= from && pointers[i].at < to)
      add_pair (self->patches, placed (placement, pointers[i].at),
                placed (placement, pointers[i].to));
  for (gsize i = 0; i < self->flat.n_handles; i++)
    if (handles[i].at >= from && handles[i].at < to)
      collect_handle (self, placement, &handles[i]);
}

/* Writes [from, to) inline; all-zero output memory of some size is not worth sending. */
static void
write_span (VtrReplayBuilder *self,
            const Placement  *placement,
            guint32           from,
            guint32           to)
{
  if (from >= to)
    return;
  collect_patches (self, placement, from, to);
  write_inline (self, placement, from, to);
}

static gboolean
has_patches (VtrReplayBuilder *self,
             guint32           from,
             guint32           to)
{
  const VtrFlatPointer *pointers = (const VtrFlatPointer *)(const void *)self->flat.pointers.data;
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;

  for (gsize i = 0; i < self->flat.n_pointers; i++)
    if (pointers[i].at >= from && pointers[i].at < to)
      return TRUE;
  for (gsize i = 0; i < self->flat.n_handles; i++)
    if (handles[i].at >= from && handles[i].at < to)
      return TRUE;
  return FALSE;
}

static void
write_tree (VtrReplayBuilder *self,
            const Placement  *placement)
{
  guint32 end = (guint32)self->flat.blob.size;
  guint32 pending = placement->first; /* start of what is not written yet */
  const guint32 *targets;

  if (end - placement->first < RESOURCE_BYTES)
    {
      write_span (self, placement, placement->first, end);
      return;
    }

  find_targets (self, placement->first);
  targets = (const guint32 *)(gpointer)self->targets->data;
  for (guint i = 0; i < self->targets->len; i++)
    {
      guint32 from = targets[i];
      guint32 to = i + 1 < self->targets->len ? targets[i + 1] : end;

      if (to - from < RESOURCE_BYTES || has_patches (self, from, to))
        continue;
      write_span (self, placement, pending, from);
      if (!in_output (self, from) || !is_blank (self, from, to))
        write_resource (self, placement, from, to);
      pending = to;
    }
  write_span (self, placement, pending, end);
}

/* --- Calls ----------------------------------------------------------------------------------- */

void
vtr_replay_builder_push_handle (VtrReplayBuilder *self,
                                VtrHandleId       type,
                                guint64           value)
{
  guint64 slot = value != 0 ? vtr_replay_slots_find (&self->slots, type, value) : 0;

  if (slot != 0)
    {
      vtr_asm_load (&self->code, VTR_VM_UINT64, slot);
      return;
    }
  self->stats.n_unknown += value != 0;
  vtr_asm_push (&self->code, VTR_VM_UINT64, 0);
}

void
vtr_replay_builder_call_synthetic (VtrReplayBuilder  *self,
                                   VtrReplayFunction  function)
{
  vtr_asm_call (&self->code, VTR_VM_API_VULKAN, function, false);
}

static guint64
read_number (const guint8 *slot,
             gsize         size)
{
  guint64 value = 0;

  /* Copies of a known size are loads. */
  if (size == 4)
    memcpy (&value, slot, 4);
  else if (size >= sizeof value)
    memcpy (&value, slot, sizeof value);
  else
    memcpy (&value, slot, size);
  return value;
}

static gboolean
is_pointer (const VtrApiField *field)
{
  return field->pointers > 0 || field->array != 1 || field->kind == VTR_KIND_ADDRESS ||
         field->kind == VTR_KIND_FUNCTION || field->kind == VTR_KIND_NEXT;
}

static void
push_scalar (VtrReplayBuilder  *self,
             const VtrApiField *field,
             const guint8      *slot)
{
  guint64 value = read_number (slot, field->size[VTR_ABI_NATIVE]);

  switch (field->kind)
    {
    case VTR_KIND_HANDLE:
      vtr_replay_builder_push_handle (self, field->type, value);
      break;
    case VTR_KIND_F32:
      vtr_asm_push (&self->code, VTR_VM_FLOAT, value);
      break;
    case VTR_KIND_F64:
      vtr_asm_push (&self->code, VTR_VM_DOUBLE, value);
      break;
    case VTR_KIND_I32:
      vtr_asm_push (&self->code, VTR_VM_INT32, (guint64)(gint64)(gint32)value);
      break;
    case VTR_KIND_I64:
      vtr_asm_push (&self->code, VTR_VM_INT64, value);
      break;
    case VTR_KIND_U64:
      vtr_asm_push (&self->code, VTR_VM_UINT64, value);
      if (self->patcher != NULL && vtr_field_is_device_address (field))
        vtr_address_patcher_push (self, value);
      break;
    default:
      vtr_asm_push (&self->code,
                    field->size[VTR_ABI_NATIVE] > 4 ? VTR_VM_UINT64 : VTR_VM_UINT32, value);
    }
}

static void
push_pointer (VtrReplayBuilder  *self,
              const VtrApiField *field,
              const guint8      *base,
              const Placement   *placement)
{
  guint64 offset = read_number (base + field->offset[VTR_ABI_NATIVE], 8);

  if (placement == NULL || offset == 0)
    vtr_asm_push (&self->code, VTR_VM_ABSOLUTE, 0);
  else
    vtr_asm_push (&self->code, VTR_VM_VOLATILE, placed (placement, (guint32)offset));
}

static void
push_arguments (VtrReplayBuilder    *self,
                const VtrApiCommand *command,
                const guint8        *base,
                const Placement     *placement)
{
  const VtrApiField *fields = &vtr_api_fields[command->first_field];

  for (unsigned i = 0; i < command->n_params; i++)
    if (is_pointer (&fields[i]))
      push_pointer (self, &fields[i], base, placement);
    else
      push_scalar (self, &fields[i], base + fields[i].offset[VTR_ABI_NATIVE]);
}

/* Handles that the call made go from scratch to their slots. */
static void
store_outputs (VtrReplayBuilder *self,
               const Placement  *placement)
{
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;

  for (gsize i = 0; i < self->flat.n_handles; i++)
    {
      guint64 slot;

      if (!handles[i].out || handles[i].value == 0 || handles[i].at < placement->first)
        continue;
      slot = vtr_replay_slots_ensure (&self->slots, handles[i].type, handles[i].value);
      if (slot == 0)
        {
          self->full = TRUE;
          return;
        }
      vtr_asm_load (&self->code, VTR_VM_UINT64, placed (placement, handles[i].at));
      vtr_asm_store (&self->code, slot);
    }
}

static gboolean
flatten (VtrReplayBuilder  *self,
         VtrCmdId           id,
         const void        *args,
         GError           **error)
{
  VtrStatus status;

  vtr_flat_clear (&self->flat);
  self->flat.wants_places = self->patcher != NULL && vtr_cmd_is (id, VTR_CLASS_PLACES);
  status = vtr_api_flatten (id, args, &self->env, &self->flat);
  if (status == VTR_OK)
    return TRUE;
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
               _ ("The arguments of %s cannot be laid out for the replay: %s"), vtr_cmd_name (id),
               vtr_status_to_string (status));
  return FALSE;
}

gboolean
vtr_replay_builder_call (VtrReplayBuilder  *self,
                         VtrCmdId           id,
                         const void        *args,
                         guint32            function,
                         GError           **error)
{
  const VtrApiCommand *command = &vtr_api_commands[id];
  Placement placement;

  if (command->n_pointers == 0)
    {
      push_arguments (self, command, args, NULL);
      vtr_asm_call (&self->code, VTR_VM_API_VULKAN, function, false);
      return TRUE;
    }

  if (!flatten (self, id, args, error))
    return FALSE;
  placement.first = (command->args_size + 7u) & ~7u;
  placement.address =
    vtr_replay_builder_take_scratch (
      self, self->flat.blob.size - MIN (self->flat.blob.size, placement.first));
  if (self->flat.blob.size > placement.first)
    write_tree (self, &placement);
  if (self->patcher != NULL &&
      !vtr_address_patcher_change_tree (self, placement.first, placement.address, error))
    return FALSE;
  push_arguments (self, command, self->flat.blob.data, &placement);
  vtr_asm_call (&self->code, VTR_VM_API_VULKAN, function, false);
  store_outputs (self, &placement);
  return TRUE;
}

void
vtr_replay_builder_begin_item (VtrReplayBuilder *self,
                               guint64           index)
{
  self->scratch = SCRATCH_BASE;
  self->n_large = 0;
  if (index != VTR_COMMAND_NO_INDEX && index != self->label)
    {
      self->label = index;
      vtr_asm_label (&self->code, index);
    }
}

/* --- Items ----------------------------------------------------------------------------------- */

static gboolean
decline (VtrReplayBuilder     *self,
         const VtrCommand     *command,
         const VtrReplayRule  *rule,
         GError              **error)
{
  g_autofree char *number = self->trace != NULL
                              ? vtr_trace_format_number (self->trace, command->index)
                              : g_strdup_printf ("%" G_GUINT64_FORMAT, command->index);

  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
               _ ("Command %s, %s, cannot be replayed: %s"), number, vtr_cmd_name (command->id),
               rule->reason);
  return FALSE;
}

gboolean
vtr_replay_builder_add (VtrReplayBuilder  *self,
                        const VtrCommand  *command,
                        GError           **error)
{
  const VtrReplayRule *rule = vtr_replay_rule_get (command->id);
  gboolean ok;

  if (rule->action == VTR_REPLAY_LEAVE || !vtr_replay_rule_result_counts (rule, command) ||
      (command->flags & (VTR_COMMAND_ABANDONED | VTR_COMMAND_UNFINISHED)) != 0)
    {
      self->stats.n_skipped++;
      return TRUE;
    }
  if (rule->action == VTR_REPLAY_DECLINE)
    return decline (self, command, rule, error);

  vtr_replay_builder_begin_item (self, command->index);
  self->command = command;
  if (rule->action == VTR_REPLAY_CUSTOM)
    ok = rule->custom (self, command, error);
  else
    ok = vtr_replay_builder_call (self, command->id, command->args, command->id, error);
  self->command = NULL;
  self->stats.n_commands++;
  return ok && vtr_replay_builder_flush_if_long (self, error);
}

/* Where the bytes of a write are in the machine's memory once what this emits has run. */
static guint64
place_write (VtrReplayBuilder     *self,
             guint64               index,
             gsize                 nth,
             const VtrMappedWrite *write)
{
  guint64 source;
  guint32 number;

  if (write->size < RESOURCE_BYTES)
    return vtr_replay_builder_scratch (self, write->data, (guint32)write->size);
  number = resource_number (self, write->data, write->size, index, (guint32)nth, TRUE);
  source = vtr_replay_builder_take_scratch (self, write->size);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, source);
  vtr_asm_x (&self->code, VTR_OP_RESOURCE, number);
  return source;
}

/* The content of an image that is not made here is not missed. */
static void
write_image (VtrReplayBuilder     *self,
             const VtrMappedWrite *write,
             guint64               source)
{
  const VtrReplayWriteImage request = {
    .row_pitch = write->row_pitch,
    .depth_pitch = write->depth_pitch,
    .format = write->format,
    .aspect = write->aspect,
    .layout = write->layout,
    .width = write->extent.width,
    .height = write->extent.height,
    .depth = write->extent.depth,
    .mip = write->mip,
    .layer = write->layer,
    .sample = write->sample,
    .y = write->y,
    .z = write->z,
  };
  guint64 device = vtr_replay_slots_find (&self->slots, VTR_HANDLE_VkDevice, write->device);
  guint64 image = vtr_replay_slots_find (&self->slots, VTR_HANDLE_VkImage, write->image);
  guint64 address = vtr_replay_builder_take_scratch (self, sizeof request);
  const guint32 copies[] = {
    (guint32)(address + G_STRUCT_OFFSET (VtrReplayWriteImage, device)),
    (guint32)device,
    (guint32)(address + G_STRUCT_OFFSET (VtrReplayWriteImage, image)),
    (guint32)image,
  };

  if (device == 0 || image == 0)
    return;
  vtr_asm_inline (&self->code, address, &request, sizeof request, NULL, 0, copies, 2);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, address);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, source);
  vtr_asm_push (&self->code, VTR_VM_UINT64, write->size);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_WRITE_IMAGE);
}

gboolean
vtr_replay_builder_write (VtrReplayBuilder      *self,
                          guint64                index,
                          gsize                  nth,
                          const VtrMappedWrite  *write,
                          GError               **error)
{
  guint64 source;

  if (write->size == 0)
    return TRUE;
  vtr_replay_builder_begin_item (self, index);
  source = place_write (self, index, nth, write);
  if (self->patcher != NULL && write->image == 0 &&
      !vtr_address_patcher_change_write (self, index, write, source, error))
    return FALSE;
  if (write->image != 0)
    write_image (self, write, source);
  else
    vtr_replay_builder_write_laid_out (self, write->memory, write->offset, source, write->size);
  if (self->patcher != NULL && write->image == 0 &&
      !vtr_address_patcher_end_write (self, write, error))
    return FALSE;
  self->stats.n_writes++;
  return vtr_replay_builder_flush_if_long (self, error);
}

/* --- Resources on request -------------------------------------------------------------------- */

/* The @nth large piece of a command's arguments, found as write_tree() does. */
static GBytes *
find_large_piece (VtrReplayBuilder    *self,
                  const VtrApiCommand *command,
                  guint32              nth)
{
  guint32 first = (command->args_size + 7u) & ~7u;
  guint32 end = (guint32)self->flat.blob.size;
  const guint32 *targets;

  find_targets (self, first);
  targets = (const guint32 *)(gpointer)self->targets->data;
  for (guint i = 0; i < self->targets->len; i++)
    {
      guint32 from = targets[i];
      guint32 to = i + 1 < self->targets->len ? targets[i + 1] : end;

      if (to - from < RESOURCE_BYTES || has_patches (self, from, to) ||
          (in_output (self, from) && is_blank (self, from, to)))
        continue;
      if (nth-- == 0)
        return g_bytes_new (self->flat.blob.data + from, to - from);
    }
  return NULL;
}

static GBytes *
read_mapped_source (VtrReplayBuilder      *self,
                    const ResourceSource  *source,
                    GError               **error)
{
  VtrMappedWrite write;
  GBytes *bytes = NULL;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_trace_find_mapped_write (self->trace, source->index, source->nth, &self->mapped, &arena,
                                   &write, error))
    bytes = g_bytes_new (write.data, write.size);
  vtr_arena_finish (&arena);
  return bytes;
}

static GBytes *
read_source (VtrReplayBuilder      *self,
             const ResourceSource  *source,
             GError               **error)
{
  VtrArena arena;
  VtrCommand command;
  GBytes *bytes = NULL;

  if (source->mapped)
    return read_mapped_source (self, source, error);

  vtr_arena_init (&arena);
  if (vtr_trace_decode (self->trace, source->index, &arena, &command, error) &&
      flatten (self, command.id, command.args, error))
    bytes = find_large_piece (self, &vtr_api_commands[command.id], source->nth);
  vtr_arena_finish (&arena);
  return bytes;
}

GBytes *
vtr_replay_builder_get_resource (VtrReplayBuilder  *self,
                                 guint64            number,
                                 GError           **error)
{
  g_autoptr (GBytes) bytes = NULL;
  const ResourceSource *source;
  XXH128_hash_t hash;

  if (number >= self->sources->len)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                   _ ("The replayer asked for resource %s of %u"), VTR_NUMBER (number),
                   self->sources->len);
      return NULL;
    }
  source = g_ptr_array_index (self->sources, number);
  if (source->bytes != NULL)
    return g_bytes_ref (source->bytes);

  bytes = read_source (self, source, error);
  if (bytes == NULL && error != NULL && *error != NULL)
    return NULL;
  if (bytes != NULL)
    {
      hash = XXH3_128bits (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      if (hash.low64 == source->hash[0] && hash.high64 == source->hash[1])
        return g_steal_pointer (&bytes);
    }
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
               _ ("Content of command %s could not be found in the trace again"),
               VTR_NUMBER (source->index));
  return NULL;
}
