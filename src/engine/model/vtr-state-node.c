/* Makes the rows of the state tree: groups and objects come from VtrStateView, what is inside an
 * object from its JSON. */
#include "engine/model/vtr-state-node-private.h"

#include "engine/state/vtr-json.h"

#include <glib/gi18n.h>
#include <string.h>

struct _VtrStateNode
{
  GObject parent_instance;

  VtrAnalysis *analysis;
  VtrStateView *view, *before; /* before: the state before the command; NULL: unknown */
  VtrStateNodeKind kind;
  guint32 owner;              /* VTR_STATE_NODE_GROUP: whose; _OBJECT: its id */
  guint32 type;               /* VTR_STATE_NODE_GROUP */
  JsonNode *json, *json_then; /* VTR_STATE_NODE_VALUE, made when needed for others */
  char *name, *value, *note, *path, *link, *warning;
  char *full; /* VTR_STATE_NODE_OBJECT: the values of its summary in full; NULL: none */
  gboolean changed;
  gboolean summarised; /* VTR_STATE_NODE_OBJECT: value, note and warning are there */
  GListModel *children;
  gboolean unfolded;
};

G_DEFINE_FINAL_TYPE (VtrStateNode, vtr_state_node, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_NAME,
  PROP_VALUE,
  PROP_NOTE,
  PROP_PATH,
  PROP_LINK,
  PROP_CHANGED,
  PROP_WARNING,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

static void
vtr_state_node_finalize (GObject *object)
{
  VtrStateNode *self = VTR_STATE_NODE (object);

  g_clear_object (&self->children);
  g_clear_pointer (&self->json, json_node_unref);
  g_clear_pointer (&self->json_then, json_node_unref);
  g_clear_pointer (&self->view, vtr_state_view_unref);
  g_clear_pointer (&self->before, vtr_state_view_unref);
  g_clear_pointer (&self->analysis, vtr_analysis_unref);
  g_free (self->name);
  g_free (self->value);
  g_free (self->note);
  g_free (self->path);
  g_free (self->link);
  g_free (self->warning);
  g_free (self->full);
  G_OBJECT_CLASS (vtr_state_node_parent_class)->finalize (object);
}

static void
vtr_state_node_get_property (GObject    *object,
                             guint       id,
                             GValue     *value,
                             GParamSpec *spec)
{
  VtrStateNode *self = VTR_STATE_NODE (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_VALUE:
      g_value_set_string (value, vtr_state_node_get_value (self));
      break;
    case PROP_NOTE:
      g_value_set_string (value, vtr_state_node_get_note (self));
      break;
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_LINK:
      g_value_set_string (value, self->link);
      break;
    case PROP_CHANGED:
      g_value_set_boolean (value, self->changed);
      break;
    case PROP_WARNING:
      g_value_set_string (value, vtr_state_node_get_warning (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
vtr_state_node_class_init (VtrStateNodeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = vtr_state_node_finalize;
  object_class->get_property = vtr_state_node_get_property;
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  properties[PROP_VALUE] = g_param_spec_string ("value", NULL, NULL, NULL, flags);
  properties[PROP_NOTE] = g_param_spec_string ("note", NULL, NULL, NULL, flags);
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  properties[PROP_LINK] = g_param_spec_string ("link", NULL, NULL, NULL, flags);
  properties[PROP_CHANGED] = g_param_spec_boolean ("changed", NULL, NULL, FALSE, flags);
  properties[PROP_WARNING] = g_param_spec_string ("warning", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
vtr_state_node_init (VtrStateNode *self)
{
}

/* --- Making --- */

static VtrStateNode *
node_new (VtrAnalysis      *analysis,
          VtrStateView     *view,
          VtrStateView     *before,
          VtrStateNodeKind  kind)
{
  VtrStateNode *self = g_object_new (VTR_TYPE_STATE_NODE, NULL);

  self->analysis = vtr_analysis_ref (analysis);
  self->view = vtr_state_view_ref (view);
  self->before = before != NULL ? vtr_state_view_ref (before) : NULL;
  self->kind = kind;
  return self;
}

VtrStateNode *
vtr_state_node_new_root (VtrAnalysis  *analysis,
                         VtrStateView *view,
                         VtrStateView *before)
{
  VtrStateNode *self = node_new (analysis, view, before, VTR_STATE_NODE_ROOT);

  self->name = g_strdup (_ ("State"));
  self->value = g_strdup ("");
  self->path = g_strdup (vtr_state_view_get_path (view));
  self->changed = TRUE;
  return self;
}

/* The facts about an object that are shown while its row is collapsed. */
static char *
summarise (JsonObject *json)
{
  static const char *const members[] = { "status", "value", "builtBy" };

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    if (json_object_has_member (json, members[i]))
      return vtr_state_text (members[i], json_object_get_member (json, members[i]));
  if (json_object_has_member (json, "mapped") &&
      json_object_get_boolean_member (json, "mapped"))
    return g_strdup (_ ("mapped"));
  if (json_object_has_member (json, "layouts"))
    {
      JsonArray *layouts = json_object_get_array_member (json, "layouts");
      JsonObject *first =
        json_array_get_length (layouts) > 0 ? json_array_get_object_element (layouts, 0) : NULL;
      gboolean same = first != NULL;

      for (guint i = 1; same && i < json_array_get_length (layouts); i++)
        same = g_strcmp0 (json_object_get_string_member (first, "layout"),
                          json_object_get_string_member (
                            json_array_get_object_element (layouts, i), "layout")) == 0;
      return same ? vtr_state_text ("layout", json_object_get_member (first, "layout"))
                  : g_strdup (_ ("several layouts"));
    }
  return g_strdup ("");
}

static void
load_object (VtrStateNode *self)
{
  if (self->json != NULL || self->kind != VTR_STATE_NODE_OBJECT)
    return;
  self->json = vtr_state_view_object (self->view, self->owner);
  if (self->before != NULL &&
      vtr_api_state_is_alive (vtr_state_view_get_state (self->before), self->owner))
    self->json_then = vtr_state_view_object (self->before, self->owner);
}

static char *
make_note (JsonObject *json)
{
  JsonObject *extent;
  const char *format;

  if (!json_object_has_member (json, "format") || !json_object_has_member (json, "extent"))
    return NULL;
  extent = json_object_get_object_member (json, "extent");
  format = json_object_get_string_member (json, "format");
  if (g_str_has_prefix (format, "VK_FORMAT_"))
    format += strlen ("VK_FORMAT_");
  return g_strdup_printf ("%s · %d × %d", format,
                          (int)json_object_get_int_member (extent, "width"),
                          (int)json_object_get_int_member (extent, "height"));
}

/* The text of a message about this object. */
static char *
make_warning (JsonObject *json)
{
  if (json_object_has_member (json, "memory") && json_object_has_member (json, "swapchain") &&
      json_node_is_null (json_object_get_member (json, "memory")) &&
      !json_object_get_boolean_member (json, "swapchain") &&
      !json_object_has_member (json, "sparse"))
    return g_strdup (_ ("No memory is bound to it."));
  return NULL;
}

/* The names that summarise() and make_note() shorten. */
static char *
make_full (JsonObject *json)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (json_object_has_member (json, "format"))
    g_string_append (text, json_object_get_string_member (json, "format"));
  if (json_object_has_member (json, "layouts"))
    {
      JsonArray *layouts = json_object_get_array_member (json, "layouts");

      for (guint i = 0; i < json_array_get_length (layouts); i++)
        g_string_append_printf (text, " %s",
                                json_object_get_string_member (
                                  json_array_get_object_element (layouts, i), "layout"));
    }
  return text->len > 0 ? g_strdup (text->str) : NULL;
}

static gboolean
is_object_changed (VtrStateNode *self,
                   guint32       id)
{
  return self->before != NULL &&
         vtr_api_state_is_changed (vtr_state_view_get_state (self->view), id);
}

static gboolean
is_owner_changed (VtrStateNode *self,
                  guint32       owner)
{
  g_autoptr (GPtrArray) groups = NULL;

  if (is_object_changed (self, owner))
    return TRUE;
  groups = vtr_state_view_list_groups (self->view, owner);
  for (guint i = 0; i < groups->len; i++)
    {
      const VtrStateGroup *group = g_ptr_array_index (groups, i);

      for (guint k = 0; k < group->ids->len; k++)
        if (is_object_changed (self, g_array_index (group->ids, guint32, k)))
          return TRUE;
    }
  return FALSE;
}

VtrStateNode *
vtr_state_node_new_object (VtrStateNode *parent,
                           guint32       id)
{
  VtrStateNode *self =
    node_new (parent->analysis, parent->view, parent->before, VTR_STATE_NODE_OBJECT);
  VtrHistory *history = vtr_analysis_get_history (parent->analysis);
  const VtrObject *object = vtr_history_get_object (history, id);

  self->owner = id;
  self->name = vtr_history_describe (history, object);
  self->path = vtr_state_view_format_object (self->view, id);
  self->changed = vtr_state_view_is_owner (object->type)
                    ? is_owner_changed (self, id)
                    : is_object_changed (self, id);
  return self;
}

/* A group may have a hundred thousand objects, of which twenty are seen. */
static void
ensure_summary (VtrStateNode *self)
{
  g_autoptr (JsonNode) json = NULL;

  if (self->summarised || self->kind != VTR_STATE_NODE_OBJECT)
    return;
  self->summarised = TRUE;
  json = vtr_state_view_summary (self->view, self->owner);
  g_free (self->value);
  self->value = summarise (json_node_get_object (json));
  self->note = make_note (json_node_get_object (json));
  self->warning = make_warning (json_node_get_object (json));
  self->full = make_full (json_node_get_object (json));
}

static VtrStateNode *
node_new_group (VtrStateNode        *parent,
                const VtrStateGroup *group)
{
  VtrStateNode *self =
    node_new (parent->analysis, parent->view, parent->before, VTR_STATE_NODE_GROUP);

  self->owner = group->owner;
  self->type = group->type;
  self->name = vtr_state_group_name (group->type);
  self->value = g_strdup ("");
  self->note = g_strdup_printf ("%u", group->ids->len);
  self->path = g_strdup_printf ("%s/%s", parent->path, self->name);
  for (guint i = 0; i < group->ids->len && !self->changed; i++)
    {
      guint32 id = g_array_index (group->ids, guint32, i);

      self->changed =
        group->owner == 0 ? is_owner_changed (self, id) : is_object_changed (self, id);
    }
  return self;
}

static VtrStateNode *
node_new_value (VtrStateNode *parent,
                const char   *step,
                const char   *name,
                JsonNode     *json,
                JsonNode     *then,
                gboolean      fresh)
{
  VtrStateNode *self =
    node_new (parent->analysis, parent->view, parent->before, VTR_STATE_NODE_VALUE);

  self->json = json_node_ref (json);
  self->json_then = then != NULL ? json_node_ref (then) : NULL;
  self->name = g_strdup (name);
  self->value = vtr_state_text (step, json);
  self->note = vtr_state_note (json);
  self->path = g_strdup_printf ("%s/%s", parent->path, step);
  self->link = vtr_state_link (self->view, step, json);
  if (self->before != NULL)
    self->changed = fresh || then == NULL || !json_node_equal (json, then);
  return self;
}

/* --- Children --- */

static void
append (VtrStateNode *self,
        VtrStateNode *child)
{
  g_list_store_append (G_LIST_STORE (self->children), child);
  g_object_unref (child);
}

/* Members that only say again what the row itself says. */
static gboolean
is_identity (const char *name)
{
  return strcmp (name, "object") == 0 || strcmp (name, "path") == 0 ||
         strcmp (name, "name") == 0;
}

static void
append_members (VtrStateNode *self,
                JsonObject   *json,
                JsonObject   *then,
                gboolean      fresh,
                gboolean      of_object)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, json);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      JsonNode *other = then != NULL ? json_object_get_member (then, name) : NULL;

      if (!of_object || !is_identity (name))
        append (self, node_new_value (self, name, name, node, other, fresh));
    }
}

static void
append_elements (VtrStateNode *self,
                 JsonArray    *json,
                 JsonArray    *then)
{
  for (guint i = 0; i < json_array_get_length (json); i++)
    {
      JsonNode *node = json_array_get_element (json, i);
      JsonNode *other = then != NULL && i < json_array_get_length (then)
                          ? json_array_get_element (then, i)
                          : NULL;
      g_autofree char *step = g_strdup_printf ("%u", i);
      g_autofree char *name = vtr_state_element_name (node, i);

      append (self, node_new_value (self, step, name, node, other, FALSE));
    }
}

static void
append_groups (VtrStateNode *self,
               guint32       owner)
{
  g_autoptr (GPtrArray) groups = vtr_state_view_list_groups (self->view, owner);

  for (guint i = 0; i < groups->len; i++)
    append (self, node_new_group (self, g_ptr_array_index (groups, i)));
}

static void
append_json (VtrStateNode *self,
             gboolean      of_object)
{
  gboolean fresh = of_object && self->json_then == NULL;

  if (JSON_NODE_HOLDS_OBJECT (self->json))
    append_members (self, json_node_get_object (self->json),
                    self->json_then != NULL && JSON_NODE_HOLDS_OBJECT (self->json_then)
                      ? json_node_get_object (self->json_then)
                      : NULL,
                    fresh, of_object);
  else if (JSON_NODE_HOLDS_ARRAY (self->json))
    append_elements (self, json_node_get_array (self->json),
                     self->json_then != NULL && JSON_NODE_HOLDS_ARRAY (self->json_then)
                       ? json_node_get_array (self->json_then)
                       : NULL);
}

static void
unfold (VtrStateNode *self)
{
  const VtrObject *object;

  switch (self->kind)
    {
    case VTR_STATE_NODE_ROOT:
      if (self->json == NULL)
        self->json = vtr_state_view_facts (self->view);
      if (self->json_then == NULL && self->before != NULL)
        self->json_then = vtr_state_view_facts (self->before);
      append_json (self, FALSE);
      append_groups (self, 0);
      break;
    case VTR_STATE_NODE_GROUP:
      break;
    case VTR_STATE_NODE_OBJECT:
      load_object (self);
      append_json (self, TRUE);
      object =
        vtr_history_get_object (vtr_analysis_get_history (self->analysis), self->owner);
      if (vtr_state_view_is_owner (object->type))
        append_groups (self, self->owner);
      break;
    case VTR_STATE_NODE_VALUE:
      append_json (self, FALSE);
      break;
    }
}

static gboolean
is_leaf (VtrStateNode *self)
{
  if (self->kind != VTR_STATE_NODE_VALUE)
    return FALSE;
  if (vtr_state_is_reference (self->json))
    return TRUE;
  if (JSON_NODE_HOLDS_OBJECT (self->json))
    return json_object_get_size (json_node_get_object (self->json)) == 0;
  if (JSON_NODE_HOLDS_ARRAY (self->json))
    return json_array_get_length (json_node_get_array (self->json)) == 0;
  return TRUE;
}

GListModel *
vtr_state_node_get_children (VtrStateNode *self)
{
  g_return_val_if_fail (VTR_IS_STATE_NODE (self), NULL);

  if (is_leaf (self))
    return NULL;
  if (!self->unfolded)
    {
      const VtrStateGroup *group =
        self->kind == VTR_STATE_NODE_GROUP
          ? vtr_state_view_find_group (self->view, self->owner, self->name)
          : NULL;

      self->unfolded = TRUE;
      self->children = group != NULL ? vtr_state_group_list_new (self, group)
                                     : G_LIST_MODEL (g_list_store_new (VTR_TYPE_STATE_NODE));
      unfold (self);
    }
  return self->children;
}

VtrStateNode *
vtr_state_node_copy (VtrStateNode *self)
{
  VtrStateNode *copy = node_new (self->analysis, self->view, self->before, self->kind);

  copy->owner = self->owner;
  copy->type = self->type;
  if (self->kind == VTR_STATE_NODE_VALUE)
    {
      copy->json = json_node_ref (self->json);
      copy->json_then = self->json_then != NULL ? json_node_ref (self->json_then) : NULL;
    }
  copy->name = g_strdup (self->name);
  copy->path = g_strdup (self->path);
  if (self->kind != VTR_STATE_NODE_OBJECT)
    copy->value = g_strdup (self->value);
  return copy;
}

void
vtr_state_node_fold (VtrStateNode *self)
{
  g_clear_object (&self->children);
  self->unfolded = FALSE;
}

/* Whether @path is @at or below it. */
static gboolean
leads_to (const char *at,
          const char *path)
{
  gsize length = strlen (at);

  return strncmp (at, path, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

VtrStateNode *
vtr_state_node_find (VtrStateNode *self,
                     const char   *path)
{
  g_autoptr (VtrStateNode) at = g_object_ref (self);
  gboolean found = TRUE;

  g_return_val_if_fail (VTR_IS_STATE_NODE (self), NULL);

  while (found && strcmp (at->path, path) != 0)
    {
      GListModel *children = vtr_state_node_get_children (at);
      guint n = children != NULL ? g_list_model_get_n_items (children) : 0;

      found = FALSE;
      for (guint i = 0; i < n && !found; i++)
        {
          g_autoptr (VtrStateNode) child = g_list_model_get_item (children, i);

          found = leads_to (child->path, path);
          if (found)
            g_set_object (&at, child);
        }
    }
  return g_steal_pointer (&at);
}

/* --- Getters --- */

const char *
vtr_state_node_get_name (VtrStateNode *self)
{
  g_return_val_if_fail (VTR_IS_STATE_NODE (self), NULL);

  return self->name;
}

const char *
vtr_state_node_get_value (VtrStateNode *self)
{
  g_return_val_if_fail (VTR_IS_STATE_NODE (self), NULL);

  ensure_summary (self);
  return self->value;
}

const char *
vtr_state_node_get_full_value (VtrStateNode *self)
{
  ensure_summary (self);
  if (self->kind == VTR_STATE_NODE_VALUE && JSON_NODE_HOLDS_VALUE (self->json) &&
      json_node_get_value_type (self->json) == G_TYPE_STRING)
    return json_node_get_string (self->json);
  return self->full;
}

const char *
vtr_state_node_get_note (VtrStateNode *self)
{
  g_return_val_if_fail (VTR_IS_STATE_NODE (self), NULL);

  ensure_summary (self);
  return self->note;
}

const char *
vtr_state_node_get_path (VtrStateNode *self)
{
  g_return_val_if_fail (VTR_IS_STATE_NODE (self), NULL);

  return self->path;
}

const char *
vtr_state_node_get_link (VtrStateNode *self)
{
  g_return_val_if_fail (VTR_IS_STATE_NODE (self), NULL);

  return self->link;
}

gboolean
vtr_state_node_get_changed (VtrStateNode *self)
{
  g_return_val_if_fail (VTR_IS_STATE_NODE (self), FALSE);

  return self->changed;
}

const char *
vtr_state_node_get_warning (VtrStateNode *self)
{
  g_return_val_if_fail (VTR_IS_STATE_NODE (self), NULL);

  ensure_summary (self);
  return self->warning;
}
