/* Parses links to images ("objects/41/texture?mip=1") into a query for one part of an image. */
#include "vtr-config.h"

#include "widgets/vtr-texture-path.h"

#include <string.h>

#include "engine/state/vtr-image-facts.h"
#include "pixels/vtr-pixel-format.h"
#include "widgets/vtr-pane.h"

/* Parses the options after the question mark. */
static void
read_query (const char *text, VtrImageQuery *query)
{
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
      for (guint k = 0; g_str_has_prefix (pairs[i], "aspect=") && k < VTR_PIXEL_NO_ASPECT; k++)
        if (g_strcmp0 (value + 1, vtr_pixel_aspect_get_name ((VtrPixelAspect)k)) == 0)
          query->aspects = 1u << k;
    }
}

gboolean
vtr_texture_path_parse (VtrHistory *history, const char *path, VtrImageQuery *query)
{
  const char *below = vtr_pane_match_path (path, "images");
  const char *digits = NULL;
  const char *parameters = strchr (path, '?');
  VtrImageView view;
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
  if (!vtr_image_view_find (history, vtr_history_get_object (history, (guint32)id), &view))
    return FALSE;
  query->object = view.image;
  query->mip = view.mip;
  query->layer = view.layer;
  query->aspects = view.aspects;
  if (parameters != NULL)
    read_query (parameters + 1, query);
  return TRUE;
}
