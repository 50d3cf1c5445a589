/* Writes Vulkan's part of a state as JSON, apart from objects: the last work, the render pass
 * instance. */
#include "engine/vulkan/state/vtr-vulkan-view.h"

#include "engine/vulkan/state/vtr-state-json.h"
#include "engine/vulkan/state/vtr-vulkan-shared.h"

#include "api/vtr-api-types.h"

gboolean
vtr_vulkan_is_owner (guint32 type)
{
  return type == VTR_HANDLE_VkDevice || type == VTR_HANDLE_VkInstance;
}

/* --- What is bound to memory --- */

static void
note_bound (GHashTable *self,
            guint32     memory,
            guint32     id)
{
  GArray *list = g_hash_table_lookup (self, GUINT_TO_POINTER (memory));

  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_hash_table_insert (self, GUINT_TO_POINTER (memory), list);
    }
  if (list->len == 0 || g_array_index (list, guint32, list->len - 1) != id)
    g_array_append_val (list, id);
}

/* Memory id → GArray of guint32. */
gpointer
vtr_vulkan_view_new (VtrStateView *view)
{
  VtrApiState *state = vtr_state_view_get_state (view);
  guint32 n = vtr_history_get_n_objects (vtr_api_state_get_history (state));
  GHashTable *self =
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);

  for (guint32 id = 1; id <= n; id++)
    for (guint plane = 0; plane < VTR_MAX_PLANES && vtr_api_state_is_alive (state, id); plane++)
      {
        VtrStateBinding binding;

        if (!vtr_api_state_get_binding (state, id, plane, &binding))
          break;
        note_bound (self, binding.memory, id);
      }
  return self;
}

void
vtr_vulkan_view_free (gpointer part)
{
  g_hash_table_unref (part);
}

const GArray *
vtr_state_view_get_bound (VtrStateView *self,
                          guint32       memory)
{
  return g_hash_table_lookup (vtr_state_view_get_part (self, VTR_VULKAN_FIRST_ID),
                              GUINT_TO_POINTER (memory));
}

/* --- The top --- */

static JsonNode *
make_last (VtrStateView *self)
{
  static const struct
  {
    const char *name;
    VtrApiClass classes;
  } kinds[] = {
    { "drawCommand", VTR_CLASS_DRAW },
    { "dispatchCommand", VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS },
    { "submissionCommand", VTR_CLASS_SUBMIT },
  };
  VtrTrace *trace = vtr_analysis_get_trace (vtr_state_view_get_analysis (self));
  JsonObject *object = json_object_new ();

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      guint64 index =
        vtr_api_state_find_last (vtr_state_view_get_state (self), kinds[i].classes);

      json_object_set_member (object, kinds[i].name, vtr_json_command (trace, index));
    }
  return vtr_json_take_object (object);
}

static JsonNode *
make_pass (VtrStateView *self)
{
  const VtrStatePassAt *at = vtr_state_pass_peek (vtr_state_view_get_state (self));
  const VtrStatePass *pass = at->pass;
  JsonArray *images = json_array_new ();
  JsonObject *object;

  if (pass == NULL)
    {
      json_array_unref (images);
      return json_node_new (JSON_NODE_NULL);
    }
  object = json_object_new ();
  vtr_state_json_set_command (self, object, "beginCommand", pass->begin);
  json_object_set_boolean_member (object, "dynamicRendering", pass->dynamic);
  json_object_set_boolean_member (object, "suspended", at->suspended);
  vtr_state_view_set_reference (self, object, "renderPass", pass->render_pass);
  vtr_state_view_set_reference (self, object, "framebuffer", pass->framebuffer);
  json_object_set_int_member (object, "subpass", at->subpass);
  for (guint32 i = 0; i < pass->n_images; i++)
    {
      JsonObject *image = json_object_new ();

      vtr_state_view_set_reference (self, image, "view", pass->images[i].view);
      vtr_state_view_set_reference (self, image, "image", pass->images[i].image);
      json_object_set_member (
        image, "range",
        vtr_json_struct (VTR_STRUCT_VkImageSubresourceRange, &pass->images[i].range));
      if (pass->layouts != NULL)
        vtr_state_json_set_enum (image, "layout", VTR_ENUM_VkImageLayout, pass->layouts[i]);
      json_array_add_object_element (images, image);
    }
  json_object_set_member (object, "attachments", vtr_json_take_array (images));
  return vtr_json_take_object (object);
}

void
vtr_vulkan_facts_json (VtrStateView *view,
                       JsonObject   *object)
{
  json_object_set_member (object, "last", make_last (view));
  json_object_set_member (object, "pass", make_pass (view));
}
