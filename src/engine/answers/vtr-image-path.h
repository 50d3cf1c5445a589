/* Questions for pictures, as paths and as keys. Threading: any. */
#pragma once

#include "engine/document/vtr-document.h"
#include "engine/state/vtr-path.h"
#include "engine/replay-session/vtr-picture.h"

G_BEGIN_DECLS

/* Reads a path as of vtr_document_get_image(). */
gboolean vtr_picture_parse (VtrDocument  *document,
                            const char   *path,
                            VtrPicture   *out,
                            GError      **error);

VtrPicture vtr_picture_of_attachment (VtrDocument       *document,
                                      const VtrPlace    *address,
                                      VtrAttachmentKind  kind);
/* Errors: VTR_RESOLVE_ERROR_PATH, when there is no such image or command. */
gboolean vtr_picture_of_query (VtrDocument          *document,
                               const VtrImageQuery  *query,
                               VtrPicture           *out,
                               GError              **error);

/* Equal for equal questions. (transfer full) */
char *vtr_picture_key (const VtrPicture *self);

/* The last command after which an image still holds what it held at the end: before the first
 * destruction after the last submission of its life. */
guint64 vtr_document_find_last_readable (VtrDocument     *document,
                                         const VtrObject *object);

/* "depth", "plane1". NULL: another aspect. */
const char *vtr_aspect_to_string (VkImageAspectFlagBits aspect);

G_END_DECLS
