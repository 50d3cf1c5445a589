/* Shows a shader's reflection (inputs, outputs, descriptors, push constants) as property rows
 * for the Shaders pane. */
#include "vtr-config.h"

#include "widgets/vtr-reflection-rows.h"

#include <glib/gi18n.h>

#include "engine/answers/vtr-json-text.h"
#include "engine/model/vtr-property-list.h"
#include "widgets/vtr-property-rows.h"

static JsonArray *
get_list (JsonObject *json, const char *name)
{
  return json_object_has_member (json, name) ? json_object_get_array_member (json, name) : NULL;
}

static guint
get_length (JsonArray *list)
{
  return list != NULL ? json_array_get_length (list) : 0;
}

static gint64
get_int (JsonObject *json, const char *name, gint64 otherwise)
{
  return json_object_get_int_member_with_default (json, name, otherwise);
}

static const char *
get_text (JsonObject *json, const char *name)
{
  return json_object_get_string_member_with_default (json, name, "");
}

static GListStore *make_members (JsonObject *json);

/* "64 bytes at 128 · stride 32" */
static char *
describe_place (JsonObject *json)
{
  GString *text = g_string_new (NULL);
  gint64 size = get_int (json, "size", 0), stride = get_int (json, "arrayStride", 0);

  if (!json_object_has_member (json, "offset"))
    return g_string_free (text, FALSE);
  g_string_append_printf (text, _ ("at %d"), (int)get_int (json, "offset", 0));
  if (size > 0)
    g_string_append_printf (text, " · %d B", (int)size);
  if (stride > 0)
    g_string_append_printf (text, _ (" · stride %d"), (int)stride);
  if (get_int (json, "matrixStride", 0) > 0 &&
      json_object_get_boolean_member_with_default (json, "rowMajor", FALSE))
    g_string_append (text, _ (" · row major"));
  return g_string_free (text, FALSE);
}

static VtrPropertyRow *
make_row (const char *name, const char *value, const char *note, JsonObject *json)
{
  g_autoptr (GListStore) children = make_members (json);
  VtrPropertyRow *row =
    vtr_property_row_new (name, value, NULL, children != NULL ? G_LIST_MODEL (children) : NULL);

  if (note != NULL && *note != '\0')
    vtr_property_row_set_note (row, note);
  return row;
}

static void
take_row (GListStore *rows, VtrPropertyRow *row)
{
  g_list_store_append (rows, row);
  g_object_unref (row);
}

static GListStore *
make_members (JsonObject *json)
{
  JsonArray *members = get_list (json, "members");
  GListStore *rows;

  if (get_length (members) == 0)
    return NULL;
  rows = g_list_store_new (VTR_TYPE_PROPERTY_ROW);
  for (guint i = 0; i < get_length (members); i++)
    {
      JsonObject *member = json_array_get_object_element (members, i);
      g_autofree char *place = describe_place (member);

      take_row (rows, make_row (get_text (member, "name"), get_text (member, "type"), place,
                                member));
    }
  return rows;
}

/* --- groups ---------------------------------------------------------------------------------- */

static void
add_group (GtkWidget *box, const char *title, GListStore *rows)
{
  GtkWidget *label = gtk_label_new (title);
  GtkWidget *list;

  if (g_list_model_get_n_items (G_LIST_MODEL (rows)) == 0)
    {
      g_object_ref_sink (label);
      g_object_unref (label);
      return;
    }
  list = vtr_property_rows_new (FALSE, title);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "group-title");
  vtr_property_rows_set_rows (VTR_PROPERTY_ROWS (list), G_LIST_MODEL (rows));
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), list);
}

static void
add_interface (GtkWidget *box, const char *title, JsonArray *list)
{
  g_autoptr (GListStore) rows = g_list_store_new (VTR_TYPE_PROPERTY_ROW);

  for (guint i = 0; i < get_length (list); i++)
    {
      JsonObject *entry = json_array_get_object_element (list, i);
      g_autofree char *name =
        json_object_has_member (entry, "location")
          ? g_strdup_printf ("%d · %s", (int)get_int (entry, "location", 0),
                             get_text (entry, "name"))
          : g_strdup (get_text (entry, "name"));

      take_row (rows, make_row (name, get_text (entry, "type"), get_text (entry, "interpolation"),
                                entry));
    }
  add_group (box, title, rows);
}

/* Adds the descriptors of each set under a title. */
static void
add_descriptors (GtkWidget *box, JsonArray *list)
{
  for (guint first = 0, next; first < get_length (list); first = next)
    {
      gint64 set = get_int (json_array_get_object_element (list, first), "set", 0);
      g_autofree char *title = g_strdup_printf (_ ("Set %d"), (int)set);
      g_autoptr (GListStore) rows = g_list_store_new (VTR_TYPE_PROPERTY_ROW);

      for (next = first; next < get_length (list); next++)
        {
          JsonObject *entry = json_array_get_object_element (list, next);
          g_autofree char *name = NULL;
          g_autofree char *note = NULL;

          if (get_int (entry, "set", 0) != set)
            break;
          name = g_strdup_printf ("%d · %s", (int)get_int (entry, "binding", 0),
                                  get_text (entry, "kind"));
          note = json_object_has_member (entry, "size") && get_int (entry, "size", 0) > 0
                   ? g_strdup_printf ("%s · %d B", get_text (entry, "type"),
                                      (int)get_int (entry, "size", 0))
                   : g_strdup (get_text (entry, "type"));
          take_row (rows, make_row (name, get_text (entry, "name"), note, entry));
        }
      add_group (box, title, rows);
    }
}

static void
add_push_constants (GtkWidget *box, JsonArray *list)
{
  g_autoptr (GListStore) rows = g_list_store_new (VTR_TYPE_PROPERTY_ROW);

  for (guint i = 0; i < get_length (list); i++)
    {
      JsonObject *entry = json_array_get_object_element (list, i);
      JsonArray *members = get_list (entry, "members");

      for (guint k = 0; k < get_length (members); k++)
        {
          JsonObject *member = json_array_get_object_element (members, k);
          g_autofree char *place = describe_place (member);

          take_row (rows, make_row (get_text (member, "name"), get_text (member, "type"), place,
                                    member));
        }
    }
  add_group (box, _ ("Push constants"), rows);
}

static void
add_constants (GtkWidget *box, JsonArray *list)
{
  g_autoptr (GListStore) rows = g_list_store_new (VTR_TYPE_PROPERTY_ROW);

  for (guint i = 0; i < get_length (list); i++)
    {
      JsonObject *entry = json_array_get_object_element (list, i);
      JsonNode *value = json_object_get_member (entry, "value");
      g_autofree char *name = g_strdup_printf ("%d · %s", (int)get_int (entry, "id", 0),
                                               get_text (entry, "name"));
      gboolean is_text = value != NULL && json_node_get_value_type (value) == G_TYPE_STRING;
      g_autofree char *text = value == NULL ? g_strdup ("")
                              : is_text     ? g_strdup (json_node_get_string (value))
                                            : vtr_json_to_text (value, FALSE);

      take_row (rows, make_row (name, text, get_text (entry, "type"), entry));
    }
  add_group (box, _ ("Specialization constants"), rows);
}

static void
add_entry (GtkWidget *box, JsonObject *json)
{
  g_autoptr (GListStore) rows = g_list_store_new (VTR_TYPE_PROPERTY_ROW);
  JsonArray *size = get_list (json, "workgroupSize");

  take_row (rows, vtr_property_row_new (_ ("Entry point"), get_text (json, "entryPoint"), NULL,
                                        NULL));
  if (get_length (size) == 3)
    {
      g_autofree char *text =
        g_strdup_printf ("%d × %d × %d", (int)json_array_get_int_element (size, 0),
                         (int)json_array_get_int_element (size, 1),
                         (int)json_array_get_int_element (size, 2));

      take_row (rows, vtr_property_row_new (_ ("Workgroup size"), text, NULL, NULL));
    }
  add_group (box, _ ("Shader"), rows);
}

GtkWidget *
vtr_reflection_rows_new (JsonNode *reflection)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  JsonObject *json;

  gtk_widget_add_css_class (box, "groups");
  if (reflection == NULL || !JSON_NODE_HOLDS_OBJECT (reflection))
    return box;
  json = json_node_get_object (reflection);
  add_entry (box, json);
  add_interface (box, _ ("Inputs"), get_list (json, "inputs"));
  add_interface (box, _ ("Outputs"), get_list (json, "outputs"));
  add_descriptors (box, get_list (json, "descriptors"));
  add_push_constants (box, get_list (json, "pushConstants"));
  add_constants (box, get_list (json, "specializationConstants"));
  return box;
}
