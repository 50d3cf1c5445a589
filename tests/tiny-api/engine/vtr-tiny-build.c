/* Builds replays of the tiny API: rules, contexts of streams, names, points in client memory. */
#include "vtr-tiny-build.h"
#include "vtr-tiny-text.h"

#include "engine/replay-builder/vtr-replay-builder-private.h"
#include "pixels/vtr-pixel-format.h"
#include "vtr-tiny-args.h"

/* As the replayer has it (tests/tiny-api/replayer/vtr-tiny-replay.h). */
#define BOUND_PICTURE 1u

/* Where an array takes points from. */
typedef struct
{
  guint32 stride;
  guint64 points; /* captured */
  gboolean in_store;
} Array;

/* What a builder keeps of a context, by its namespace. */
typedef struct
{
  guint32 array, store; /* bound; names */
  GHashTable *arrays;   /* name → Array */
} Context;

typedef struct
{
  GHashTable *contexts; /* namespace → Context */
} Part;

static void
context_free (gpointer data)
{
  Context *self = data;

  g_hash_table_unref (self->arrays);
  g_free (self);
}

static void
part_init (VtrReplayBuilder *builder, VtrReplayPart *part, const VtrReplayPart *base)
{
  Part *self = g_new0 (Part, 1);

  self->contexts = g_hash_table_new_full (NULL, NULL, NULL, context_free);
  part->data = self;
}

static void
part_clear (VtrReplayPart *part)
{
  Part *self = part->data;

  g_hash_table_unref (self->contexts);
  g_free (self);
}

static Context *
get_context (VtrReplayBuilder *builder, const VtrCommand *command)
{
  Part *self = vtr_replay_builder_get_part (builder, command->id)->data;
  const guint32 number = command->namespace != NULL ? command->namespace->number : 0;
  Context *context = g_hash_table_lookup (self->contexts, GUINT_TO_POINTER (number));

  if (context == NULL)
    {
      context = g_new0 (Context, 1);
      context->arrays = g_hash_table_new_full (NULL, NULL, NULL, g_free);
      g_hash_table_insert (self->contexts, GUINT_TO_POINTER (number), context);
    }
  return context;
}

static Array *
get_array (Context *context)
{
  Array *array = g_hash_table_lookup (context->arrays, GUINT_TO_POINTER (context->array));

  if (array == NULL)
    {
      array = g_new0 (Array, 1);
      g_hash_table_insert (context->arrays, GUINT_TO_POINTER (context->array), array);
    }
  return array;
}

/* --- Streams and names ----------------------------------------------------------------------- */

gboolean
vtr_tiny_get_stream_context (const VtrCommand *command, VtrIdentity *out)
{
  const VtrNamespaceInfo *namespace = command->namespace;

  if (namespace == NULL || namespace->scope != VTR_NAMES_IN_CONTEXT)
    return FALSE;
  *out = vtr_identity_of (command, VTR_HANDLE_TnContext, namespace->name);
  return TRUE;
}

static void
call (VtrReplayBuilder *self, VtrCmdId id)
{
  vtr_asm_call (&self->code, vtr_replay_builder_get_part (self, id)->number, id, false);
}

/* The replay has one thread: a context is current there while its commands run. */
static gboolean
enter_stream (VtrReplayBuilder *self, const VtrCommand *command, GError **error)
{
  VtrIdentity context;

  if (vtr_tiny_get_stream_context (command, &context))
    vtr_replay_builder_push_name (self, context);
  else
    vtr_asm_push (&self->code, VTR_VM_UINT64, 0);
  call (self, VTR_CMD_tnMakeCurrent);
  return TRUE;
}

/* A name that the program chose may be taken in the replay: the library gives out another one. */
static gboolean
reserve (VtrReplayBuilder *self, const VtrIdentity *identity, guint64 slot)
{
  vtr_asm_push (&self->code, VTR_VM_UINT32,
                vtr_handle_get ((VtrHandleId)identity->kind)->object_type);
  vtr_asm_push (&self->code, VTR_VM_UINT32, 1);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, slot);
  call (self, VTR_CMD_tnGen);
  return TRUE;
}

/* --- Points ---------------------------------------------------------------------------------- */

static gboolean
custom_bind (VtrReplayBuilder *self, const VtrCommand *command, GError **error)
{
  const VtrArgs_tnBind *args = command->args;
  Context *context = get_context (self, command);

  if (args->kind == (gint32)vtr_handle_get (VTR_HANDLE_store)->object_type)
    context->store = args->name;
  else if (args->kind == (gint32)vtr_handle_get (VTR_HANDLE_array)->object_type)
    context->array = args->name;
  return vtr_replay_builder_call (self, command->id, args, command->id, error);
}

/* Points of client memory are laid out for each draw: what is there now need not be read at all. */
static gboolean
custom_pointer (VtrReplayBuilder *self, const VtrCommand *command, GError **error)
{
  const VtrArgs_tnPointer *args = command->args;
  Context *context = get_context (self, command);
  Array *array = get_array (context);

  array->stride = args->stride;
  array->in_store = context->store != 0;
  array->points =
    command->decoded != NULL ? vtr_decoded_address (command->decoded, &args->points) : 0;
  if (array->points == 0)
    array->points = (guint64)(gsize)args->points;
  if (!array->in_store)
    return TRUE;
  vtr_asm_push (&self->code, VTR_VM_UINT32, args->stride);
  vtr_asm_push (&self->code, VTR_VM_ABSOLUTE, array->points);
  call (self, VTR_CMD_tnPointer);
  return TRUE;
}

/* What the recorder saw there when the draw was called. */
static const VtrObservation *
find_points (const VtrCommand *command, guint64 at)
{
  const VtrDecoded *decoded = command->decoded;

  for (gsize i = 0; decoded != NULL && i < decoded->n_observations; i++)
    if (!decoded->observations[i].write && decoded->observations[i].base >= at)
      return &decoded->observations[i];
  return NULL;
}

static gboolean
custom_draw (VtrReplayBuilder *self, const VtrCommand *command, GError **error)
{
  const VtrArgs_tnDraw *args = command->args;
  const Array *array = get_array (get_context (self, command));
  const VtrObservation *points = array->in_store ? NULL : find_points (command, array->points);

  if (points != NULL)
    {
      const guint64 before = points->base - array->points;
      const guint64 address = vtr_replay_builder_take_scratch (self, before + points->size);
      const guint32 number = vtr_replay_builder_add_resource (
        self, points->data, points->size, VTR_COMMAND_NO_INDEX, 0, FALSE);

      vtr_asm_push (&self->code, VTR_VM_VOLATILE, address + before);
      vtr_asm_x (&self->code, VTR_OP_RESOURCE, number);
      vtr_asm_push (&self->code, VTR_VM_UINT32, array->stride);
      vtr_asm_push (&self->code, VTR_VM_VOLATILE, address);
      call (self, VTR_CMD_tnPointer);
    }
  else if (!array->in_store)
    return TRUE; /* it drew nothing that the recorder could see */
  return vtr_replay_builder_call (self, command->id, args, command->id, error);
}

/* --- Rules ----------------------------------------------------------------------------------- */

static const VtrReplayRule *
get_rule (VtrCmdId id)
{
  static const VtrReplayRule plain = { .action = VTR_REPLAY_CALL };
  static const VtrReplayRule bind = { .action = VTR_REPLAY_CUSTOM, .custom = custom_bind };
  static const VtrReplayRule pointer = { .action = VTR_REPLAY_CUSTOM, .custom = custom_pointer };
  static const VtrReplayRule draw = { .action = VTR_REPLAY_CUSTOM, .custom = custom_draw };
  static const VtrReplayRule current = { .action = VTR_REPLAY_LEAVE,
                                         .reason = "each stream makes its context current" };
  static const VtrReplayRule shown = { .action = VTR_REPLAY_LEAVE,
                                       .reason = "the replay shows nothing" };
  static const VtrReplayRule asked = { .action = VTR_REPLAY_LEAVE,
                                       .reason = "a question to the driver" };

  switch (id)
    {
    case VTR_CMD_tnBind:
      return &bind;
    case VTR_CMD_tnPointer:
      return &pointer;
    case VTR_CMD_tnDraw:
      return &draw;
    case VTR_CMD_tnMakeCurrent:
      return &current;
    case VTR_CMD_tnSwap:
      return &shown;
    case VTR_CMD_tnRead:
    case VTR_CMD_tnGetError:
      return &asked;
    default:
      return &plain;
    }
}

/* --- Reading --------------------------------------------------------------------------------- */

/* Returns: FALSE if no command of the replay has made it. */
static gboolean
add_name (VtrReplayBuilder *self, GArray *copies, guint64 at, VtrIdentity identity)
{
  const guint64 slot = vtr_replay_slots_find (&self->slots, identity);

  if (slot != 0)
    vtr_replay_add_pair (copies, (guint32)at, (guint32)slot);
  return slot != 0;
}

/* Lays out what is read, with the names of the replay. */
static gboolean
lay_out (VtrReplayBuilder   *self,
         const VtrTinyRead  *read,
         gconstpointer       request,
         guint32             size,
         guint32             owner,
         guint32             object,
         GError            **error)
{
  g_autoptr (GArray) copies = g_array_new (FALSE, FALSE, sizeof (guint32));
  const guint64 at = vtr_replay_builder_take_scratch (self, size);

  if (!add_name (self, copies, at + owner, read->context) ||
      (!read->is_bound && read->picture.name != 0 &&
       !add_name (self, copies, at + object, read->picture)))
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                           _ ("The picture was never made in the trace"));
      return FALSE;
    }
  vtr_asm_inline (&self->code, at, request, size, NULL, 0,
                  (const guint32 *)(gpointer)copies->data, copies->len / 2);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, at);
  return TRUE;
}

static gboolean
build_read (VtrReplayBuilder *self, const VtrTransformRead *any, GError **error)
{
  const VtrTinyRead *read = (const VtrTinyRead *)any;
  const VtrReplayReadTexels request = {
    .kind = VTR_HANDLE_picture,
    .pixel_aspect = VTR_PIXEL_COLOR,
    .word = read->is_bound ? BOUND_PICTURE : 0,
    .samples = 1,
    .width = read->width,
    .height = read->height,
    .depth = 1,
    .post = read->post,
  };

  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  if (!lay_out (self, read, &request, sizeof request, G_STRUCT_OFFSET (VtrReplayReadTexels, owner),
                G_STRUCT_OFFSET (VtrReplayReadTexels, object), error))
    return FALSE;
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_REPLAY_READ_TEXELS, false);
  return vtr_replay_builder_flush_if_long (self, error);
}

/* --- Contents -------------------------------------------------------------------------------- */

/* The identity of the context whose window has a name in the namespace of this number. */
static gboolean
find_context (VtrTrace *trace, guint32 number, VtrIdentity *out)
{
  for (guint i = 0; i < vtr_trace_get_n_namespaces (trace); i++)
    {
      const VtrCommand command = { .namespace = vtr_trace_get_nth_namespace (trace, i) };

      if (command.namespace->number == number)
        return vtr_tiny_get_stream_context (&command, out);
    }
  return FALSE;
}

/* What a window held where the recording begins. */
static gboolean
build_write (VtrReplayBuilder        *self,
             guint64                  index,
             gsize                    nth,
             const VtrContentRecord  *write,
             GError                 **error)
{
  const VtrTexelContents *texels = write->texels;
  VtrTinyRead window = { .picture = { 0, texels->namespace, VTR_HANDLE_picture } };
  const VtrReplayWriteTexels request = {
    .kind = VTR_HANDLE_picture,
    .pixel_aspect = VTR_PIXEL_COLOR,
    .width = texels->width,
    .height = texels->height,
    .depth = texels->depth,
  };
  const guint64 source =
    vtr_replay_builder_place_content (self, index, nth, write->data, write->size);

  if (texels->name != 0 || !find_context (self->trace, texels->namespace, &window.context))
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                           _ ("Contents in the trace belong to no window."));
      return FALSE;
    }
  if (!lay_out (self, &window, &request, sizeof request,
                G_STRUCT_OFFSET (VtrReplayWriteTexels, owner),
                G_STRUCT_OFFSET (VtrReplayWriteTexels, object), error))
    return FALSE;
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, source);
  vtr_asm_push (&self->code, VTR_VM_UINT64, write->size);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_REPLAY_WRITE_TEXELS, false);
  return TRUE;
}

static gboolean
can_disable (VtrCmdId id)
{
  return vtr_cmd_is (id, VTR_CLASS_DRAW | VTR_CLASS_TRANSFER) && id != VTR_CMD_tnRead;
}

const VtrBuildApi vtr_tiny_build = {
  .rule = get_rule,
  .part_init = part_init,
  .part_clear = part_clear,
  .enter_stream = enter_stream,
  .reserve = reserve,
  .write = build_write,
  .read = build_read,
  .can_disable = can_disable,
  .read_device = vtr_tiny_device_read,
  .describe_device = vtr_tiny_device_describe,
  .requests = &vtr_tiny_requests,
};
