/* Passes each path to the function that answers it, by its first step. */
#include "engine/answers/vtr-resolve.h"

#include <glib/gi18n.h>
#include <string.h>

/* Bytes that a tree of nodes weighs, roughly, without walking large ones whole. */
static gsize
guess_cost (JsonNode *node, guint depth)
{
  gsize cost = 64;

  if (depth > 3)
    return 512;
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);
      guint n = json_array_get_length (array);

      if (n > 0)
        cost += n * guess_cost (json_array_get_element (array, 0), depth + 1);
    }
  else if (JSON_NODE_HOLDS_OBJECT (node))
    {
      g_autoptr (GList) values = json_object_get_values (json_node_get_object (node));

      for (GList *link = values; link != NULL; link = link->next)
        cost += 64 + guess_cost (link->data, depth + 1);
    }
  return cost;
}

/* vtr_json_walk() unless there is nothing to walk in. */
static JsonNode *
walk (JsonNode *node, char **steps, const char *path, GError **error)
{
  return node != NULL ? vtr_json_walk (node, steps, path, error) : NULL;
}

static JsonNode *
resolve_first_step (
  VtrAnswers *answers, char **steps, GCancellable *cancellable, gsize *cost, GError **error)
{
  char **rest = steps + 1;

  if (vtr_path_is_commands (steps[0]))
    return vtr_resolve_command (answers, steps, cancellable, cost, error);
  if (strcmp (steps[0], "frames") == 0)
    return vtr_resolve_frames (answers, rest, cancellable, error);
  if (strcmp (steps[0], "submits") == 0)
    return vtr_resolve_submits (answers, rest, error);
  if (strcmp (steps[0], "objects") == 0)
    return vtr_resolve_objects (answers, rest, cancellable, error);
  if (strcmp (steps[0], "shaders") == 0)
    return walk (vtr_resolve_shaders (answers, cancellable, error), rest, "shaders", error);
  if (strcmp (steps[0], "textures") == 0)
    return walk (vtr_resolve_textures (answers, cancellable, error), rest, "textures", error);
  if (strcmp (steps[0], "info") == 0)
    return vtr_json_walk (vtr_resolve_info (answers), rest, "info", error);
  if (strcmp (steps[0], "devices") == 0)
    return vtr_json_walk (vtr_resolve_devices (answers), rest, "devices", error);
  if (strcmp (steps[0], "resources") == 0)
    return vtr_json_walk (vtr_resolve_resources (answers), rest, "resources", error);
  if (strcmp (steps[0], "compatibility") == 0)
    return walk (vtr_resolve_compatibility (answers, cancellable, error), rest, "compatibility",
                 error);
  if (strcmp (steps[0], "report") == 0)
    return walk (vtr_resolve_report (answers, FALSE, cancellable, error), rest, "report", error);
  if (strcmp (steps[0], "report?replay=1") == 0)
    return walk (vtr_resolve_report (answers, TRUE, cancellable, error), rest, "report", error);
  g_set_error (
    error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
    _ ("“%s” is not a valid path. A path begins with commands, initial, frames, submits, "
       "objects, shaders, textures, resources, devices, info, compatibility or report."),
    steps[0]);
  return NULL;
}

JsonNode *
vtr_resolve_path (
  VtrAnswers *answers, const char *path, GCancellable *cancellable, gsize *cost, GError **error)
{
  g_auto (GStrv) steps = vtr_path_split (path);
  JsonNode *node;

  if (steps[0] == NULL)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                           _ ("The path is empty. A path begins with commands, initial, frames, "
                              "submits, objects, shaders, textures, resources, devices, info, "
                              "compatibility or report."));
      return NULL;
    }
  node = resolve_first_step (answers, steps, cancellable, cost, error);
  if (node != NULL)
    *cost = guess_cost (node, 0);
  return node;
}
