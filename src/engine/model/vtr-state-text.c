/* Writes values of the state as text for the window. */
#include "engine/model/vtr-state-node-private.h"

#include "engine/state/vtr-path.h"
#include "base/vtr-number.h"

#include <glib/gi18n.h>
#include <string.h>

gboolean
vtr_state_is_reference (JsonNode *node)
{
  JsonObject *object;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  object = json_node_get_object (node);
  return json_object_get_size (object) <= 6 && json_object_has_member (object, "handle") &&
         json_object_has_member (object, "path") && json_object_has_member (object, "object");
}

static char *
describe_reference (JsonObject *object)
{
  const char *name = json_object_get_string_member_with_default (object, "name", NULL);

  if (name == NULL)
    return g_strdup (json_object_get_string_member (object, "handle"));
  if (json_object_get_boolean_member_with_default (object, "destroyed", FALSE))
    /* Translators: an object, by its name, that no longer exists. */
    return g_strdup_printf (_ ("%s (destroyed)"), name);
  return g_strdup (name);
}

/* "VK_IMAGE_LAYOUT_GENERAL" → "GENERAL" where the name of the row says the rest. */
static const char *
shorten (const char *step,
         const char *text)
{
  static const struct
  {
    const char *end, *prefix;
  } known[] = {
    { "ayout", "VK_IMAGE_LAYOUT_" },
    { "ormat", "VK_FORMAT_" },
    { "aspect", "VK_IMAGE_ASPECT_" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_suffix (step, known[i].end) && g_str_has_prefix (text, known[i].prefix) &&
        strchr (text, '|') == NULL)
      return text + strlen (known[i].prefix);
  return text;
}

static char *
describe_value (const char *step,
                JsonNode   *node)
{
  GType type = json_node_get_value_type (node);

  if (type == G_TYPE_STRING)
    return g_strdup (shorten (step, json_node_get_string (node)));
  if (type == G_TYPE_BOOLEAN)
    return g_strdup (json_node_get_boolean (node) ? "true" : "false");
  if (type == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  return g_strdup (VTR_NUMBER_REAL (json_node_get_double (node)));
}

char *
vtr_state_text (const char *step,
                JsonNode   *node)
{
  if (vtr_state_is_reference (node))
    return describe_reference (json_node_get_object (node));
  if (JSON_NODE_HOLDS_OBJECT (node))
    return g_strdup ("");
  if (JSON_NODE_HOLDS_ARRAY (node))
    return g_strdup (json_array_get_length (json_node_get_array (node)) == 0 ? _ ("none") : "");
  /* Translators: a value that is not there. */
  return JSON_NODE_HOLDS_VALUE (node) ? describe_value (step, node) : g_strdup (_ ("none"));
}

char *
vtr_state_note (JsonNode *node)
{
  GString *text;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;
  guint n = 0;

  if (JSON_NODE_HOLDS_ARRAY (node))
    return json_array_get_length (json_node_get_array (node)) > 0
             ? g_strdup_printf ("%u", json_array_get_length (json_node_get_array (node)))
             : NULL;
  if (!JSON_NODE_HOLDS_OBJECT (node) || vtr_state_is_reference (node))
    return NULL;
  text = g_string_new (NULL);
  json_object_iter_init_ordered (&iter, json_node_get_object (node));
  while (n < 6 && json_object_iter_next_ordered (&iter, &name, &member))
    {
      g_autofree char *value = vtr_state_text (name, member);

      if (value[0] == '\0' || json_node_is_null (member) || strcmp (name, "sType") == 0)
        continue;
      g_string_append_printf (text, "%s%s %s", n++ > 0 ? " · " : "", name, value);
    }
  return g_string_free (text, n == 0);
}

/* Members that hold the number of a command. */
static gboolean
names_command (const char *step)
{
  return g_str_has_suffix (step, "By") || g_str_has_suffix (step, "Command") ||
         strcmp (step, "command") == 0 || strcmp (step, "submission") == 0 ||
         strcmp (step, "begin") == 0;
}

char *
vtr_state_link (VtrStateView *view,
                const char   *step,
                JsonNode     *node)
{
  VtrTrace *trace = vtr_analysis_get_trace (vtr_state_view_get_analysis (view));

  if (vtr_state_is_reference (node))
    {
      JsonNode *object = json_object_get_member (json_node_get_object (node), "object");

      return JSON_NODE_HOLDS_VALUE (object)
               ? vtr_state_view_format_object (view, (guint32)json_node_get_int (object))
               : NULL;
    }
  if (names_command (step))
    {
      guint64 index = vtr_path_read_json_command (trace, node);

      if (index < vtr_trace_get_n_commands (trace))
        return vtr_trace_format_command (trace, index);
    }
  return NULL;
}

char *
vtr_state_element_name (JsonNode *node,
                        guint     position)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

  if (object != NULL && json_object_has_member (object, "binding"))
    return g_strdup_printf ("binding %d", (int)json_object_get_int_member (object, "binding"));
  if (object != NULL && json_object_has_member (object, "element"))
    return g_strdup_printf ("[%d]", (int)json_object_get_int_member (object, "element"));
  return g_strdup_printf ("[%u]", position);
}
