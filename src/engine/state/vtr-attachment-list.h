/* The attachments that a command can show. */
#pragma once

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-attachment-kind.h"
#include "engine/state/vtr-place.h"
#include "pixels/vtr-pixel-format.h"

G_BEGIN_DECLS

typedef struct
{
  VtrAttachmentKind kind;
  const VtrPixelFormat *format; /* NULL: unknown */
  guint32 width, height;
  guint32 image; /* object id */
  guint32 samples;
  guint32 mip;      /* of the image */
  guint32 layer;    /* first one of the view; slice of a 3-D image */
  guint32 n_layers; /* of the view */
  guint32 aspects;  /* 1 << VtrPixelAspect */
} VtrAttachmentInfo;

/**
 * vtr_attachment_list:
 * @place: .run: of the command list that holds the command; VTR_NO_RUN: its first
 * @all: with the attachments that the pass reads as input and resolves into
 *
 * The attachments of the command's pass; for a command outside a pass those of the last pass before it in the same
 * command buffer or frame; for a submission or present the image presented or last drawn. Does not replay.
 *
 * Threading: any. Returns: a GArray of VtrAttachmentInfo (transfer full); empty with a VTR_RESOLVE_ERROR_NOTHING when
 * there is nothing. NULL: other errors.
 */
GArray *vtr_attachment_list (VtrAnalysis     *analysis,
                             const VtrPlace  *place,
                             gboolean         all,
                             GError         **error);

G_END_DECLS
