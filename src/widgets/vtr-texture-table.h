/* The images of a trace as a table: thumbnail, name, size, format, uses. It can be sorted and
 * filtered. */
#pragma once

#include <gtk/gtk.h>

#include "engine/model/vtr-texture-list.h"
#include "session/vtr-session.h"

G_BEGIN_DECLS

/**
 * VtrTextureTable:
 *
 * Thumbnails show the image at the end of its life. They are loaded for rows that stay in view for
 * 100 ms, and kept.
 *
 * Signals: "selected" (VtrTexture): the user chose another row. "activated" (VtrTexture): the user
 * opened a row.
 * Threading: main.
 */
#define VTR_TYPE_TEXTURE_TABLE (vtr_texture_table_get_type ())
G_DECLARE_FINAL_TYPE (VtrTextureTable, vtr_texture_table, VTR, TEXTURE_TABLE, GtkWidget)

GtkWidget *vtr_texture_table_new (void);
/* Shows @list (NULL: nothing), and drops thumbnails and selection. */
void vtr_texture_table_set_list (VtrTextureTable *self,
                                 VtrSession      *session,
                                 VtrTextureList  *list);
/* The width in pixels at which no text is cut, except for very long names. */
int vtr_texture_table_get_wanted_width (VtrTextureTable *self);
/* Sets the images that the selected command uses: object id → VtrUseFlags; NULL: unknown. */
void vtr_texture_table_set_used (VtrTextureTable *self,
                                 GHashTable      *used);
/* Selects the row of an image without a signal, and scrolls to it. Clears a filter that hides the
 * image. */
void vtr_texture_table_select (VtrTextureTable *self,
                               guint32          object);
/* The image on screen becomes the thumbnail of its row, and the content of a drag. */
void vtr_texture_table_show_image (VtrTextureTable *self,
                                   VtrImage        *image,
                                   const char      *name);

G_END_DECLS
