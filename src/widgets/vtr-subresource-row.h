/* Chooses which part of an image is shown: mip level, layer, slice, sample, aspect. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"
#include "engine/model/vtr-texture-list.h"

G_BEGIN_DECLS

/**
 * VtrSubresourceRow:
 *
 * Shows only what the image has more than one of; all hidden for a plain image.
 *
 * Signal: "changed" (): the user chose something else. Threading: main.
 */
#define VTR_TYPE_SUBRESOURCE_ROW (vtr_subresource_row_get_type ())
G_DECLARE_FINAL_TYPE (VtrSubresourceRow, vtr_subresource_row, VTR, SUBRESOURCE_ROW, GtkWidget)

GtkWidget *vtr_subresource_row_new (void);
/* Keeps what is chosen as far as @texture has it, when @keep; else starts at the first of everything. */
void vtr_subresource_row_set_texture (VtrSubresourceRow *self,
                                      VtrTexture        *texture,
                                      gboolean           keep);
/* Fills .mip, .layer, .slice, .sample and .aspect. */
void vtr_subresource_row_get (VtrSubresourceRow *self,
                              VtrImageQuery     *query);
/* The same the other way, without a signal; what the image does not have is cut. */
void vtr_subresource_row_set (VtrSubresourceRow   *self,
                              const VtrImageQuery *query);

G_END_DECLS
