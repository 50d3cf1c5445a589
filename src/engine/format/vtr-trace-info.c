/* Reads what a Vitrine file says of itself: headers, notices, why recording stopped; APIs read
 * the rest. */
#include "engine/format/vtr-trace-header.h"
#include "engine/format/vtr-trace-private.h"

#include "vtr-config.h"

#include "wire/vtr-pack-field.h"
#include "wire/vtr-ring.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The order in which objects are read: headers say in which ABI those of APIs are. */
static const VtrTraceObject order[] = {
  VTR_OBJECT_HEADER,
  VTR_OBJECT_DEVICE_INFO,
  VTR_OBJECT_NOTICE,
  VTR_OBJECT_STOPPED,
};

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
keep_list (VtrTrace     *self,
           VtrTraceList  which)
{
  GPtrArray *list = self->lists[which];
  gsize n = list != NULL ? list->len : 0;
  char **array = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    array[i] = (char *)vtr_trace_take_string (self, g_strdup (g_ptr_array_index (list, i)));
  g_ptr_array_add (self->strings, array);
  return (const char *const *)array;
}

/* ---- What APIs tell ---- */

void
vtr_trace_add_line (VtrTrace     *self,
                    VtrTraceList  list,
                    char         *text)
{
  GPtrArray *lines = self->lists[list];

  if (lines == NULL)
    lines = self->lists[list] = g_ptr_array_new_with_free_func (g_free);
  if (g_ptr_array_find_with_equal_func (lines, text, g_str_equal, NULL))
    g_free (text);
  else
    g_ptr_array_add (lines, text);
}

void
vtr_trace_describe_device (VtrTrace   *self,
                           const char *name,
                           gsize       name_size,
                           char       *driver,
                           guint32     api_version)
{
  vtr_trace_take_string (self, driver);
  if (self->has_device)
    return;
  self->has_device = TRUE;
  self->info.device =
    vtr_trace_take_string (self, g_utf8_make_valid (name, (gssize)strnlen (name, name_size)));
  self->info.driver = driver;
  self->info.api_version = api_version;
}

gpointer
vtr_trace_get_api_data (VtrTrace *self,
                        guint32   id)
{
  const guint number = vtr_api_get_number (id);

  return number < VTR_MAX_APIS ? self->api_data[number] : NULL;
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

/* ---- Other messages ---- */

static void
load_notice (VtrTrace           *self,
             const VtrPackChunk *chunk)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    {
      if (field.wire != VTR_PACK_WIRE_BYTES)
        continue;
      if (field.number == VTR_NOTICE_TEXT)
        vtr_trace_add_line (self, VTR_TRACE_NOTICES, dup_text (&field));
      else if (field.number == VTR_NOTICE_HIDDEN_EXTENSION)
        vtr_trace_add_line (self, VTR_TRACE_HIDDEN_EXTENSIONS, dup_text (&field));
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

static void
load_api_message (VtrTrace           *self,
                  VtrTraceObject      object,
                  const VtrPackChunk *chunk,
                  guint64             index)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->read != NULL && vtr_apis[i]->read->read_info != NULL &&
        vtr_apis[i]->read->read_info (self->api_data[i], self, object, chunk, index))
      return;
}

static void
load_object (VtrTrace           *self,
             const VtrTraceMark *mark,
             const VtrPackChunk *chunk)
{
  switch ((VtrTraceObject)mark->object)
    {
    case VTR_OBJECT_HEADER:
      load_header (self, chunk);
      break;
    case VTR_OBJECT_NOTICE:
      load_notice (self, chunk);
      break;
    case VTR_OBJECT_STOPPED:
      load_stopped (self, chunk);
      break;
    default:
      load_api_message (self, (VtrTraceObject)mark->object, chunk, mark->command);
      break;
    }
}

static void
load_objects (VtrTrace       *self,
              VtrTraceObject  object)
{
  for (guint i = 0; i < self->tables->objects->len; i++)
    {
      const VtrTraceMark *mark = &g_array_index (self->tables->objects, VtrTraceMark, i);
      g_autoptr (GBytes) keep = NULL;
      VtrPackChunk chunk;

      if (mark->object == object &&
          vtr_trace_read_chunk (self, mark->position, &keep, &chunk, NULL))
        load_object (self, mark, &chunk);
    }
}

/* The APIs that this build lacks and the trace has commands of. */
static void
find_missing (VtrTrace *self)
{
  for (guint i = VTR_CMD_FOREIGN; i < VTR_CMD_FOREIGN + VTR_N_FOREIGN; i++)
    if (self->found[i])
      {
        const VtrTraceType *type = vtr_trace_types_get_foreign (self->types, (VtrCmdId)i);
        const char *name = type->type.name;

        vtr_trace_add_line (self, VTR_TRACE_MISSING_APIS,
                            g_strndup (name, (gsize)(type->foreign_name - 1 - name)));
      }
  self->info.missing = keep_list (self, VTR_TRACE_MISSING_APIS);
}

static void
append_api (GString    *names,
            const char *api)
{
  g_autofree char *name = g_strdup (api);

  for (gsize k = 0; k < (strlen (name) <= 2 ? strlen (name) : 1); k++)
    name[k] = g_ascii_toupper (name[k]);
  g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
}

void
vtr_trace_find_commands (VtrTrace *self)
{
  const guint16 *ids = (const guint16 *)(void *)self->tables->ids->data;

  self->found = g_malloc0 (G_MAXUINT16 + 1);
  for (guint i = 0; i < self->tables->ids->len; i++)
    self->found[ids[i]] = TRUE;
  for (guint i = 0; i < VTR_N_COMMANDS; i++)
    if (self->found[vtr_cmd_at (i)])
      self->found[vtr_cmd_canonical (vtr_cmd_at (i))] = TRUE;
}

/* The APIs that the trace has commands of: "Vulkan, GL". A name of two letters is an abbreviation.
 */
static const char *
list_apis (VtrTrace *self)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < VTR_N_MODELS; i++)
    {
      const VtrApiModel *api = &vtr_api_models[i];

      if (memchr (&self->found[api->first_id], TRUE, api->n_commands) != NULL)
        append_api (names, api->name);
    }
  for (gsize i = 0; self->info.missing[i] != NULL; i++)
    append_api (names, self->info.missing[i]);
  return vtr_trace_take_string (self, g_strdup (names->str));
}

void
vtr_trace_load_info (VtrTrace *self)
{
  self->info.producer = "Vitrine";
  self->info.container = self->framed ? "zstd" : "proto-pack";
  vtr_trace_find_commands (self);
  find_missing (self);
  self->info.apis = list_apis (self);
  vtr_trace_load_namespaces (self);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    load_objects (self, order[i]);
  self->info.changes = keep_list (self, VTR_TRACE_CHANGES);
  self->info.hidden_extensions = keep_list (self, VTR_TRACE_HIDDEN_EXTENSIONS);
  self->info.trackers = keep_list (self, VTR_TRACE_TRACKERS);
  self->info.notices = keep_list (self, VTR_TRACE_NOTICES);
}
