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
 * Thumbnails are asked for only for rows that stay in view for 100 ms, show the image at the end of its life, and are kept.
 *
 * Signals: "selected" (VtrTexture): the user chose another row. "activated" (VtrTexture): and wants to look at it.
 * Threading: main.
 */
#define VTR_TYPE_TEXTURE_TABLE (vtr_texture_table_get_type ())
G_DECLARE_FINAL_TYPE (VtrTextureTable, vtr_texture_table, VTR, TEXTURE_TABLE, GtkWidget)

GtkWidget *vtr_texture_table_new (void);
/* @list NULL: empty. Forgets thumbnails and selection. */
void vtr_texture_table_set_list (VtrTextureTable *self,
                                 VtrSession      *session,
                                 VtrTextureList  *list);
/* Pixels in which no text of the list is cut, but for very long names. */
int vtr_texture_table_get_wanted_width (VtrTextureTable *self);
/* Object id → VtrUseFlags of the images that the selected command uses; NULL: not known. */
void vtr_texture_table_set_used (VtrTextureTable *self,
                                 GHashTable      *used);
/* Selects without a signal and scrolls there; clears the filter when it hides the image. */
void vtr_texture_table_select (VtrTextureTable *self,
                               guint32          object);
/* The image on screen: its row's thumbnail becomes it, and it can be dragged out. */
void vtr_texture_table_show_image (VtrTextureTable *self,
                                   VtrImage        *image,
                                   const char      *name);

G_END_DECLS
