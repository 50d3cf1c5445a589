/* The attachments of the selected command as a row of thumbnails. A ring marks the one that is
 * shown. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

/* Signal: "selected" (guint VtrAttachmentKind): the user chose one. */
#define VTR_TYPE_ATTACHMENT_STRIP (vtr_attachment_strip_get_type ())
G_DECLARE_FINAL_TYPE (VtrAttachmentStrip, vtr_attachment_strip, VTR, ATTACHMENT_STRIP, GtkWidget)


/* @infos: VtrTarget of command @index. Thumbnails of attachments that stay are kept until the new ones are known. */
void vtr_attachment_strip_set (VtrAttachmentStrip *self,
                               VtrSession         *session,
                               guint64             index,
                               GArray             *infos,
                               VtrAttachmentKind   current);
/* Requests the thumbnails. Call it after the main image was requested, so that they do not delay
 * it. */
void vtr_attachment_strip_load (VtrAttachmentStrip *self);
void vtr_attachment_strip_clear (VtrAttachmentStrip *self);

/* "0 · Albedo", "Depth". (transfer full) */
char *vtr_attachment_describe (VtrSession      *session,
                               const VtrTarget *info);
/* "R8G8B8A8_SRGB" */
const char *vtr_format_short_name (const VtrPixelFormat *format);

G_END_DECLS
