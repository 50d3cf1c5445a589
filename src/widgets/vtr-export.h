/* Saves what a view shows: asks for a file, writes it in a worker thread, and reports the result
 * in a toast. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* @name: of the file, without a folder: "image-41.png". @widget: any in the window. */
void vtr_export_image (GtkWidget  *widget,
                       VtrImage   *image,
                       const char *name);
void vtr_export_bytes (GtkWidget  *widget,
                       GBytes     *bytes,
                       const char *name);

/* A sentence about what was done, on the screen for a moment. */
void vtr_export_toast (GtkWidget  *widget,
                       const char *text);

/* Puts the image into the clipboard, in its own colours. */
void vtr_copy_image (GtkWidget *widget,
                     VtrImage  *image);

/* What dragging an image out gives: a texture, and a PNG file for those who take files. NULL: too
   large, or it cannot be shown. (transfer full) */
GdkContentProvider *vtr_export_provide_image (VtrImage   *image,
                                              const char *name);

G_END_DECLS
