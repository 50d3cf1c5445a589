/* Compares textures by name, size, format and uses, for the columns of the texture table. */
#include "widgets/vtr-texture-sorter.h"

#include "engine/model/vtr-texture-list.h"

static int
compare_names (gconstpointer a, gconstpointer b, gpointer data)
{
  const VtrImageFacts *x = vtr_texture_get_facts ((VtrTexture *)a);
  const VtrImageFacts *y = vtr_texture_get_facts ((VtrTexture *)b);
  gboolean named = x->object->name != NULL;

  /* Images with names come first; others ("image 7") are sorted by number. */
  if (named != (y->object->name != NULL))
    return named ? -1 : 1;
  return named ? g_utf8_collate (x->object->name, y->object->name)
               : (x->object->id > y->object->id) - (x->object->id < y->object->id);
}

static int
compare_numbers (guint64 x, guint64 y)
{
  return (x > y) - (x < y);
}

static int
compare_sizes (gconstpointer a, gconstpointer b, gpointer data)
{
  return compare_numbers (vtr_texture_get_n_texels ((VtrTexture *)a),
                          vtr_texture_get_n_texels ((VtrTexture *)b));
}

static int
compare_formats (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_strcmp0 (vtr_texture_get_format_text ((VtrTexture *)a),
                    vtr_texture_get_format_text ((VtrTexture *)b));
}

static int
compare_uses (gconstpointer a, gconstpointer b, gpointer data)
{
  return compare_numbers (vtr_texture_get_n_uses ((VtrTexture *)a),
                          vtr_texture_get_n_uses ((VtrTexture *)b));
}

GtkSorter *
vtr_texture_sorter_new (VtrTextureOrder order)
{
  static const GCompareDataFunc functions[] = {
    [VTR_TEXTURES_BY_NAME] = compare_names,
    [VTR_TEXTURES_BY_SIZE] = compare_sizes,
    [VTR_TEXTURES_BY_FORMAT] = compare_formats,
    [VTR_TEXTURES_BY_USES] = compare_uses,
  };

  return GTK_SORTER (gtk_custom_sorter_new (functions[order], NULL, NULL));
}
