/* Answers commands/N/memory and everything below it as JSON. */
#include "engine/answers/vtr-resolve.h"

#include "vtr-config.h"

#include "engine/answers/vtr-memory-path.h"
#include "engine/memory/vtr-memory-type.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Bytes that fit into one answer as text. */
#define MAX_JSON ((guint64)16 << 20)
/* Values of a typed view. */
#define MAX_VALUES 65536

static void
set_object (JsonObject *json,
            VtrAnswers *answers,
            guint32     id)
{
  VtrHistory *history = vtr_analysis_get_history (answers->analysis);

  if (id != 0)
    json_object_set_member (json, "object",
                            vtr_json_object_ref (history, vtr_history_get_object (history, id)));
  else
    json_object_set_null_member (json, "object");
}

static JsonNode *
make_ranges (VtrAnswers   *answers,
             const GArray *ranges,
             const char   *prefix)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrMemoryRange *range = &g_array_index (ranges, VtrMemoryRange, i);
      JsonObject *json = json_object_new ();
      gboolean read = (range->access & VTR_MEMORY_READ) != 0;
      gboolean write = (range->access & VTR_MEMORY_WRITE) != 0;
      g_autofree char *path =
        g_strdup_printf ("%s/%u/0x%" G_GINT64_MODIFIER "x+0x%" G_GINT64_MODIFIER "x", prefix,
                         range->space, range->offset, range->size);

      json_object_set_int_member (json, "pool", range->space);
      vtr_json_set_hex (json, "offset", range->offset);
      json_object_set_int_member (json, "size", (gint64)range->size);
      json_object_set_string_member (json, "access",
                                     read && write ? "read-write" : write ? "write"
                                                                          : "read");
      json_object_set_string_member (json, "by",
                                     (range->access & VTR_MEMORY_BY_GPU) != 0 ? "gpu" : "cpu");
      json_object_set_boolean_member (json, "possibly",
                                      (range->access & VTR_MEMORY_POSSIBLY) != 0);
      json_object_set_string_member (json, "label", range->label);
      set_object (json, answers, range->object);
      if (range->type != NULL)
        json_object_set_string_member (json, "type", range->type);
      else
        json_object_set_null_member (json, "type");
      if (range->descriptor != NULL)
        json_object_set_object_member (json, "descriptor", json_object_ref (range->descriptor));
      json_object_set_string_member (json, "path", path);
      json_array_add_object_element (array, json);
    }
  return vtr_json_take_array (array);
}

static JsonNode *
make_spans (VtrAnswers          *answers,
            const VtrMemoryView *view)
{
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < view->spans->len; i++)
    {
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, i);
      JsonObject *json = json_object_new ();

      vtr_json_set_hex (json, "offset", span->offset);
      json_object_set_int_member (json, "size", (gint64)span->size);
      json_object_set_string_member (json, "kind", vtr_memory_kind_get_name (span->kind));
      json_object_set_boolean_member (json, "known", span->known);
      if (span->index != VTR_COMMAND_NO_INDEX && span->index < vtr_trace_get_n_commands (trace))
        {
          g_autofree char *command = vtr_trace_format_command (trace, span->index);

          json_object_set_string_member (json, "command", command);
        }
      else
        json_object_set_null_member (json, "command");
      json_array_add_object_element (array, json);
    }
  return vtr_json_take_array (array);
}

static char *
format_hex (GBytes *bytes)
{
  static const char digits[] = "0123456789abcdef";
  gsize size;
  const guint8 *from = g_bytes_get_data (bytes, &size);
  char *text = g_malloc (2 * size + 1);

  for (gsize i = 0; i < size; i++)
    {
      text[2 * i] = digits[from[i] >> 4];
      text[2 * i + 1] = digits[from[i] & 15];
    }
  text[2 * size] = '\0';
  return text;
}

/* --- Typed ----------------------------------------------------------------------------------- */

typedef struct
{
  const VtrMemoryView *view;
  const guint8 *bytes;
  guint left; /* values that may still be written */
} Values;

/* Whether all of [at, at + size), from the view's beginning, is known. */
static gboolean
is_known (const VtrMemoryView *view,
          guint64              at,
          guint64              size)
{
  guint low = 0, high = view->spans->len;

  at += view->offset;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, middle);

      if (span->offset + span->size <= at)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < view->spans->len; low++)
    {
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, low);

      if (span->offset >= at + size)
        break;
      if (!span->known)
        return FALSE;
    }
  return TRUE;
}

static JsonNode *
make_component (Values              *values,
                const VtrMemoryType *type,
                guint64              at,
                guint                nth)
{
  guint64 width = vtr_memory_type_get_component_size (type);
  guint64 place = at + vtr_memory_type_get_component_offset (type, nth);
  g_autofree char *text = NULL;
  double number;

  if (place + width > values->view->size || !is_known (values->view, place, width))
    return json_node_new (JSON_NODE_NULL);
  text = vtr_memory_type_format_component (type, values->bytes + at, nth);
  if (strcmp (text, "true") == 0 || strcmp (text, "false") == 0)
    return json_node_init_boolean (json_node_alloc (), text[0] == 't');
  number = vtr_memory_type_read_component (type, values->bytes + at, nth);
  /* JSON has no such numbers, nor integers that a double cannot represent. */
  if (isnan (number) || isinf (number) || g_str_has_prefix (text, "0x"))
    return json_node_init_string (json_node_alloc (), text);
  if (!vtr_memory_type_is_integer (type))
    return json_node_init_double (json_node_alloc (), g_ascii_strtod (text, NULL));
  if (text[0] != '-' && g_ascii_strtoull (text, NULL, 10) > G_MAXINT64)
    return json_node_init_string (json_node_alloc (), text);
  return json_node_init_int (json_node_alloc (), g_ascii_strtoll (text, NULL, 10));
}

static JsonNode *
make_value (Values              *values,
            const VtrMemoryType *type,
            guint64              at)
{
  guint64 n = vtr_memory_type_get_n_members (type);
  guint components = vtr_memory_type_get_n_components (type);
  gboolean named = vtr_memory_type_get_kind (type) == VTR_MEMORY_TYPE_STRUCT;
  JsonObject *object;
  JsonArray *array;

  if (vtr_memory_type_get_kind (type) == VTR_MEMORY_TYPE_SCALAR)
    {
      values->left -= MIN (values->left, 1);
      return make_component (values, type, at, 0);
    }
  object = named ? json_object_new () : NULL;
  array = named ? NULL : json_array_new ();
  for (guint i = 0; n == 0 && i < components; i++)
    {
      json_array_add_element (array, make_component (values, type, at, i));
      values->left -= MIN (values->left, 1);
    }
  for (guint64 i = 0; i < n && values->left > 0; i++)
    {
      const char *name;
      guint64 offset;
      const VtrMemoryType *member = vtr_memory_type_get_member (type, i, &name, &offset);
      JsonNode *value = make_value (values, member, at + offset);

      if (named)
        json_object_set_member (object, name, value);
      else
        json_array_add_element (array, value);
    }
  return named ? vtr_json_take_object (object) : vtr_json_take_array (array);
}

/* The type of the command's range that begins where the view does. (nullable) */
static const char *
find_type (const VtrMemoryView *view)
{
  for (guint i = 0; i < view->accesses->len; i++)
    {
      const VtrMemoryRange *range = &g_array_index (view->accesses, VtrMemoryRange, i);

      if (range->offset == view->offset && range->type != NULL)
        return range->type;
    }
  return NULL;
}

static gboolean
set_values (JsonObject                *json,
            const VtrMemoryView       *view,
            const VtrMemoryTypeQuery  *query,
            GError                   **error)
{
  VtrMemoryLayout layout = VTR_MEMORY_LAYOUT_SCALAR;
  g_autoptr (VtrMemoryType) parsed = NULL;
  g_autoptr (VtrMemoryType) type = NULL;
  g_autoptr (GError) reason = NULL;
  Values values = { view, g_bytes_get_data (view->bytes, NULL), MAX_VALUES };
  const char *text = query->type;
  guint64 size, stride;
  JsonArray *array;

  if (query->layout != NULL && !vtr_memory_layout_from_name (query->layout, &layout))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is not a valid layout. Use scalar, std430 or std140."), query->layout);
      return FALSE;
    }
  if (g_str_equal (text, VTR_MEMORY_TYPE_AUTO) && (text = find_type (view)) == NULL)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("The type of these bytes is unknown: no typed range of this "
                              "command starts at this address. Give a type, such as vec4."));
      return FALSE;
    }
  parsed = vtr_memory_type_parse (text, layout, &reason);
  if (parsed == NULL)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH, reason->message);
      return FALSE;
    }
  type = vtr_memory_type_fit (parsed, view->size);
  size = vtr_memory_type_get_size (type);
  stride = query->stride != 0 ? query->stride : vtr_memory_type_get_stride (type);
  array = json_array_new ();
  if (vtr_memory_type_is_single (type))
    /* Parts of a block beyond the range are null. */
    json_array_add_element (array, make_value (&values, type, 0));
  else
    for (guint64 at = 0; at < view->size && size <= view->size - at && values.left > 0;
         at += stride)
      json_array_add_element (array, make_value (&values, type, at));
  json_object_set_string_member (json, "type", text);
  json_object_set_int_member (json, "stride", (gint64)stride);
  json_object_set_array_member (json, "values", array);
  json_object_set_boolean_member (json, "complete", values.left > 0);
  return TRUE;
}

/* --- Paths ----------------------------------------------------------------------------------- */

static JsonNode *
resolve_list (VtrAnswers      *answers,
              const VtrPlace  *address,
              const char      *prefix,
              GCancellable    *cancellable,
              GError         **error)
{
  g_autoptr (GArray) ranges = vtr_memory_list_ranges (
    vtr_analysis_get_memory (answers->analysis), address->index, address->run, cancellable, error);

  return ranges != NULL ? make_ranges (answers, ranges, prefix) : NULL;
}

static JsonNode *
resolve_range (VtrAnswers    *answers,
               const char    *path,
               GCancellable  *cancellable,
               GError       **error)
{
  g_autoptr (VtrMemoryView) view = NULL;
  g_autofree char *prefix = NULL;
  g_autofree char *hex = NULL;
  VtrMemoryTypeQuery type;
  VtrMemoryQuery query;
  JsonObject *json;
  gboolean ok = TRUE;

  if (!vtr_memory_query_parse (answers->session, path, &query, &type, error))
    return NULL;
  if (query.size > MAX_JSON)
    {
      vtr_memory_type_query_clear (&type);
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                           _ ("One answer holds at most 16 MiB. Request a smaller range, or raw "
                              "bytes (vitrine-cli get --raw)."));
      return NULL;
    }
  view = vtr_replay_session_get_memory_view (answers->session, &query, cancellable, error);
  if (view == NULL)
    {
      vtr_memory_type_query_clear (&type);
      return NULL;
    }
  prefix = g_strndup (path, (gsize)(strstr (path, "/memory") - path) + strlen ("/memory"));
  hex = format_hex (view->bytes);
  json = json_object_new ();
  json_object_set_int_member (json, "pool", view->space);
  vtr_json_set_hex (json, "offset", view->offset);
  json_object_set_int_member (json, "size", (gint64)view->size);
  json_object_set_string_member (json, "bytes", hex);
  json_object_set_member (json, "spans", make_spans (answers, view));
  json_object_set_member (json, "accesses", make_ranges (answers, view->accesses, prefix));
  if (type.type != NULL)
    ok = set_values (json, view, &type, error);
  vtr_memory_type_query_clear (&type);
  if (!ok)
    g_clear_pointer (&json, json_object_unref);
  return ok ? vtr_json_take_object (json) : NULL;
}

JsonNode *
vtr_resolve_memory (VtrAnswers      *answers,
                    const VtrPlace  *address,
                    char           **steps,
                    const char      *prefix,
                    GCancellable    *cancellable,
                    GError         **error)
{
  g_autofree char *rest = g_strjoinv ("/", steps);
  g_autofree char *path = NULL;

  if (*rest == '\0')
    return resolve_list (answers, address, prefix, cancellable, error);
  path = g_strdup_printf ("%s/%s", prefix, rest);
  return resolve_range (answers, path, cancellable, error);
}
