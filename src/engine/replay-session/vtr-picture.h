/* What a picture is asked to show. */
#pragma once

#include "engine/replay-session/vtr-picture-edit.h"
#include "engine/state/vtr-attachment-kind.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

/* Contents of an attachment of the pass at a command, or of any image after it. */
typedef struct
{
  VtrPlace address; /* .run: VTR_NO_RUN for the first one */
  gboolean is_attachment;
  VtrAttachmentKind kind; /* attachments */
  guint32 object;         /* others: id of the VkImage */
  guint32 mip;            /* of the image; attachments: not used, the view has one */
  guint32 layer, slice;   /* of the image; attachments: .layer from the first of the view */
  guint32 sample;
  guint32 aspects;            /* the API's bits; 0: what suits the format */
  const VtrPictureEdit *edit; /* (nullable): as the trace has it */
} VtrPicture;

G_END_DECLS
