/* renumber-handles IN OUT: a trace as it would be if the driver numbered the objects of each device
 * (and of each instance) from 1, every type for itself. Calls are written anew from their
 * arguments; for tests/e2e, on traces of programs that use two devices. */
#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-private.h"
#include "engine/format/vtr-trace-writer.h"
#include "vulkan/vtr-vulkan-env.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <string.h>

typedef struct
{
  VtrTrace *trace;
  VtrTraceWriter *writer;
  VtrArena arena;
  VtrBuffer message;
  GHashTable *owners;    /* "type handle" → "owner" of dispatchable handles, as text */
  GHashTable *numbers;   /* "owner type handle" → number */
  GHashTable *counts;    /* "owner type" → last number */
  GHashTable *templates; /* "device number" → GArray of VkDescriptorUpdateTemplateEntry */
  guint64 index;
  guint64 device, instance; /* of the command */
} Renumber;

static gboolean
is_of_instance (guint32 type)
{
  return type == VTR_HANDLE_VkSurfaceKHR || type == VTR_HANDLE_VkDebugUtilsMessengerEXT ||
         type == VTR_HANDLE_VkDebugReportCallbackEXT || type == VTR_HANDLE_VkDisplayKHR ||
         type == VTR_HANDLE_VkDisplayModeKHR;
}

static guint64
renumber (Renumber *self,
          guint32   type,
          guint64   owner,
          guint64   handle)
{
  g_autofree char *of = g_strdup_printf ("%" G_GINT64_MODIFIER "x %u", owner, type);
  g_autofree char *key = g_strdup_printf ("%s %" G_GINT64_MODIFIER "x", of, handle);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, key));

  if (handle == 0 || number != 0)
    return number;
  number = GPOINTER_TO_UINT (g_hash_table_lookup (self->counts, of)) + 1;
  g_hash_table_insert (self->counts, g_steal_pointer (&of), GUINT_TO_POINTER (number));
  g_hash_table_insert (self->numbers, g_steal_pointer (&key), GUINT_TO_POINTER (number));
  return number;
}

static guint64
find_owner (Renumber *self,
            guint32   type,
            guint64   handle)
{
  g_autofree char *key = g_strdup_printf ("%u %" G_GINT64_MODIFIER "x", type, handle);
  const guint64 *owner = g_hash_table_lookup (self->owners, key);

  return owner != NULL ? *owner : 0;
}

static void
find_owners (Renumber         *self,
             const VtrCommand *command)
{
  guint32 type = vtr_cmd_get (command->id)->dispatch;
  guint64 handle = type == VTR_HANDLE_NONE ? 0 : (guint64) * (const guintptr *)command->args;

  self->device = type == VTR_HANDLE_VkDevice ? handle
                 : type == VTR_HANDLE_VkQueue || type == VTR_HANDLE_VkCommandBuffer
                   ? find_owner (self, type, handle)
                   : 0;
  self->instance = type == VTR_HANDLE_VkInstance         ? handle
                   : type == VTR_HANDLE_VkPhysicalDevice ? find_owner (self, type, handle)
                                                         : find_owner (self, VTR_HANDLE_VkDevice,
                                                                       self->device);
}

static void
on_handle (gpointer              data,
           const VtrVisitHandle *handle)
{
  Renumber *self = data;
  guint64 owner = is_of_instance (handle->type) || handle->type == VTR_HANDLE_VkDevice ||
                      handle->type == VTR_HANDLE_VkPhysicalDevice
                    ? self->instance
                    : self->device;
  guint64 value = 0;

  value = vtr_visit_handle_get (handle);
  if (!handle->dispatchable)
    {
      value = handle->ignored ? 0 : renumber (self, handle->type, owner, value);
      memcpy (handle->slot, &value, sizeof value);
    }
  else if (handle->out && value != 0)
    g_hash_table_insert (self->owners,
                         g_strdup_printf ("%u %" G_GINT64_MODIFIER "x", handle->type, value),
                         g_memdup2 (&owner, sizeof owner));
}

static bool
find_template (void                       *data,
               VkDescriptorUpdateTemplate  handle,
               VtrUpdateTemplate          *out)
{
  Renumber *self = data;
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x",
                                          self->device, (guint64)(gsize)handle);
  const GArray *entries = g_hash_table_lookup (self->templates, key);

  if (entries == NULL)
    return false;
  out->entries = (const VkDescriptorUpdateTemplateEntry *)(gpointer)entries->data;
  out->n_entries = entries->len;
  return true;
}

static void
keep_template (Renumber         *self,
               const VtrCommand *command)
{
  const VtrArgs_vkCreateDescriptorUpdateTemplate *args = command->args;
  const VkDescriptorUpdateTemplateCreateInfo *info = args->pCreateInfo;
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (VkDescriptorUpdateTemplateEntry));

  g_array_append_vals (entries, info->pDescriptorUpdateEntries, info->descriptorUpdateEntryCount);
  g_hash_table_insert (self->templates,
                       g_strdup_printf ("%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x",
                                        self->device,
                                        (guint64)(gsize)*args->pDescriptorUpdateTemplate),
                       entries);
}

static void
copy_command (Renumber *self)
{
  static const VtrVulkanEnv state = { .update_template = find_template };
  const VtrApiEnv env = { .data = self, .decoded = true, .state = &state };
  VtrApiVisitor visitor = { .data = self, .handle = on_handle };
  g_autoptr (GError) error = NULL;
  VtrCommand command;

  vtr_arena_reset (&self->arena);
  vtr_buffer_clear (&self->message);
  if (!vtr_trace_decode (self->trace, self->index, &self->arena, &command, &error))
    g_error ("%s", error->message);
  find_owners (self, &command);
  vtr_api_visit (command.id, command.args, &env, &visitor);
  if (vtr_cmd_canonical (command.id) == VTR_CMD_vkCreateDescriptorUpdateTemplate)
    keep_template (self, &command);
  vtr_api_encode (&self->message, command.id, command.args, command.result,
                  (guint32)command.thread, command.time, command.decoded->command_flags, &env);
  if (vtr_trace_writer_append_command (self->writer, command.id, self->message.data,
                                       self->message.size, 0, TRUE, &error) == G_MAXUINT64)
    g_error ("%s", error->message);
  self->index++;
}

/* An observation with its bytes in it. */
static void
copy_observation (Renumber                *self,
                  const VtrPackFieldValue *observation)
{
  const guint8 *at = observation->data, *end = at + observation->size, *data = NULL;
  guint64 base = 0;
  gsize size = 0;
  VtrPackFieldValue field;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == VTR_OBSERVATION_BASE)
      base = field.value;
    else if (field.number == VTR_OBSERVATION_SIZE)
      size = field.value;
    else if (field.number == VTR_OBSERVATION_DATA)
      {
        data = field.data;
        size = field.size;
      }
    else if (field.number == VTR_OBSERVATION_RESOURCE &&
             !vtr_trace_read_resource (self->trace, field.value, &self->arena, &data, &size))
      g_error ("a resource cannot be read");
  if (data == NULL)
    data = vtr_arena_alloc (&self->arena, size);
  vtr_api_encode_observation_at (&self->message, VTR_COMMAND_READS, base, data, size);
}

/* Contents of memory or of an image: @number is the field with the handle. */
static void
copy_contents (Renumber           *self,
               const VtrPackChunk *chunk,
               VtrTraceObject      object,
               guint32             type,
               guint32             number)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  g_autoptr (GError) error = NULL;
  guint64 device = 0;
  VtrPackFieldValue field;

  vtr_arena_reset (&self->arena);
  vtr_buffer_clear (&self->message);
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == VTR_MAPPED_WRITES_DEVICE)
      device = field.value;
  at = chunk->message;
  for (const guint8 *start = at; vtr_pack_next_field (&at, end, &field) == VTR_OK; start = at)
    if (field.number == VTR_COMMAND_READS)
      copy_observation (self, &field);
    else if (field.number == number)
      vtr_pack_append_fixed64 (&self->message, number, renumber (self, type, device, field.value));
    else
      vtr_buffer_append (&self->message, start, (gsize)(at - start));
  if (!vtr_trace_writer_append_object (self->writer, vtr_trace_objects[object].name,
                                       self->message.data, self->message.size, &error))
    g_error ("%s", error->message);
}

static void
copy_object (Renumber           *self,
             const VtrPackChunk *chunk,
             VtrTraceObject      object)
{
  g_autoptr (GError) error = NULL;
  guint64 command = 0, result = 0;
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;

  if (object == VTR_OBJECT_RESOURCE || object == VTR_OBJECT_INDEX)
    return;
  if (object == VTR_OBJECT_MAPPED_WRITES)
    copy_contents (self, chunk, object, VTR_HANDLE_VkDeviceMemory, VTR_MAPPED_WRITES_MEMORY);
  else if (object == VTR_OBJECT_IMAGE_CONTENTS)
    copy_contents (self, chunk, object, VTR_HANDLE_VkImage, VTR_IMAGE_CONTENTS_IMAGE);
  else if (object == VTR_OBJECT_RETURNED)
    {
      while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
        if (field.number == VTR_RETURNED_COMMAND)
          command = field.value;
        else if (field.number == VTR_RETURNED_RESULT)
          result = field.value;
      if (!vtr_trace_writer_append_returned (self->writer, command, result, &error))
        g_error ("%s", error->message);
    }
  else if (!vtr_trace_writer_append_object (self->writer, vtr_trace_objects[object].name,
                                            chunk->message, chunk->size, &error))
    g_error ("%s", error->message);
}

static void
copy_frame (Renumber *self,
            guint     frame)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = vtr_trace_frame_cache_get (self->trace->cache, frame, &error);
  const guint8 *at, *end;
  VtrPackChunk chunk;
  gsize size;

  g_assert_no_error (error);
  at = g_bytes_get_data (bytes, &size);
  end = at + size;
  while (vtr_pack_read (&at, end, &chunk) == VTR_OK)
    {
      const VtrTraceType *type = chunk.kind == VTR_PACK_OBJECT
                                   ? vtr_trace_types_lookup (self->trace->types, chunk.type)
                                   : NULL;

      if (type != NULL && type->is_command)
        copy_command (self);
      else if (type != NULL)
        copy_object (self, &chunk, type->object);
    }
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;
  Renumber self = { 0 };

  if (argc != 3)
    g_error ("renumber-handles IN OUT");
  trace = vtr_trace_open (argv[1], NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  self.trace = trace;
  self.writer = vtr_trace_writer_new (argv[2], &error);
  g_assert_no_error (error);
  self.owners = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self.numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.templates =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
  vtr_arena_init (&self.arena);
  for (guint i = 0; i < trace->tables->frames->len; i++)
    if (g_array_index (trace->tables->frames, VtrTraceFrame, i).note.kind != VTR_TRACE_FRAME_INDEX)
      copy_frame (&self, i);
  vtr_trace_writer_finish (self.writer, &error);
  g_assert_no_error (error);
  vtr_trace_writer_free (self.writer, FALSE);
  vtr_buffer_finish (&self.message);
  vtr_arena_finish (&self.arena);
  g_hash_table_unref (self.templates);
  g_hash_table_unref (self.counts);
  g_hash_table_unref (self.numbers);
  g_hash_table_unref (self.owners);
  return 0;
}
