/* Translates Vulkan commands into instructions for the replay machine: lays out arguments,
 * patches handles and pointers, and calls. */
#include "engine/vulkan/replay-builder/vtr-replay-builder.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/vulkan/replay-builder/vtr-address-patcher.h"
#include "engine/vulkan/replay-builder/vtr-token-patcher.h"
#include "engine/vulkan/replay-builder/vtr-replay-builder-private.h"
#include "vulkan/vtr-vulkan-env.h"
#include "vtr-api-args.h"

#define SLOTS_END G_GUINT64_CONSTANT (0x80000000)
#define LARGE_BASE SLOTS_END
#define LARGE_END G_GUINT64_CONSTANT (0x100000000)

/* Words per segment: the first is small, so that execution starts soon. */
#define FIRST_SEGMENT_WORDS (16 * 1024)
#define SEGMENT_WORDS (128 * 1024)

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

static const VtrVulkanEnv vulkan_env = { .update_template = env_update_template };

VtrReplayBuilder *
vtr_replay_builder_new (VtrTrace      *trace,
                        VtrReplaySend  send,
                        gpointer       data)
{
  VtrReplayBuilder *self = g_new0 (VtrReplayBuilder, 1);

  self->trace = trace != NULL ? vtr_trace_ref (trace) : NULL;
  self->send = send;
  self->send_data = data;
  vtr_replay_builder_init_resources (self);
  self->patches = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->copies = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->targets = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->templates = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                           (GDestroyNotify)g_array_unref);
  self->env = (VtrApiEnv){ .data = self, .decoded = true, .state = &vulkan_env };
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
  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    vtr_token_patcher_free (self->tokens[i]);
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
  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    {
      const VtrTokenPlan *tokens = vtr_replay_plan_get_tokens (plan, (VtrTokenKind)i);

      vtr_token_patcher_free (self->tokens[i]);
      self->tokens[i] = tokens != NULL ? vtr_token_patcher_new (tokens) : NULL;
    }
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

/* --- Segments -------------------------------------------------------------------------------- */

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

/* --- Scratch --------------------------------------------------------------------------------- */

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

/* --- Calls ----------------------------------------------------------------------------------- */

void
vtr_replay_builder_push_handle (VtrReplayBuilder *self,
                                VtrHandleId       type,
                                guint64           value)
{
  guint64 slot = value != 0 ? vtr_replay_slots_find (&self->slots,
                                                     vtr_vulkan_identity (type, value))
                            : 0;

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
  vtr_asm_call (&self->code,
                function < VTR_REPLAY_FIRST_COMMON ? VTR_VM_API_VULKAN : VTR_VM_API_BUILTIN,
                function, false);
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
push_pointer (VtrReplayBuilder         *self,
              const VtrApiField        *field,
              const guint8             *base,
              const VtrReplayPlacement *placement)
{
  guint64 offset = read_number (base + field->offset[VTR_ABI_NATIVE], 8);

  if (placement == NULL || offset == 0)
    vtr_asm_push (&self->code, VTR_VM_ABSOLUTE, 0);
  else
    vtr_asm_push (&self->code, VTR_VM_VOLATILE, vtr_replay_placed (placement, (guint32)offset));
}

static void
push_arguments (VtrReplayBuilder         *self,
                const VtrApiCommand      *command,
                const guint8             *base,
                const VtrReplayPlacement *placement)
{
  const VtrApiField *fields = &vtr_api_fields[command->first_field];

  for (unsigned i = 0; i < command->n_params; i++)
    if (is_pointer (&fields[i]))
      push_pointer (self, &fields[i], base, placement);
    else
      push_scalar (self, &fields[i], base + fields[i].offset[VTR_ABI_NATIVE]);
}

static void
change_update (VtrReplayBuilder                *self,
               const VtrArgs_vkCmdUpdateBuffer *args,
               const VtrReplayPlacement        *placement)
{
  guint64 offset =
    read_number (self->flat.blob.data + G_STRUCT_OFFSET (VtrArgs_vkCmdUpdateBuffer, pData), 8);

  if (offset != 0 && args->pData != NULL)
    vtr_token_patcher_change_update (self, args, vtr_replay_placed (placement, (guint32)offset));
}

/* Returns: where the blob of vkGetDescriptorEXT's @args has the descriptor; 0: it is not wanted. */
static guint32
find_descriptor (VtrReplayBuilder                 *self,
                 const VtrArgs_vkGetDescriptorEXT *args)
{
  if (self->tokens[VTR_TOKEN_DESCRIPTOR] == NULL || args->pDescriptor == NULL)
    return 0;
  return (guint32)read_number (
    self->flat.blob.data + G_STRUCT_OFFSET (VtrArgs_vkGetDescriptorEXT, pDescriptor), 8);
}

/* Drivers need not write every byte of a descriptor: the others stay as they were captured. */
static void
fill_descriptor (VtrReplayBuilder                 *self,
                 const VtrArgs_vkGetDescriptorEXT *args)
{
  const guint32 at = find_descriptor (self, args);

  if (at != 0)
    memcpy (self->flat.blob.data + at, args->pDescriptor, args->dataSize);
}

/* Returns: a number that is the same as long as the arguments and the objects among them are. */
static guint64
identify_arguments (VtrReplayBuilder *self,
                    guint32           first)
{
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;
  const guint64 prime = G_GUINT64_CONSTANT (0x100000001b3);
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);

  for (gsize i = first; i < self->flat.blob.size; i++)
    hash = (hash ^ self->flat.blob.data[i]) * prime;
  for (gsize i = 0; i < self->flat.n_handles; i++)
    {
      guint64 slot = vtr_replay_slots_find (&self->slots,
                                            vtr_vulkan_identity (handles[i].type,
                                                                 handles[i].value));

      hash = (hash ^ vtr_replay_slots_get_life (&self->slots, slot)) * prime;
    }
  /* Addresses that are guessed may have come to mean another buffer. */
  return self->patcher != NULL && self->flat.n_places > 0 ? hash ^ self->label : hash;
}

static gboolean
keep_descriptor (VtrReplayBuilder                  *self,
                 const VtrArgs_vkGetDescriptorEXT  *args,
                 const VtrReplayPlacement          *placement,
                 GError                           **error)
{
  const guint32 at = find_descriptor (self, args);

  return at == 0 || vtr_token_patcher_tell_descriptor (
                      self, args, identify_arguments (self, placement->first),
                      vtr_replay_placed (placement, at), error);
}

gboolean
vtr_replay_builder_call (VtrReplayBuilder  *self,
                         VtrCmdId           id,
                         const void        *args,
                         guint32            function,
                         GError           **error)
{
  const VtrApiCommand *command = vtr_cmd_get (id);
  VtrReplayPlacement placement;

  if (command->n_pointers == 0)
    {
      push_arguments (self, command, args, NULL);
      vtr_asm_call (&self->code, VTR_VM_API_VULKAN, function, false);
      return TRUE;
    }

  if (!vtr_replay_builder_flatten (self, id, args, error))
    return FALSE;
  if (id == VTR_CMD_vkGetDescriptorEXT)
    fill_descriptor (self, args);
  placement.first = (command->args_size + 7u) & ~7u;
  placement.address =
    vtr_replay_builder_take_scratch (
      self, self->flat.blob.size - MIN (self->flat.blob.size, placement.first));
  if (self->flat.blob.size > placement.first)
    vtr_replay_builder_write_tree (self, &placement);
  if (self->patcher != NULL &&
      !vtr_address_patcher_change_tree (self, placement.first, placement.address, error))
    return FALSE;
  if (id == VTR_CMD_vkCmdUpdateBuffer)
    change_update (self, args, &placement);
  push_arguments (self, command, self->flat.blob.data, &placement);
  vtr_asm_call (&self->code, VTR_VM_API_VULKAN, function, false);
  vtr_replay_builder_store_outputs (self, id, &placement);
  return id != VTR_CMD_vkGetDescriptorEXT || keep_descriptor (self, args, &placement, error);
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
decline (VtrReplayBuilder  *self,
         const VtrCommand  *command,
         const char        *reason,
         GError           **error)
{
  g_autofree char *number = self->trace != NULL
                              ? vtr_trace_format_number (self->trace, command->index)
                              : g_strdup_printf ("%" G_GUINT64_FORMAT, command->index);

  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
               _ ("Command %s (%s) cannot be replayed: %s"), number, vtr_cmd_name (command->id),
               reason);
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
      (command->flags & (VTR_COMMAND_ABANDONED | VTR_COMMAND_UNFINISHED)) != 0 ||
      vtr_replay_builder_is_too_late (self, command))
    {
      self->stats.n_skipped++;
      return TRUE;
    }
  if (rule->action == VTR_REPLAY_DECLINE)
    return decline (self, command, rule->reason, error);
  if (self->plan != NULL && !vtr_replay_plan_is_same (self->plan))
    {
      const char *reason = vtr_replay_rule_why_not_elsewhere (rule, command);

      if (reason != NULL)
        return decline (self, command, reason, error);
    }

  vtr_replay_builder_begin_item (self, command->index);
  self->command = command;
  self->ending = vtr_cmd_get (command->id)->destroy.handle;
  if (rule->action == VTR_REPLAY_CUSTOM)
    ok = rule->custom (self, command, error);
  else
    ok = vtr_replay_builder_call (self, command->id, command->args, command->id, error);
  vtr_replay_builder_note_ends (self, command);
  self->command = NULL;
  self->ending = VTR_HANDLE_NONE;
  self->stats.n_commands++;
  return ok && vtr_replay_builder_flush_if_long (self, error);
}
