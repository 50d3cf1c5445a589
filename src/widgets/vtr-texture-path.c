/* Parses links to images ("objects/41/texture?mip=1") into a query for one part of an image. */
#include "vtr-config.h"

#include "widgets/vtr-texture-path.h"

#include <string.h>

#include "api/vtr-api-args.h"
#include "engine/answers/vtr-image-path.h"
#include "widgets/vtr-pane.h"

static gboolean
is_one_bit (guint32 bits)
{
  return bits != 0 && (bits & (bits - 1)) == 0;
}

/* The image of a VkImageView, with the part of it that the view shows. */
static gboolean
find_view_image (VtrHistory *history, const VtrObject *view, VtrImageQuery *query)
{
  VtrCommand command;
  VtrArena arena;
  const VtrObject *image = NULL;

  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (history, view, &arena, &command, NULL) &&
      command.id == VTR_CMD_vkCreateImageView)
    {
      const VtrArgs_vkCreateImageView *args = command.args;
      const VkImageViewCreateInfo *info = args->pCreateInfo;

      if (info != NULL)
        {
          image =
            vtr_history_find (history,
                              vtr_vulkan_identity (VTR_HANDLE_VkImage, (guint64)info->image),
                              view->created);
          query->mip = info->subresourceRange.baseMipLevel;
          query->layer = info->subresourceRange.baseArrayLayer;
          if (is_one_bit (info->subresourceRange.aspectMask))
            query->aspects = (VkImageAspectFlagBits)info->subresourceRange.aspectMask;
        }
    }
  vtr_arena_finish (&arena);
  query->object = image != NULL ? image->id : 0;
  return image != NULL;
}

/* What follows the question mark. */
static void
read_query (const char *text, VtrImageQuery *query)
{
  static const VkImageAspectFlagBits aspects[] = {
    VK_IMAGE_ASPECT_COLOR_BIT,
    VK_IMAGE_ASPECT_DEPTH_BIT,
    VK_IMAGE_ASPECT_STENCIL_BIT,
    VK_IMAGE_ASPECT_PLANE_0_BIT,
    VK_IMAGE_ASPECT_PLANE_1_BIT,
    VK_IMAGE_ASPECT_PLANE_2_BIT,
  };
  g_auto (GStrv) pairs = g_strsplit (text, "&", -1);

  for (guint i = 0; pairs[i] != NULL; i++)
    {
      const char *value = strchr (pairs[i], '=');
      guint32 number = value != NULL ? (guint32)g_ascii_strtoull (value + 1, NULL, 10) : 0;

      if (value == NULL)
        continue;
      if (g_str_has_prefix (pairs[i], "mip="))
        query->mip = number;
      else if (g_str_has_prefix (pairs[i], "layer="))
        query->layer = number;
      else if (g_str_has_prefix (pairs[i], "slice="))
        query->slice = number;
      else if (g_str_has_prefix (pairs[i], "sample=") && g_ascii_isdigit (value[1]))
        query->sample = number;
      for (guint k = 0; g_str_has_prefix (pairs[i], "aspect=") && k < G_N_ELEMENTS (aspects); k++)
        if (g_strcmp0 (value + 1, vtr_aspect_to_string (aspects[k])) == 0)
          query->aspects = aspects[k];
    }
}

gboolean
vtr_texture_path_parse (VtrHistory *history, const char *path, VtrImageQuery *query)
{
  const char *below = vtr_pane_match_path (path, "images");
  const char *digits = NULL;
  const char *parameters = strchr (path, '?');
  const VtrObject *object;
  char *end;
  guint64 id;

  if (below != NULL && *below == '/')
    digits = below + 1;
  else if (g_str_has_prefix (path, "objects/"))
    digits = path + strlen ("objects/");
  if (digits == NULL)
    return FALSE;
  id = g_ascii_strtoull (digits, &end, 10);
  if (end == digits || id == 0 || id > vtr_history_get_n_objects (history) ||
      (*end != '\0' && *end != '?' && !g_str_has_prefix (end, "/texture")))
    return FALSE;
  object = vtr_history_get_object (history, (guint32)id);
  if (object->type == VTR_HANDLE_VkImage)
    query->object = object->id;
  else if (object->type != VTR_HANDLE_VkImageView || !find_view_image (history, object, query))
    return FALSE;
  if (parameters != NULL)
    read_query (parameters + 1, query);
  return TRUE;
}
