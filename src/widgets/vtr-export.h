/* Saves what a view shows: asks for a file, writes it in a worker thread, and reports the result
 * in a toast. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* @name: the suggested file name, without a folder: "image-41.png". @widget: any widget of the
 * window. */
void vtr_export_image (GtkWidget  *widget,
                       VtrImage   *image,
                       const char *name);
void vtr_export_bytes (GtkWidget  *widget,
                       GBytes     *bytes,
                       const char *name);

/* Shows a toast with a sentence about the result. */
void vtr_export_toast (GtkWidget  *widget,
                       const char *text);

/* Copies the image to the clipboard in its own colours, whatever channels and range are
 * displayed. */
void vtr_copy_image (GtkWidget *widget,
                     VtrImage  *image);

/* The content of a drag of an image: a texture, and a PNG file for drop targets that take files.
   NULL: the image is too large, or cannot be shown. (transfer full) */
GdkContentProvider *vtr_export_provide_image (VtrImage   *image,
                                              const char *name);

G_END_DECLS
