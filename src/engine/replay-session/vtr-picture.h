/* A request for a picture. */
#pragma once

#include "engine/replay-session/vtr-picture-edit.h"
#include "engine/state/vtr-target.h"

G_BEGIN_DECLS

/* Contents of an attachment of the pass at a command, or of any image after it. */
typedef struct
{
  VtrPlace address; /* .run: VTR_NO_RUN for the first one */
  gboolean is_attachment;
  VtrAttachmentKind kind; /* attachments */
  guint32 object;         /* others: id of the image */
  guint32 mip;            /* of the image; attachments: not used, the view has one */
  guint32 layer, slice;   /* of the image; attachments: .layer from the first of the view */
  guint32 sample;
  VtrPixelAspect aspect;      /* NO_ASPECT: what suits the format */
  const VtrPictureEdit *edit; /* (nullable): as the trace has it */
} VtrPicture;

/* Without the edit. */
static inline VtrTargetQuery
vtr_picture_get_query (const VtrPicture *self)
{
  return (VtrTargetQuery){ .place = self->address,
                           .is_attachment = self->is_attachment,
                           .kind = self->kind,
                           .object = self->object,
                           .part = { .aspect = self->aspect,
                                     .level = self->mip,
                                     .layer = self->layer,
                                     .slice = self->slice,
                                     .sample = self->sample } };
}

/* Which contents of an image. Start from VTR_IMAGE_QUERY_INIT. */
typedef struct
{
  guint32 object;            /* id of an image */
  guint32 mip, layer, slice; /* .slice: of a 3-D image; .layer: of any other (cubes: 6 each) */
  guint32 sample;            /* VTR_SAMPLE_RESOLVE; depth and stencil then show their first */
  guint32 aspects;           /* 1 << VtrPixelAspect; 0: colour, else depth, else stencil, else the first plane */
  /* after this command; VTR_COMMAND_NO_INDEX: at the end of its life */
  guint64 index;
  /* vtr_timeline_get_run() of the command's recording; VTR_NO_RUN: the first */
  guint32 run;
  const VtrPictureEdit *edit; /* (nullable): as the trace has it */
  int priority;               /* VtrPriority, of asynchronous calls */
} VtrImageQuery;

#define VTR_IMAGE_QUERY_INIT \
  ((VtrImageQuery){ \
    .sample = VTR_SAMPLE_RESOLVE, .index = VTR_COMMAND_NO_INDEX, .run = VTR_NO_RUN })

G_END_DECLS
