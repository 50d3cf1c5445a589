/* Questions for pictures: as paths, as keys. Threading: any. */
#pragma once

#include "engine/replay-session/vtr-picture-edit.h"

G_BEGIN_DECLS

/* Contents of an attachment of the pass at a command, or of any image after it. */
typedef struct
{
  VtrCommandAddress address; /* .run: VTR_NO_RECORDING for the first one */
  gboolean is_attachment;
  VtrAttachmentKind kind; /* attachments */
  guint32 object;         /* others: id of the VkImage */
  guint32 mip;            /* of the image; attachments: not used, the view has one */
  guint32 layer, slice;   /* of the image; attachments: .layer from the first of the view */
  guint32 sample;
  VkImageAspectFlagBits aspect; /* 0: what suits the format */
  const VtrPictureEdit *edit;   /* (nullable): as the trace has it */
} VtrPicture;

/* Reads a path as of vtr_document_get_image(). */
gboolean vtr_picture_parse (VtrDocument  *document,
                            const char   *path,
                            VtrPicture   *out,
                            GError      **error);

VtrPicture vtr_picture_of_attachment (VtrDocument             *document,
                                      const VtrCommandAddress *address,
                                      VtrAttachmentKind        kind);
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
