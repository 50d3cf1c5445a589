/* The orders in which textures can be sorted. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum
{
  VTR_TEXTURES_BY_NAME, /* names first, then images without one by number */
  VTR_TEXTURES_BY_SIZE, /* texels */
  VTR_TEXTURES_BY_FORMAT,
  VTR_TEXTURES_BY_USES,
} VtrTextureOrder;

/* Of VtrTexture. (transfer full) */
GtkSorter *vtr_texture_sorter_new (VtrTextureOrder order);

G_END_DECLS
