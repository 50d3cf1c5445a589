/* Reads the headers and devices of a Vitrine file. */
#include "engine/format/vtr-trace-header.h"
#include "engine/format/vtr-trace-private.h"

#include "vtr-config.h"

#include "wire/vtr-pack-field.h"
#include "wire/vtr-ring.h"

#include <glib/gi18n-lib.h>
#include <string.h>

const char *
vtr_trace_take_string (VtrTrace *self,
                       char     *text)
{
  g_ptr_array_add (self->strings, text);
  return text;
}

/* Any bytes as UTF-8; what is no text at all is empty. */
static char *
dup_text (const VtrPackFieldValue *field)
{
  if (field->wire != VTR_PACK_WIRE_BYTES)
    return g_strdup ("");
  return g_utf8_make_valid ((const char *)field->data, (gssize)field->size);
}

static const char *
keep_text (VtrTrace                *self,
           const VtrPackFieldValue *field)
{
  return vtr_trace_take_string (self, dup_text (field));
}

static const char *const *
keep_list (VtrTrace  *self,
           GPtrArray *list)
{
  gsize n = list->len;
  char **array = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    array[i] = (char *)vtr_trace_take_string (self, g_strdup (g_ptr_array_index (list, i)));
  g_ptr_array_add (self->strings, array);
  return (const char *const *)array;
}

static void
add_unique (GPtrArray *list,
            char      *text)
{
  if (g_ptr_array_find_with_equal_func (list, text, g_str_equal, NULL))
    g_free (text);
  else
    g_ptr_array_add (list, text);
}

/* ---- Header ---- */

static void
load_header (VtrTrace           *self,
             const VtrPackChunk *chunk)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  g_autoptr (GString) command_line = g_string_new (NULL);
  VtrPackFieldValue field;

  g_clear_pointer (&self->header, g_bytes_unref);
  self->header = g_bytes_new (chunk->message, chunk->size);
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    switch (field.number)
      {
      case VTR_HEADER_PRODUCER:
        self->info.producer = keep_text (self, &field);
        break;
      case VTR_HEADER_EXECUTABLE:
        {
          g_autofree char *path = dup_text (&field);

          self->info.application = vtr_trace_take_string (self, g_path_get_basename (path));
          break;
        }
      case VTR_HEADER_ARGUMENT:
        {
          g_autofree char *argument = dup_text (&field);
          gboolean plain =
            *argument != '\0' && strpbrk (argument, " \t\n\"'\\$`*?[]<>|&;()#~!{}") == NULL;
          g_autofree char *quoted = plain ? g_strdup (argument) : g_shell_quote (argument);

          g_string_append_printf (command_line, "%s%s", command_line->len > 0 ? " " : "", quoted);
          break;
        }
      case VTR_HEADER_START_TIME:
        self->info.start_time = (gint64)field.value;
        break;
      case VTR_HEADER_ABI:
        if (field.value < VTR_ABI_COUNT)
          self->info.abi = (VtrAbi)field.value;
        break;
      default:
        break;
      }
  self->info.command_line = vtr_trace_take_string (self, g_strdup (command_line->str));
}

GBytes *
vtr_trace_get_header (VtrTrace *self)
{
  return self->header;
}

GBytes *
vtr_trace_dup_thumbnail (VtrTrace *self)
{
  const guint8 *at, *end;
  VtrPackFieldValue field;
  gsize size;

  if (self->header == NULL)
    return NULL;
  at = g_bytes_get_data (self->header, &size);
  end = at + size;
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == VTR_HEADER_THUMBNAIL && field.wire == VTR_PACK_WIRE_BYTES &&
        field.size > 0)
      return g_bytes_new (field.data, field.size);
  return NULL;
}

/* ---- Devices ---- */

typedef struct
{
  GPtrArray *changes;
  GPtrArray *hidden;
  GPtrArray *trackers;
  GPtrArray *notices;
} Lists;

static void
convert (VtrTrace                *self,
         const char              *struct_name,
         const VtrPackFieldValue *field,
         void                    *to)
{
  VtrStructId id = vtr_struct_from_name (struct_name);

  if (id != VTR_STRUCT_NONE && field->size >= vtr_struct_get (id)->size[self->info.abi])
    vtr_api_convert_struct (id, self->info.abi, field->data, to);
}

static void
convert_queue_families (VtrTrace                *self,
                        const VtrPackFieldValue *field,
                        VtrTraceDevice          *device)
{
  gsize n = MIN (field->size / sizeof (VkQueueFamilyProperties), 1024);
  VkQueueFamilyProperties *families = g_new0 (VkQueueFamilyProperties, n + 1);

  /* Has the same layout in every ABI: only 32-bit numbers. */
  memcpy (families, field->data, n * sizeof *families);
  g_ptr_array_add (self->strings, families);
  device->queue_families = families;
  device->n_queue_families = (guint32)n;
}

/* The call that made the device: the last vkCreateDevice before its description. */
static guint64
find_creation (VtrTrace *self,
               guint64   before)
{
  const guint16 *ids = (const guint16 *)(void *)self->tables->ids->data;

  for (guint64 i = MIN (before, self->tables->ids->len); i > 0; i--)
    if (ids[i - 1] == VTR_CMD_vkCreateDevice)
      return i - 1;
  return 0;
}

static void
describe_driver (VtrTrace             *self,
                 const VtrTraceDevice *device,
                 const char           *name,
                 const char           *info)
{
  if (self->devices->len > 0)
    return;
  self->info.device = vtr_trace_take_string (
    self, g_utf8_make_valid (
            device->properties.deviceName,
            (gssize)strnlen (device->properties.deviceName, sizeof device->properties.deviceName)));
  self->info.api_version = device->properties.apiVersion;
  if (name != NULL && *name != '\0')
    self->info.driver = vtr_trace_take_string (
      self, g_strstrip (g_strdup_printf ("%s %s", name, info == NULL ? "" : info)));
  else
    self->info.driver =
      vtr_trace_take_string (self, g_strdup_printf ("%#x", device->properties.driverVersion));
}

static void
load_device (VtrTrace           *self,
             const VtrPackChunk *chunk,
             guint64             command,
             Lists              *lists)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrTraceDevice *device = g_new0 (VtrTraceDevice, 1);
  g_autofree char *name = NULL, *info = NULL;
  VtrPackFieldValue field;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    {
      gboolean bytes = field.wire == VTR_PACK_WIRE_BYTES;

      if (field.number == VTR_DEVICE_INFO_DEVICE)
        device->device = field.value;
      else if (field.number == VTR_DEVICE_INFO_PHYSICAL_DEVICE)
        device->physical_device = field.value;
      else if (field.number == VTR_DEVICE_INFO_PROPERTIES && bytes)
        convert (self, "VkPhysicalDeviceProperties", &field, &device->properties);
      else if (field.number == VTR_DEVICE_INFO_MEMORY && bytes)
        convert (self, "VkPhysicalDeviceMemoryProperties", &field, &device->memory);
      else if (field.number == VTR_DEVICE_INFO_QUEUE_FAMILIES && bytes)
        convert_queue_families (self, &field, device);
      else if (field.number == VTR_DEVICE_INFO_DRIVER_NAME && bytes)
        {
          g_free (name);
          name = dup_text (&field);
        }
      else if (field.number == VTR_DEVICE_INFO_DRIVER_INFO && bytes)
        {
          g_free (info);
          info = dup_text (&field);
        }
      else if (field.number == VTR_DEVICE_INFO_CHANGE && bytes)
        add_unique (lists->changes, dup_text (&field));
      else if (field.number == VTR_DEVICE_INFO_HIDDEN_EXTENSION && bytes)
        add_unique (lists->hidden, dup_text (&field));
      else if (field.number == VTR_DEVICE_INFO_TRACKER && bytes)
        add_unique (lists->trackers, dup_text (&field));
    }
  device->properties.deviceName[sizeof device->properties.deviceName - 1] = '\0';
  device->memory.memoryTypeCount = MIN (device->memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
  device->memory.memoryHeapCount = MIN (device->memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  device->command = find_creation (self, command);
  describe_driver (self, device, name, info);
  g_ptr_array_add (self->devices, device);
}

static void
load_notice (const VtrPackChunk *chunk,
             Lists              *lists)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    {
      if (field.wire != VTR_PACK_WIRE_BYTES)
        continue;
      if (field.number == VTR_NOTICE_TEXT)
        add_unique (lists->notices, dup_text (&field));
      else if (field.number == VTR_NOTICE_HIDDEN_EXTENSION)
        add_unique (lists->hidden, dup_text (&field));
    }
}

/* Why recording ended early; NULL: it ended as was wanted. */
static const char *
explain_state (guint64 state)
{
  switch (state)
    {
    case VTR_RING_STATE_FULL:
      return _ ("Recording ended early: the program made calls faster than they could be written.");
    case VTR_RING_STATE_NO_SPACE:
      return _ ("Recording ended early: there was no space left.");
    case VTR_RING_STATE_NO_MEMORY:
      return _ ("Recording ended early: the program ran out of memory.");
    case VTR_RING_STATE_HOST_GONE:
      return _ ("Recording ended early: Vitrine was closed while the program was running.");
    case VTR_RING_STATE_THREADS:
      return _ ("Recording ended early: too many threads made calls at once.");
    case VTR_RING_STATE_NOT_WRITTEN:
      return _ ("Recording ended early: the trace could not be written any further.");
    default:
      return NULL;
    }
}

static void
load_stopped (VtrTrace           *self,
              const VtrPackChunk *chunk)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  const char *sentence = NULL;
  VtrPackFieldValue field;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == VTR_STOPPED_STATE && field.wire == VTR_PACK_WIRE_VARINT)
      sentence = explain_state (field.value);
  if (sentence == NULL)
    return;
  self->info.truncated = TRUE;
  if (self->warning == NULL)
    self->warning = g_strdup (sentence);
}

/* Headers first: they say in which ABI the devices are described. */
static void
load_objects (VtrTrace       *self,
              VtrTraceObject  object,
              Lists          *lists)
{
  for (guint i = 0; i < self->tables->objects->len; i++)
    {
      const VtrTraceMark *mark = &g_array_index (self->tables->objects, VtrTraceMark, i);
      g_autoptr (GBytes) keep = NULL;
      VtrPackChunk chunk;

      if (mark->object != object ||
          !vtr_trace_read_chunk (self, mark->position, &keep, &chunk, NULL))
        continue;
      if (object == VTR_OBJECT_HEADER)
        load_header (self, &chunk);
      else if (object == VTR_OBJECT_NOTICE)
        load_notice (&chunk, lists);
      else if (object == VTR_OBJECT_STOPPED)
        load_stopped (self, &chunk);
      else
        load_device (self, &chunk, mark->command, lists);
    }
}

/* The APIs that the trace has commands of: "Vulkan, GL". A name of two letters is an abbreviation.
 */
static const char *
list_apis (VtrTrace *self)
{
  const guint16 *ids = (const guint16 *)(void *)self->tables->ids->data;
  g_autoptr (GString) names = g_string_new (NULL);
  gboolean found[VTR_N_MODELS] = { FALSE };

  for (guint i = 0; i < self->tables->ids->len; i++)
    if (vtr_cmd_is_known (ids[i]))
      found[vtr_api_of (ids[i]) - vtr_api_models] = TRUE;
  for (guint i = 0; i < VTR_N_MODELS; i++)
    if (found[i])
      {
        g_autofree char *name = g_strdup (vtr_api_models[i].name);

        for (gsize k = 0; k < (strlen (name) <= 2 ? 2 : 1); k++)
          name[k] = g_ascii_toupper (name[k]);
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
      }
  return vtr_trace_take_string (self, g_strdup (names->str));
}

void
vtr_trace_load_info (VtrTrace *self)
{
  g_autoptr (GPtrArray) changes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) hidden = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) trackers = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) notices = g_ptr_array_new_with_free_func (g_free);
  Lists lists = { changes, hidden, trackers, notices };

  self->info.producer = "Vitrine";
  self->info.container = self->framed ? "zstd" : "proto-pack";
  self->info.apis = list_apis (self);
  vtr_trace_load_namespaces (self);
  load_objects (self, VTR_OBJECT_HEADER, &lists);
  load_objects (self, VTR_OBJECT_DEVICE_INFO, &lists);
  load_objects (self, VTR_OBJECT_NOTICE, &lists);
  load_objects (self, VTR_OBJECT_STOPPED, &lists);
  self->info.changes = keep_list (self, changes);
  self->info.hidden_extensions = keep_list (self, hidden);
  self->info.trackers = keep_list (self, trackers);
  self->info.notices = keep_list (self, notices);
}
