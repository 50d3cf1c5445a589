/* Chooses which part of an image is shown: mip level, layer, slice, sample, aspect. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"
#include "engine/model/vtr-texture-list.h"

G_BEGIN_DECLS

/**
 * VtrSubresourceRow:
 *
 * Shows only the choices that the image offers; none for a plain image.
 *
 * Signal: "changed" (): the user chose something else. Threading: main.
 */
#define VTR_TYPE_SUBRESOURCE_ROW (vtr_subresource_row_get_type ())
G_DECLARE_FINAL_TYPE (VtrSubresourceRow, vtr_subresource_row, VTR, SUBRESOURCE_ROW, GtkWidget)

GtkWidget *vtr_subresource_row_new (void);
/* Shows the choices of @texture. @keep: keeps the current choice as far as @texture has it;
 * otherwise chooses the first of everything. */
void vtr_subresource_row_set_texture (VtrSubresourceRow *self,
                                      VtrTexture        *texture,
                                      gboolean           keep);
/* Fills .mip, .layer, .slice, .sample and .aspect. */
void vtr_subresource_row_get (VtrSubresourceRow *self,
                              VtrImageQuery     *query);
/* Chooses the part that @query names, without a signal. Values that the image does not have are
 * clamped. */
void vtr_subresource_row_set (VtrSubresourceRow   *self,
                              const VtrImageQuery *query);

G_END_DECLS
