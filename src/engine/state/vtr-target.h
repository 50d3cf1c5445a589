/* The images that work writes to. */
#pragma once

#include "engine/state/vtr-attachment-kind.h"
#include "engine/state/vtr-place.h"
#include "pixels/vtr-pixel-format.h"

G_BEGIN_DECLS

/* A part of an image. */
typedef struct _VtrImagePart
{
  VtrPixelAspect aspect; /* NO_ASPECT: colour, else depth, else stencil, else the first plane */
  guint32 level;
  guint32 layer;  /* a face of a cube is a layer */
  guint32 slice;  /* of a 3-D image */
  guint32 sample; /* or VTR_SAMPLE_RESOLVE */
} VtrImagePart;

/* One image part that work writes to, or that a picture is read from. */
typedef struct _VtrTarget
{
  VtrAttachmentKind kind;       /* the role of the image in the work */
  guint32 object;               /* the image; 0: unknown from the trace */
  VtrImagePart part;            /* in lists: .layer is the first one, or the first slice of a 3-D image */
  guint32 n_layers;             /* of them */
  const VtrPixelFormat *format; /* of the texels; NULL: not known */
  guint32 width, height, samples;
  gboolean bottom_up; /* its first row is the bottom one */
  VtrPlace read_at;   /* the command after which to read: the requested one, or an earlier one with
                         the same contents */
  guint32 word;       /* of the API: for Vulkan, the image layout */
} VtrTarget;

/* A request for a picture of a target or an image. */
typedef struct _VtrTargetQuery
{
  VtrPlace place;
  gboolean is_attachment; /* a target of the work at .place; else an image */
  VtrAttachmentKind kind; /* attachments */
  guint32 object;         /* images */
  VtrImagePart part;      /* attachments: .level and .slice are not used, .layer counts from the first */
} VtrTargetQuery;

G_END_DECLS
