/* Translates commands into instructions for the replay machine: lays out arguments, patches names
 * and pointers, and calls. */
#include "engine/replay-builder/vtr-replay-builder.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/format/vtr-locale.h"
#include "engine/replay-builder/vtr-replay-builder-private.h"

#define SLOTS_END G_GUINT64_CONSTANT (0x80000000)
#define LARGE_BASE SLOTS_END
#define LARGE_END G_GUINT64_CONSTANT (0x100000000)

/* Words per segment: the first is small, so that execution starts soon. */
#define FIRST_SEGMENT_WORDS (16 * 1024)
#define SEGMENT_WORDS (128 * 1024)

/* --- Parts ----------------------------------------------------------------------------------- */

static void
init_parts (VtrReplayBuilder       *self,
            const VtrReplayBuilder *base)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    {
      const VtrApiModel *model = &vtr_api_models[i];
      const guint page = model->first_id >> VTR_API_PAGE_BITS;
      VtrReplayPart *part = &self->parts[page];

      for (guint j = page; j < VTR_API_N_PAGES; j++)
        if (vtr_api_pages[j] == model)
          self->part_of[j] = part;
      part->build = vtr_apis[i]->build;
      part->number = VTR_VM_API_BUILTIN + 1 + i;
      part->env = (VtrApiEnv){ .data = self, .decoded = true };
      if (part->build != NULL && part->build->part_init != NULL)
        part->build->part_init (self, part, base != NULL ? &base->parts[page] : NULL);
    }
}

static void
clear_parts (VtrReplayBuilder *self)
{
  for (guint i = 0; i < VTR_API_N_PAGES; i++)
    if (self->parts[i].build != NULL && self->parts[i].build->part_clear != NULL)
      self->parts[i].build->part_clear (&self->parts[i]);
}

static VtrReplayBuilder *
builder_new (VtrTrace               *trace,
             VtrReplaySend           send,
             gpointer                data,
             const VtrReplayBuilder *base)
{
  VtrReplayBuilder *self = g_new0 (VtrReplayBuilder, 1);

  self->trace = trace != NULL ? vtr_trace_ref (trace) : NULL;
  self->send = send;
  self->send_data = data;
  vtr_replay_builder_init_resources (self);
  self->patches = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->copies = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->narrow = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->targets = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->scratch = SCRATCH_BASE;
  self->large = LARGE_BASE;
  self->label = G_MAXUINT64;
  if (base != NULL)
    vtr_replay_slots_copy (&self->slots, &base->slots);
  else
    vtr_replay_slots_init (&self->slots, SCRATCH_END, SLOTS_END);
  if (base != NULL && base->plan != NULL)
    self->plan = vtr_plan_ref (base->plan);
  init_parts (self, base);
  return self;
}

VtrReplayBuilder *
vtr_replay_builder_new (VtrTrace      *trace,
                        VtrReplaySend  send,
                        gpointer       data)
{
  return builder_new (trace, send, data, NULL);
}

VtrReplayBuilder *
vtr_replay_builder_fork (VtrReplayBuilder *base,
                         VtrReplaySend     send,
                         gpointer          data)
{
  return builder_new (base->trace, send, data, base);
}

void
vtr_replay_builder_free (VtrReplayBuilder *self)
{
  if (self == NULL)
    return;
  clear_parts (self);
  vtr_buffer_finish (&self->code);
  vtr_flat_finish (&self->flat);
  vtr_replay_slots_finish (&self->slots);
  g_array_unref (self->resources);
  g_hash_table_unref (self->numbers);
  g_ptr_array_unref (self->sources);
  g_array_unref (self->patches);
  g_array_unref (self->copies);
  g_array_unref (self->narrow);
  g_array_unref (self->targets);
  g_clear_pointer (&self->plan, vtr_plan_unref);
  g_clear_pointer (&self->trace, vtr_trace_unref);
  g_free (self);
}

void
vtr_replay_builder_set_plan (VtrReplayBuilder *self,
                             VtrPlan          *plan)
{
  vtr_plan_ref (plan);
  g_clear_pointer (&self->plan, vtr_plan_unref);
  self->plan = plan;
  for (guint i = 0; i < VTR_API_N_PAGES; i++)
    if (self->parts[i].build != NULL && self->parts[i].build->part_set_plan != NULL)
      self->parts[i].build->part_set_plan (self, &self->parts[i]);
}

VtrPlan *
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

gboolean
vtr_replay_builder_find_identity (VtrReplayBuilder *self,
                                  guint64           slot,
                                  VtrIdentity      *identity)
{
  for (gsize i = 0; i <= self->slots.mask; i++)
    {
      const VtrReplaySlot *entry = &self->slots.entries[i];

      if (slot == 0 || entry->slot != slot)
        continue;
      *identity = entry->identity;
      return TRUE;
    }
  return FALSE;
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
  if (rounded > LARGE_END - self->large)
    {
      self->full = TRUE;
      return SCRATCH_BASE;
    }
  address = self->large;
  self->large += rounded;
  return address;
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

/* Inline: asked for each name in each call. */
static inline VtrIdentity
identify (VtrReplayBuilder *self,
          VtrHandleId       kind,
          guint64           name)
{
  return self->command != NULL ? vtr_identity_of (self->command, kind, name)
                               : (VtrIdentity){ .name = name, .kind = kind };
}

VtrIdentity
vtr_replay_builder_identify (VtrReplayBuilder *self,
                             VtrHandleId       kind,
                             guint64           name)
{
  return identify (self, kind, name);
}

static inline void
push_name (VtrReplayBuilder *self,
           VtrIdentity       identity,
           VtrVmType         type)
{
  guint64 slot = 0;

  if (identity.name != 0 || !vtr_identity_is_null (identity))
    slot = vtr_replay_slots_find (&self->slots, identity);

  if (slot != 0)
    {
      vtr_asm_load (&self->code, type, slot);
      return;
    }
  self->stats.n_unknown += identity.name != 0;
  vtr_asm_push (&self->code, type, 0);
}

void
vtr_replay_builder_push_name (VtrReplayBuilder *self,
                              VtrIdentity       identity)
{
  push_name (self, identity, VTR_VM_UINT64);
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
  const guint32 kinds =
    1u << VTR_KIND_ADDRESS | 1u << VTR_KIND_FUNCTION | 1u << VTR_KIND_NEXT;

  return (field->pointers | (field->array ^ 1) | (kinds >> field->kind & 1)) != 0;
}

static void
push_scalar (VtrReplayBuilder    *self,
             const VtrReplayPart *part,
             const VtrApiField   *field,
             const guint8        *slot)
{
  guint64 value = read_number (slot, field->size[VTR_ABI_NATIVE]);

  switch (field->kind)
    {
    case VTR_KIND_HANDLE:
      push_name (self, identify (self, field->type, value),
                 field->size[VTR_ABI_NATIVE] == 4 ? VTR_VM_UINT32 : VTR_VM_UINT64);
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
      if (part->change_address != NULL && vtr_field_is_device_address (field))
        part->change_address (self, value);
      break;
    default:
      vtr_asm_push (&self->code,
                    field->size[VTR_ABI_NATIVE] > 4 ? VTR_VM_UINT64 : VTR_VM_UINT32, value);
    }
}

/* Whether the arguments that were laid out have a pointer in @field, and no offset. */
static gboolean
leads_on (VtrReplayBuilder  *self,
          const VtrApiField *field)
{
  const VtrFlatPointer *pointers = (const VtrFlatPointer *)(const void *)self->flat.pointers.data;

  if ((field->flags & VTR_FIELD_OFFSET_OR_POINTER) == 0)
    return TRUE;
  for (gsize i = 0; i < self->flat.n_pointers; i++)
    if (pointers[i].at == field->offset[VTR_ABI_NATIVE])
      return TRUE;
  return FALSE;
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
  else if (!leads_on (self, field))
    vtr_asm_push (&self->code, VTR_VM_ABSOLUTE, offset);
  else
    vtr_asm_push (&self->code, VTR_VM_VOLATILE, vtr_replay_placed (placement, (guint32)offset));
}

/* A name in a number, whose kind another argument gives: laying the arguments out tells it. @made:
 * by this command, if it is not there. */
static void
push_object (VtrReplayBuilder  *self,
             const VtrApiField *field,
             gboolean           made)
{
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;
  const VtrVmType type = field->size[VTR_ABI_NATIVE] == 4 ? VTR_VM_UINT32 : VTR_VM_UINT64;
  VtrIdentity identity;

  for (gsize i = 0; i < self->flat.n_handles; i++)
    if (handles[i].at == field->offset[VTR_ABI_NATIVE])
      {
        identity = identify (self, handles[i].type, handles[i].value);
        if (made && identity.name != 0)
          vtr_replay_builder_use (self, identity);
        push_name (self, identity, type);
        return;
      }
  vtr_asm_push (&self->code, type, 0);
}

static void
push_arguments (VtrReplayBuilder         *self,
                const VtrReplayPart      *part,
                const VtrApiCommand      *command,
                VtrCmdId                  id,
                const guint8             *base,
                const VtrReplayPlacement *placement)
{
  const VtrApiField *fields = &vtr_api_fields[command->first_field];

  for (unsigned i = 0; i < command->n_params; i++)
    if (is_pointer (&fields[i]))
      push_pointer (self, &fields[i], base, placement);
    else if ((fields[i].flags & VTR_FIELD_OBJECT) != 0 &&
             (placement != NULL || vtr_replay_builder_flatten (self, id, base, NULL)))
      push_object (self, &fields[i],
                   command->create.how == VTR_HOW_USE && command->create.param == i);
    else
      push_scalar (self, part, &fields[i], base + fields[i].offset[VTR_ABI_NATIVE]);
}

/* Keeps the name that the call has returned. */
static void
store_result (VtrReplayBuilder     *self,
              const VtrApiLifetime *create)
{
  const guint64 slot =
    vtr_replay_slots_ensure (&self->slots, identify (self, create->handle, self->command->result));

  if (slot == 0)
    {
      self->full = TRUE;
      return;
    }
  vtr_asm_store (&self->code, slot);
  vtr_replay_slots_begin (&self->slots, slot, 0);
}

/* Calls what the arguments were pushed for. If its result is a name, that gets a slot. */
static inline void
emit_call (VtrReplayBuilder    *self,
           const VtrReplayPart *part,
           const VtrApiCommand *command,
           guint32              function)
{
  const VtrApiLifetime *create = &command->create;
  const gboolean named = create->how == VTR_HOW_RESULT && create->handle != VTR_HANDLE_NONE &&
                         self->command != NULL && self->command->result != 0;

  vtr_asm_call (&self->code, part->number, function, named);
  if (named)
    store_result (self, create);
}

gboolean
vtr_replay_builder_place (VtrReplayBuilder    *self,
                          VtrCmdId             id,
                          VtrReplayPlacement  *placement,
                          GError             **error)
{
  const VtrReplayPart *part = vtr_replay_builder_get_part (self, id);

  placement->first = (vtr_cmd_get (id)->args_size + 7u) & ~7u;
  placement->address =
    vtr_replay_builder_take_scratch (
      self, self->flat.blob.size - MIN (self->flat.blob.size, placement->first));
  if (self->flat.blob.size > placement->first)
    vtr_replay_builder_write_tree (self, placement);
  return part->change_tree == NULL ||
         part->change_tree (self, placement->first, placement->address, error);
}

void
vtr_replay_builder_finish_call (VtrReplayBuilder         *self,
                                VtrCmdId                  id,
                                guint32                   function,
                                const VtrReplayPlacement *placement)
{
  const VtrApiCommand *command = vtr_cmd_get (id);
  const VtrReplayPart *part = vtr_replay_builder_get_part (self, id);

  push_arguments (self, part, command, id, self->flat.blob.data, placement);
  emit_call (self, part, command, function);
  vtr_replay_builder_store_outputs (self, id, placement);
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
      const VtrReplayPart *part = vtr_replay_builder_get_part (self, id);

      push_arguments (self, part, command, id, args, NULL);
      emit_call (self, part, command, function);
      return TRUE;
    }
  if (!vtr_replay_builder_flatten (self, id, args, error) ||
      !vtr_replay_builder_place (self, id, &placement, error))
    return FALSE;
  vtr_replay_builder_finish_call (self, id, function, &placement);
  return TRUE;
}

void
vtr_replay_builder_begin_item (VtrReplayBuilder *self,
                               guint64           index)
{
  self->scratch = SCRATCH_BASE;
  self->large = LARGE_BASE;
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
               vtr_locale_translate (reason));
  return FALSE;
}

/* Whether the command is to be run again at all. */
static gboolean
is_left_out (VtrReplayBuilder    *self,
             const VtrBuildApi   *build,
             const VtrReplayRule *rule,
             const VtrCommand    *command)
{
  const guint32 without_effect =
    VTR_COMMAND_ABANDONED | VTR_COMMAND_UNFINISHED | VTR_COMMAND_DIED;

  return rule->action == VTR_REPLAY_LEAVE || (command->flags & without_effect) != 0 ||
         (build->result_counts != NULL && !build->result_counts (rule, command)) ||
         (vtr_cmd_is (command->id, VTR_CLASS_DESTROY) &&
          vtr_replay_builder_is_too_late (self, command));
}

static gboolean
build_command (VtrReplayBuilder     *self,
               const VtrBuildApi    *build,
               const VtrReplayRule  *rule,
               const VtrCommand     *command,
               GError              **error)
{
  if (build->enter_stream != NULL && !build->enter_stream (self, command, error))
    return FALSE;
  if (rule->action == VTR_REPLAY_CUSTOM)
    return rule->custom (self, command, error);
  return vtr_replay_builder_call (self, command->id, command->args, command->id, error);
}

gboolean
vtr_replay_builder_add (VtrReplayBuilder  *self,
                        const VtrCommand  *command,
                        GError           **error)
{
  const VtrBuildApi *build = vtr_replay_builder_get_part (self, command->id)->build;
  const VtrApiCommand *api = vtr_cmd_get (command->id);
  const gboolean destroys = (api->classes & VTR_CLASS_DESTROY) != 0;
  const VtrReplayRule *rule;
  const char *reason;
  gboolean ok;

  if (build == NULL)
    return decline (self, command, _ ("this version of Vitrine cannot replay calls of its API"),
                    error);
  rule = build->rule (command->id);
  self->command = command;
  if (is_left_out (self, build, rule, command))
    {
      self->command = NULL;
      self->stats.n_skipped++;
      return TRUE;
    }
  reason = rule->action == VTR_REPLAY_DECLINE ? rule->reason
           : build->decline != NULL           ? build->decline (self, rule, command)
                                              : NULL;
  if (reason != NULL)
    {
      self->command = NULL;
      return decline (self, command, reason, error);
    }

  vtr_replay_builder_begin_item (self, command->index);
  self->ending = api->destroy.handle;
  self->ends_any = destroys && self->ending == VTR_HANDLE_NONE;
  ok = build_command (self, build, rule, command, error);
  if (destroys)
    vtr_replay_builder_note_ends (self, command);
  self->command = NULL;
  self->ending = VTR_HANDLE_NONE;
  self->ends_any = FALSE;
  self->stats.n_commands++;
  return ok && vtr_replay_builder_flush_if_long (self, error);
}

gboolean
vtr_replay_builder_write (VtrReplayBuilder        *self,
                          guint64                  index,
                          gsize                    nth,
                          const VtrContentRecord  *write,
                          GError                 **error)
{
  const VtrBuildApi *build = NULL;

  if (vtr_api_get (write->kind) != NULL)
    build = vtr_replay_builder_get_part (self, write->kind)->build;
  if (write->size == 0 || build == NULL || build->write == NULL)
    return TRUE;
  vtr_replay_builder_begin_item (self, index);
  if (!build->write (self, index, nth, write, error))
    return FALSE;
  self->stats.n_writes++;
  return vtr_replay_builder_flush_if_long (self, error);
}

guint64
vtr_replay_builder_place_content (VtrReplayBuilder *self,
                                  guint64           index,
                                  gsize             nth,
                                  gconstpointer     data,
                                  guint64           size)
{
  guint64 source;
  guint32 number;

  if (size < VTR_REPLAY_RESOURCE_FROM)
    return vtr_replay_builder_scratch (self, data, (guint32)size);
  number = vtr_replay_builder_add_resource (self, data, size, index, (guint32)nth, TRUE);
  source = vtr_replay_builder_take_scratch (self, size);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, source);
  vtr_asm_x (&self->code, VTR_OP_RESOURCE, number);
  return source;
}
