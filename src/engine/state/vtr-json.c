/* Makes parts of JSON that several answers have. */
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-json.h"

#include "engine/state/vtr-resolve-error.h"
#include "base/vtr-number.h"

#include "api/vtr-api-print.h"

#include <glib/gi18n.h>
#include <string.h>

JsonNode *
vtr_json_take_object (JsonObject *object)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (node, object);
  return node;
}

JsonNode *
vtr_json_take_array (JsonArray *array)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  json_node_take_array (node, array);
  return node;
}

JsonNode *
vtr_json_parse (const VtrBuffer *text)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  JsonNode *root;

  if (text->failed || text->size == 0 || text->size > G_MAXSSIZE ||
      !json_parser_load_from_data (parser, (const char *)text->data, (gssize)text->size, NULL))
    return json_node_new (JSON_NODE_NULL);

  root = json_parser_get_root (parser);
  return root != NULL ? json_node_ref (root) : json_node_new (JSON_NODE_NULL);
}

JsonNode *
vtr_json_command (VtrTrace *trace, guint64 index)
{
  g_autofree char *number = NULL;

  if (index == VTR_COMMAND_NO_INDEX)
    return json_node_new (JSON_NODE_NULL);
  if (index >= vtr_trace_get_n_initial_commands (trace))
    return json_node_init_int (json_node_alloc (), (gint64)vtr_trace_get_number (trace, index));
  number = vtr_trace_format_number (trace, index);
  return json_node_init_string (json_node_alloc (), number);
}

JsonNode *
vtr_json_struct (VtrStructId id, gconstpointer base)
{
  static const VtrApiEnv env = { .decoded = true };

  return vtr_json_struct_in (&env, id, base);
}

JsonNode *
vtr_json_struct_in (const VtrApiEnv *env, VtrStructId id, gconstpointer base)
{
  VtrBuffer text = { 0 };
  VtrArena arena;
  const VtrProperty *root;
  JsonNode *node;

  vtr_arena_init (&arena);
  root = vtr_property_struct_root (&arena, id, base, env);
  if (root != NULL)
    vtr_property_json (root, &text);
  node = vtr_json_parse (&text);
  vtr_buffer_finish (&text);
  vtr_arena_finish (&arena);
  return node;
}

char *
vtr_json_enum (VtrEnumId id, gint64 value)
{
  const char *name = vtr_enum_is_known (id) ? vtr_enum_value_name (id, value) : NULL;

  return name != NULL ? g_strdup (name) : g_strdup_printf ("%" G_GINT64_FORMAT, value);
}

const char *
vtr_command_name (VtrCmdId id)
{
  return vtr_cmd_is_known (id) ? vtr_cmd_name (id) : "?";
}

void
vtr_json_set_hex (JsonObject *object, const char *name, guint64 value)
{
  g_autofree char *text = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", value);

  json_object_set_string_member (object, name, text);
}

static void
set_handle (JsonObject *object, VtrHistory *history, guint32 type, guint64 handle)
{
  guint64 shown = vtr_trace_get_driver_handle (vtr_history_get_trace (history), handle);
  const char *name =
    vtr_handle_is_known (type) ? vtr_api_string (vtr_handle_get (type)->name) : "?";

  json_object_set_string_member (object, "type", name);
  vtr_json_set_hex (object, "handle", shown);
}

JsonNode *
vtr_json_object_ref (VtrHistory *history, const VtrObject *object)
{
  JsonObject *json = json_object_new ();
  g_autofree char *name = vtr_history_describe (history, object);
  g_autofree char *path = g_strdup_printf ("objects/%u", object->id);

  json_object_set_int_member (json, "object", object->id);
  set_handle (json, history, object->type, object->handle);
  json_object_set_string_member (json, "name", name);
  json_object_set_string_member (json, "path", path);
  return vtr_json_take_object (json);
}

JsonNode *
vtr_json_handle (VtrHistory *history, guint32 type, guint64 handle, guint64 index)
{
  const VtrObject *object = vtr_history_find_name (history, type, handle, index);
  JsonObject *json;

  if (object != NULL)
    return vtr_json_object_ref (history, object);
  if (vtr_identity_is_null ((VtrIdentity){ .name = handle, .kind = type }) && handle == 0)
    return json_node_new (JSON_NODE_NULL);

  json = json_object_new ();
  json_object_set_null_member (json, "object");
  set_handle (json, history, type, handle);
  json_object_set_null_member (json, "name");
  json_object_set_null_member (json, "path");
  return vtr_json_take_object (json);
}

/* "3" or "[3]". */
static gboolean
parse_position (const char *step, guint64 end, guint64 *out)
{
  g_autofree char *digits = g_strdup (step);
  char *start = digits;
  gsize length = strlen (digits);

  if (length > 2 && digits[0] == '[' && digits[length - 1] == ']')
    {
      digits[length - 1] = '\0';
      start++;
    }
  return vtr_parse_number (start, 10, 0, G_MAXUINT64, out) && *out < end;
}

static char *
describe_members (JsonObject *object)
{
  g_autoptr (GList) members = json_object_get_members (object);
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (GList *link = members; link != NULL && n < 12; link = link->next, n++)
    g_string_append_printf (text, "%s%s", n > 0 ? ", " : "", (const char *)link->data);
  if (g_list_length (members) > n)
    g_string_append (text, ", …");
  return g_string_free (text, FALSE);
}

/* Chains of structures are arrays; a structure's name steps to it, as an attachment's to it. */
static gboolean
has_string (JsonNode   *node,
            const char *member,
            const char *value)
{
  return value != NULL && JSON_NODE_HOLDS_OBJECT (node) &&
         g_strcmp0 (json_object_get_string_member_with_default (json_node_get_object (node),
                                                                member, NULL),
                    value) == 0;
}

/* For the first member of a structure that says what it is. */
static VtrEnumId
get_stype_enum (VtrStructId id)
{
  return vtr_api_fields[vtr_struct_get (id)->first_field].type;
}

static JsonNode *
find_in_array (JsonArray  *array,
               const char *step)
{
  VtrStructId id = vtr_struct_from_name (step);
  const char *stype = NULL;
  guint64 position;

  if (parse_position (step, json_array_get_length (array), &position))
    return json_array_get_element (array, (guint)position);
  if (id != VTR_STRUCT_NONE && vtr_struct_get (id)->stype != VTR_STYPE_NONE)
    stype = vtr_enum_value_name (get_stype_enum (id), vtr_struct_get (id)->stype);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (has_string (node, "sType", stype) || has_string (node, "attachment", step))
        return node;
    }
  return NULL;
}

JsonNode *
vtr_json_walk (JsonNode *node, char **steps, const char *path, GError **error)
{
  g_autoptr (JsonNode) at = node;
  g_autoptr (GString) walked = g_string_new (path);

  for (guint i = 0; steps[i] != NULL; i++)
    {
      JsonNode *next = NULL;
      g_autofree char *expected = NULL;

      if (JSON_NODE_HOLDS_OBJECT (at))
        {
          next = json_object_get_member (json_node_get_object (at), steps[i]);
          expected = describe_members (json_node_get_object (at));
        }
      else if (JSON_NODE_HOLDS_ARRAY (at))
        {
          guint n = json_array_get_length (json_node_get_array (at));

          next = find_in_array (json_node_get_array (at), steps[i]);
          expected = n > 0 ? g_strdup_printf (_ ("a number from 0 to %u"), n - 1)
                           : g_strdup (_ ("nothing, the list is empty"));
        }
      else
        expected = g_strdup (_ ("nothing, this is a plain value"));
      if (next == NULL)
        {
          g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                       _ ("There is no “%s” in %s; expected %s."), steps[i], walked->str,
                       expected);
          return NULL;
        }
      g_string_append_printf (walked, "/%s", steps[i]);
      json_node_ref (next);
      json_node_unref (at);
      at = next;
    }
  return g_steal_pointer (&at);
}
