/* Lists the living objects of a state by owner and type, and writes each as JSON. */
#include "engine/state/vtr-state-view.h"

#include "base/vtr-number.h"
#include "engine/state/vtr-bound-json.h"
#include "engine/state/vtr-json.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/state/vtr-state-shared.h"

#include "api/vtr-api-print.h"

#include <glib/gi18n.h>
#include <string.h>

struct _VtrStateView
{
  gatomicrefcount refs;
  VtrAnalysis *analysis; /* borrowed by views that live shorter; see vtr_state_view_new() */
  VtrApiState *state;
  char *path;
  GPtrArray *groups;            /* of VtrStateGroup, by owner, then type */
  gpointer parts[VTR_MAX_APIS]; /* of each API (VtrStateApi.view_new), or NULL */
};

static void
group_free (gpointer data)
{
  VtrStateGroup *self = data;

  g_array_unref (self->ids);
  g_free (self);
}

/* NULL: the API says nothing about states. */
static const VtrStateApi *
get_api (guint32 type)
{
  const VtrApi *api = vtr_api_get (type);

  return api != NULL ? api->state : NULL;
}

gboolean
vtr_state_view_is_owner (guint32 type)
{
  const VtrStateApi *api = get_api (type);

  return api != NULL && api->is_owner != NULL && api->is_owner (type);
}

/* The object that @object is listed below; 0: the top. */
static guint32
find_owner (VtrHistory      *history,
            const VtrObject *object)
{
  guint depth = 0;

  if (vtr_state_view_is_owner (object->type))
    return 0;
  for (guint32 id = object->parent; id != 0 && depth < 16; depth++)
    {
      const VtrObject *parent = vtr_history_get_object (history, id);

      if (vtr_state_view_is_owner (parent->type))
        return id;
      id = parent->parent;
    }
  return 0;
}

static int
compare_groups (gconstpointer a,
                gconstpointer b)
{
  const VtrStateGroup *left = *(const VtrStateGroup *const *)a;
  const VtrStateGroup *right = *(const VtrStateGroup *const *)b;

  if (left->owner != right->owner)
    return left->owner < right->owner ? -1 : 1;
  return left->type < right->type ? -1 : left->type > right->type;
}

static void
sort_objects (VtrStateView *self)
{
  VtrHistory *history = vtr_api_state_get_history (self->state);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  VtrStateGroup *last = NULL;

  for (guint32 id = 1; id <= vtr_history_get_n_objects (history); id++)
    {
      const VtrObject *object = vtr_history_get_object (history, id);
      guint32 owner;
      guint64 key;

      if (!vtr_api_state_is_alive (self->state, id))
        continue;
      owner = find_owner (history, object);
      key = ((guint64)owner << 32) | object->type;
      if (last == NULL || last->owner != owner || last->type != object->type)
        last = g_hash_table_lookup (known, &key);
      if (last == NULL)
        {
          last = g_new0 (VtrStateGroup, 1);
          last->owner = owner;
          last->type = object->type;
          last->ids = g_array_new (FALSE, FALSE, sizeof (guint32));
          g_hash_table_insert (known, g_memdup2 (&key, sizeof key), last);
          g_ptr_array_add (self->groups, last);
        }
      g_array_append_val (last->ids, id);
    }
  g_ptr_array_sort (self->groups, compare_groups);
}

/* "commands/12@1/state". The run is only named when it is not the first. */
static char *
make_path (VtrStateView *self)
{
  VtrTimeline *timeline = vtr_api_state_get_timeline (self->state);
  VtrTrace *trace = vtr_timeline_get_trace (timeline);
  guint32 run = vtr_api_state_get_run (self->state);
  g_autofree char *command =
    vtr_trace_format_command (trace, vtr_api_state_get_index (self->state));
  guint32 k = run != VTR_NO_RUN ? vtr_timeline_get_run_number (timeline, run) : 0;

  return k > 0 ? g_strdup_printf ("%s@%u/state", command, k)
               : g_strdup_printf ("%s/state", command);
}

VtrStateView *
vtr_state_view_new_before (VtrAnalysis *analysis,
                           VtrApiState *state)
{
  return state->previous != NULL ? vtr_state_view_new (analysis, state->previous) : NULL;
}

VtrStateView *
vtr_state_view_new (VtrAnalysis *analysis,
                    VtrApiState *state)
{
  VtrStateView *self = g_new0 (VtrStateView, 1);

  g_atomic_ref_count_init (&self->refs);
  self->analysis = vtr_analysis_ref (analysis);
  self->state = vtr_api_state_ref (state);
  self->groups = g_ptr_array_new_with_free_func (group_free);
  self->path = make_path (self);
  sort_objects (self);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->state != NULL && vtr_apis[i]->state->view_new != NULL)
      self->parts[i] = vtr_apis[i]->state->view_new (self);
  return self;
}

VtrStateView *
vtr_state_view_ref (VtrStateView *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_state_view_unref (VtrStateView *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_ptr_array_unref (self->groups);
  for (guint i = 0; i < VTR_MAX_APIS; i++)
    if (self->parts[i] != NULL)
      vtr_apis[i]->state->view_free (self->parts[i]);
  vtr_api_state_unref (self->state);
  vtr_analysis_unref (self->analysis);
  g_free (self->path);
  g_free (self);
}

VtrApiState *
vtr_state_view_get_state (VtrStateView *self)
{
  return self->state;
}

VtrAnalysis *
vtr_state_view_get_analysis (VtrStateView *self)
{
  return self->analysis;
}

const char *
vtr_state_view_get_path (VtrStateView *self)
{
  return self->path;
}

gpointer
vtr_state_view_get_part (VtrStateView *self,
                         guint32       id)
{
  const guint api = vtr_api_get_number (id);

  return api < VTR_MAX_APIS ? self->parts[api] : NULL;
}

GPtrArray *
vtr_state_view_list_groups (VtrStateView *self,
                            guint32       owner)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < self->groups->len; i++)
    {
      VtrStateGroup *group = g_ptr_array_index (self->groups, i);

      if (group->owner == owner)
        g_ptr_array_add (list, group);
    }
  return list;
}

/* VkDescriptorSet → "descriptorSets", picture → "pictures"; the API's two letters, KHR and EXT
 * go, vendors stay. */
char *
vtr_state_group_name (guint32 type)
{
  const char *name = vtr_api_string (vtr_handle_get (type)->name);
  const gboolean prefixed =
    g_ascii_isupper (name[0]) && g_ascii_islower (name[1]) && g_ascii_isupper (name[2]);
  g_autofree char *stem = g_strdup (prefixed ? name + 2 : name);
  gsize length = strlen (stem);

  if (g_str_has_suffix (stem, "KHR") || g_str_has_suffix (stem, "EXT"))
    stem[length -= 3] = '\0';
  stem[0] = g_ascii_tolower (stem[0]);
  if (length > 1 && stem[length - 1] == 'y' && strchr ("aeiou", stem[length - 2]) == NULL)
    {
      stem[length - 1] = '\0';
      return g_strconcat (stem, "ies", NULL);
    }
  if (length > 1 && (stem[length - 1] == 's' || g_str_has_suffix (stem, "ch")))
    return g_strconcat (stem, "es", NULL);
  return g_strconcat (stem, "s", NULL);
}

const VtrStateGroup *
vtr_state_view_find_group (VtrStateView *self,
                           guint32       owner,
                           const char   *name)
{
  for (guint i = 0; i < self->groups->len; i++)
    {
      const VtrStateGroup *group = g_ptr_array_index (self->groups, i);
      g_autofree char *own = group->owner == owner ? vtr_state_group_name (group->type) : NULL;

      if (g_strcmp0 (own, name) == 0)
        return group;
    }
  return NULL;
}

char *
vtr_state_view_format_object (VtrStateView *self,
                              guint32       id)
{
  VtrHistory *history = vtr_api_state_get_history (self->state);
  const VtrObject *object = vtr_history_get_object (history, id);
  guint32 owner = find_owner (history, object);
  g_autofree char *group = vtr_state_group_name (object->type);
  g_autofree char *top = NULL;

  if (!vtr_api_state_is_alive (self->state, id))
    return g_strdup_printf ("objects/%u", id);
  if (owner == 0)
    return g_strdup_printf ("%s/%s/%u", self->path, group, id);
  top = vtr_state_group_name (vtr_history_get_object (history, owner)->type);
  return g_strdup_printf ("%s/%s/%u/%s/%u", self->path, top, owner, group, id);
}

/* --- Objects --- */

/* Where several things are made at once, only what made this one. */
static void
add_parameter (JsonObject        *to,
               const VtrObject   *object,
               VtrArena          *arena,
               const VtrProperty *property)
{
  VtrBuffer text = { 0 };

  if (property->kind == VTR_PROPERTY_ARRAY && property->n_children > 1 &&
      object->element < property->n_children)
    {
      const VtrProperty *child = vtr_property_child (arena, property, object->element);

      if (child != NULL)
        property = child;
    }
  if (property->kind != VTR_PROPERTY_STRUCT)
    return;
  vtr_property_json (property, &text);
  json_object_set_member (to, "info", vtr_json_parse (&text));
  vtr_buffer_finish (&text);
}

/* Objects from a pool are allocated a hundred at a time from one structure. */
static gboolean
is_told_by_creation (VtrTrace        *trace,
                     const VtrObject *object)
{
  const VtrCmdId id = vtr_trace_get_command_id (trace, object->created);

  return vtr_cmd_is_known (id) && vtr_cmd_get (id)->create.pool == 0;
}

static JsonNode *
make_creation (VtrStateView    *self,
               const VtrObject *object)
{
  VtrHistory *history = vtr_api_state_get_history (self->state);
  VtrTrace *trace = vtr_history_get_trace (history);
  const VtrApiEnv env = vtr_trace_get_env (trace);
  JsonObject *json = json_object_new ();
  const VtrProperty *root;
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  json_object_set_string_member (
    json, "name",
    vtr_command_name (vtr_trace_get_command_id (vtr_history_get_trace (history), object->created)));
  json_object_set_member (json, "command",
                          vtr_json_command (vtr_history_get_trace (history), object->created));
  if (is_told_by_creation (trace, object) &&
      vtr_history_decode_creation (history, object, &arena, &command, NULL))
    {
      root = vtr_property_root (&arena, command.id, command.args, command.decoded, &env);
      for (guint64 i = 0; root != NULL && i < root->n_children; i++)
        {
          const VtrProperty *child = vtr_property_child (&arena, root, i);

          if (child != NULL && !child->out)
            add_parameter (json, object, &arena, child);
        }
    }
  vtr_arena_finish (&arena);
  return vtr_json_take_object (json);
}

/* --- Pieces --- */
JsonNode *
vtr_state_view_reference (VtrStateView *self,
                          guint32       id)
{
  VtrHistory *history = vtr_api_state_get_history (vtr_state_view_get_state (self));
  JsonNode *node;
  g_autofree char *path = NULL;

  if (id == 0)
    return json_node_new (JSON_NODE_NULL);
  node = vtr_json_object_ref (history, vtr_history_get_object (history, id));
  path = vtr_state_view_format_object (self, id);
  if (g_str_has_prefix (path, "objects/"))
    json_object_set_boolean_member (json_node_get_object (node), "destroyed", TRUE);
  return node;
}

void
vtr_state_view_set_reference (VtrStateView *self,
                              JsonObject   *object,
                              const char   *name,
                              guint32       id)
{
  json_object_set_member (object, name, vtr_state_view_reference (self, id));
}

JsonNode *
vtr_state_view_summary (VtrStateView *self,
                        guint32       id)
{
  VtrHistory *history = vtr_api_state_get_history (self->state);
  const VtrObject *object = vtr_history_get_object (history, id);
  JsonNode *node = vtr_json_object_ref (history, object);
  JsonObject *json = json_node_get_object (node);
  const VtrStateRecord *record = vtr_api_state_peek (self->state, id);
  VtrStateRecord *initial = NULL;

  if (record == NULL)
    record = initial = vtr_state_record_new (
      vtr_state_shared_get_part (self->state->shared, object->type), object);
  vtr_state_view_set_reference (self, json, "parent", object->parent);
  if (get_api (object->type) != NULL && get_api (object->type)->object_json != NULL)
    get_api (object->type)->object_json (self, object, record, json);
  g_clear_pointer (&initial, vtr_state_record_unref);
  return node;
}

JsonNode *
vtr_state_view_object (VtrStateView *self,
                       guint32       id)
{
  const VtrObject *object =
    vtr_history_get_object (vtr_api_state_get_history (self->state), id);
  JsonNode *node = vtr_state_view_summary (self, id);

  json_object_set_member (json_node_get_object (node), "creation", make_creation (self, object));
  return node;
}

/* --- The top --- */

static JsonNode *
make_bound (VtrStateView *self)
{
  VtrPlace address = {
    .index = vtr_api_state_get_index (self->state),
    .run = vtr_api_state_get_run (self->state),
  };

  return vtr_bound_to_json (self->analysis, &address, NULL);
}

/* Whether the trace has objects of the API. */
static gboolean
is_in_trace (VtrStateView *self,
             guint         api)
{
  return vtr_history_get_part (vtr_api_state_get_history (self->state),
                               vtr_api_models[api].first_id) != NULL;
}

JsonNode *
vtr_state_view_facts (VtrStateView *self)
{
  VtrTimeline *timeline = vtr_api_state_get_timeline (self->state);
  VtrTrace *trace = vtr_analysis_get_trace (self->analysis);
  guint32 run = vtr_api_state_get_run (self->state);
  JsonObject *object = json_object_new ();
  JsonNode *bound = make_bound (self);

  json_object_set_member (object, "command",
                          vtr_json_command (trace, vtr_api_state_get_index (self->state)));
  json_object_set_member (
    object, "submission",
    vtr_json_command (trace, run != VTR_NO_RUN
                               ? vtr_timeline_get_run (timeline, run)->submit
                               : VTR_COMMAND_NO_INDEX));
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->state != NULL && vtr_apis[i]->state->facts_json != NULL &&
        is_in_trace (self, i))
      vtr_apis[i]->state->facts_json (self, object);
  if (bound != NULL)
    json_object_set_member (object, "bound", bound);
  return vtr_json_take_object (object);
}

/* --- All of it --- */

static gboolean
add_groups (VtrStateView  *self,
            guint32        owner,
            JsonObject    *to,
            GCancellable  *cancellable,
            GError       **error);

static JsonNode *
make_group (VtrStateView         *self,
            const VtrStateGroup  *group,
            GCancellable         *cancellable,
            GError              **error)
{
  JsonObject *object = json_object_new ();

  for (guint i = 0; i < group->ids->len; i++)
    {
      guint32 id = g_array_index (group->ids, guint32, i);
      g_autofree char *name = g_strdup_printf ("%u", id);
      JsonNode *node;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        {
          json_object_unref (object);
          return NULL;
        }
      node = vtr_state_view_object (self, id);
      json_object_set_member (object, name, node);
      if (vtr_state_view_is_owner (group->type) &&
          !add_groups (self, id, json_node_get_object (node), cancellable, error))
        {
          json_object_unref (object);
          return NULL;
        }
    }
  return vtr_json_take_object (object);
}

static gboolean
add_groups (VtrStateView  *self,
            guint32        owner,
            JsonObject    *to,
            GCancellable  *cancellable,
            GError       **error)
{
  g_autoptr (GPtrArray) groups = vtr_state_view_list_groups (self, owner);

  for (guint i = 0; i < groups->len; i++)
    {
      const VtrStateGroup *group = g_ptr_array_index (groups, i);
      g_autofree char *name = vtr_state_group_name (group->type);
      JsonNode *node = make_group (self, group, cancellable, error);

      if (node == NULL)
        return FALSE;
      json_object_set_member (to, name, node);
    }
  return TRUE;
}

JsonNode *
vtr_state_view_all (VtrStateView  *self,
                    GCancellable  *cancellable,
                    GError       **error)
{
  JsonNode *node = vtr_state_view_facts (self);

  if (add_groups (self, 0, json_node_get_object (node), cancellable, error))
    return node;
  json_node_unref (node);
  return NULL;
}

/* --- By path --- */

static char *
describe_groups (VtrStateView *self,
                 guint32       owner)
{
  g_autoptr (GPtrArray) groups = vtr_state_view_list_groups (self, owner);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < groups->len; i++)
    {
      const VtrStateGroup *group = g_ptr_array_index (groups, i);
      g_autofree char *name = vtr_state_group_name (group->type);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", name);
    }
  return g_string_free (text, FALSE);
}

static gboolean
group_has (const VtrStateGroup *group,
           guint64              id)
{
  for (guint i = 0; i < group->ids->len; i++)
    if (g_array_index (group->ids, guint32, i) == id)
      return TRUE;
  return FALSE;
}

/* @path: how far it got. */
static JsonNode *
resolve_in (VtrStateView  *self,
            guint32        owner,
            char         **steps,
            const char    *path,
            GCancellable  *cancellable,
            GError       **error)
{
  const VtrStateGroup *group = vtr_state_view_find_group (self, owner, steps[0]);
  g_autofree char *below = NULL, *expected = NULL;
  g_autoptr (JsonNode) node = NULL;
  guint64 id;

  if (group == NULL)
    {
      expected = describe_groups (self, owner);
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("There is no “%s” in %s; expected %s."), steps[0], path,
                   expected[0] != '\0' ? expected : _ ("nothing, there are no objects"));
      return NULL;
    }
  if (steps[1] == NULL)
    return make_group (self, group, cancellable, error);
  below = g_strdup_printf ("%s/%s", path, steps[0]);
  if (!vtr_parse_number (steps[1], 10, 1, G_MAXUINT32, &id) ||
      !group_has (group, id))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("There is no object “%s” in %s at this command."), steps[1], below);
      return NULL;
    }
  node = vtr_state_view_object (self, (guint32)id);
  if (vtr_state_view_is_owner (group->type))
    {
      g_autofree char *object = g_strdup_printf ("%s/%s", below, steps[1]);

      if (steps[2] != NULL && !json_object_has_member (json_node_get_object (node), steps[2]))
        return resolve_in (self, (guint32)id, steps + 2, object, cancellable, error);
      if (!add_groups (self, (guint32)id, json_node_get_object (node), cancellable, error))
        return NULL;
    }
  return vtr_json_walk (g_steal_pointer (&node), steps + 2, below, error);
}

JsonNode *
vtr_state_view_resolve (VtrStateView  *self,
                        char         **steps,
                        GCancellable  *cancellable,
                        GError       **error)
{
  JsonNode *facts;

  if (steps[0] == NULL)
    return vtr_state_view_all (self, cancellable, error);
  facts = vtr_state_view_facts (self);
  if (json_object_has_member (json_node_get_object (facts), steps[0]))
    return vtr_json_walk (facts, steps, self->path, error);
  json_node_unref (facts);
  return resolve_in (self, 0, steps, self->path, cancellable, error);
}
