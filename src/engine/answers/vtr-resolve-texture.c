/* Answers textures, objects/ID/texture and commands/N/textures. */
#include "engine/answers/vtr-resolve.h"

#include <glib/gi18n.h>

static void
set_index (JsonObject *json, VtrTrace *trace, const char *name, guint64 index)
{
  if (index == VTR_COMMAND_NO_INDEX)
    json_object_set_null_member (json, name);
  else
    {
      g_autofree char *path = vtr_trace_format_command (trace, index);

      json_object_set_string_member (json, name, path);
    }
}

static JsonObject *
make_counts (guint64 draws, guint64 dispatches, guint64 copies)
{
  JsonObject *json = json_object_new ();

  json_object_set_int_member (json, "draws", (gint64)draws);
  json_object_set_int_member (json, "dispatches", (gint64)dispatches);
  json_object_set_int_member (json, "copies", (gint64)copies);
  return json;
}

static JsonObject *
make_uses (VtrTrace *trace, const VtrImageUses *uses)
{
  JsonObject *json = json_object_new ();

  json_object_set_object_member (json, "writtenBy",
                                 make_counts (uses->draws_writing, uses->dispatches_writing,
                                              uses->copies_writing));
  json_object_set_object_member (json, "readBy",
                                 make_counts (uses->draws_reading, uses->dispatches_reading,
                                              uses->copies_reading));
  json_object_set_int_member (json, "clears", (gint64)uses->clears);
  set_index (json, trace, "firstWrite", uses->first_write);
  set_index (json, trace, "lastWrite", uses->last_write);
  return json;
}

static JsonArray *
make_usage (const char *const *usage)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; usage[i] != NULL; i++)
    json_array_add_string_element (array, usage[i]);
  return array;
}

/* @aspects: bits 1 << VtrPixelAspect */
static JsonArray *
make_aspects (guint32 aspects)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < VTR_PIXEL_NO_ASPECT; i++)
    if ((aspects >> i & 1) != 0)
      json_array_add_string_element (array, vtr_pixel_aspect_get_name ((VtrPixelAspect)i));
  return array;
}

static void
set_name (JsonObject *json, const char *name, const char *value)
{
  if (value != NULL)
    json_object_set_string_member (json, name, value);
}

static JsonObject *
make_texture (VtrAnswers *answers, VtrTexture *texture)
{
  VtrHistory *history = vtr_analysis_get_history (answers->analysis);
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  const VtrImageFacts *facts = vtr_texture_get_facts (texture);
  const VtrObject *memory = vtr_history_get_object (history, facts->memory);
  g_autofree char *path = g_strdup_printf ("objects/%u/texture", facts->object->id);
  JsonObject *json = json_object_new ();

  json_object_set_string_member (json, "name", vtr_texture_get_name (texture));
  json_object_set_string_member (json, "path", path);
  json_object_set_member (json, "object", vtr_json_object_ref (history, facts->object));
  set_name (json, "type", facts->type);
  set_name (json, "format", facts->format);
  json_object_set_int_member (json, "width", facts->width);
  json_object_set_int_member (json, "height", facts->height);
  json_object_set_int_member (json, "depth", facts->depth);
  json_object_set_int_member (json, "mipLevels", facts->mip_levels);
  json_object_set_int_member (json, "arrayLayers", facts->array_layers);
  json_object_set_int_member (json, "samples", facts->samples);
  json_object_set_array_member (json, "aspects", make_aspects (facts->aspects));
  set_name (json, "tiling", facts->tiling);
  if (facts->usage != NULL)
    json_object_set_array_member (json, "usage", make_usage (facts->usage));
  json_object_set_boolean_member (json, "cube", facts->cube);
  json_object_set_boolean_member (json, "swapchain", facts->presented);
  set_index (json, trace, "created", vtr_texture_get_created (texture));
  set_index (json, trace, "destroyed", vtr_texture_get_destroyed (texture));
  json_object_set_member (json, "memory",
                          memory != NULL ? vtr_json_object_ref (history, memory)
                                         : json_node_new (JSON_NODE_NULL));
  if (memory != NULL)
    json_object_set_int_member (json, "memoryOffset", (gint64)facts->memory_offset);
  json_object_set_object_member (json, "uses",
                                 make_uses (trace, vtr_texture_get_uses (texture)));
  return json;
}

JsonNode *
vtr_resolve_textures (VtrAnswers *answers, GCancellable *cancellable, GError **error)
{
  g_autoptr (VtrTextureList) list =
    vtr_trace_lists_get_textures (answers->lists, cancellable, error);
  JsonArray *array;

  if (list == NULL)
    return NULL;
  array = json_array_new ();
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    json_array_add_object_element (array,
                                   make_texture (answers, vtr_texture_list_get (list, i)));
  return vtr_json_take_array (array);
}

static JsonArray *
make_use_words (guint32 flags)
{
  static const struct
  {
    guint32 flag;
    const char *word;
  } words[] = {
    { VTR_USE_ATTACHMENT, "attachment" },
    { VTR_USE_DESCRIPTOR, "descriptor" },
    { VTR_USE_TRANSFER, "transfer" },
    { VTR_USE_PRESENT, "present" },
    { VTR_USE_READ, "read" },
    { VTR_USE_WRITE, "write" },
  };
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if ((flags & words[i].flag) != 0)
      json_array_add_string_element (array, words[i].word);
  return array;
}

JsonNode *
vtr_resolve_textures_at (VtrAnswers      *answers,
                         const VtrPlace  *address,
                         GCancellable    *cancellable,
                         GError         **error)
{
  g_autoptr (VtrTextureList) list =
    vtr_trace_lists_get_textures (answers->lists, cancellable, error);
  g_autoptr (GArray) uses =
    list != NULL ? vtr_uses_list_at_place (answers->analysis, address, error)
                 : NULL;
  JsonArray *array;

  if (uses == NULL)
    return NULL;
  array = json_array_new ();
  for (guint i = 0; i < uses->len; i++)
    {
      const VtrUse *use = &g_array_index (uses, VtrUse, i);
      VtrTexture *texture = vtr_texture_list_find (list, use->image);
      JsonObject *json = texture != NULL ? make_texture (answers, texture) : NULL;

      if (json == NULL)
        continue;
      json_object_set_array_member (json, "usedHere", make_use_words (use->flags));
      json_array_add_object_element (array, json);
    }
  return vtr_json_take_array (array);
}

JsonNode *
vtr_resolve_object_texture (VtrAnswers       *answers,
                            const VtrObject  *object,
                            GCancellable     *cancellable,
                            GError          **error)
{
  g_autoptr (VtrTextureList) list =
    vtr_trace_lists_get_textures (answers->lists, cancellable, error);
  VtrTexture *texture = list != NULL ? vtr_texture_list_find (list, object->id) : NULL;

  if (texture != NULL)
    return vtr_json_take_object (make_texture (answers, texture));
  if (list != NULL)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                 _ ("Object %u is not an image."), object->id);
  return NULL;
}
