/* The images that work writes to. */
#pragma once

#include "engine/state/vtr-attachment-kind.h"
#include "engine/state/vtr-place.h"
#include "pixels/vtr-pixel-format.h"

G_BEGIN_DECLS

/* Which texels of an image. */
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
  VtrAttachmentKind kind;       /* what the image is to the work */
  guint32 object;               /* the image; 0: the trace does not say which */
  VtrImagePart part;            /* in lists: .layer is the first one, or the first slice of a 3-D image */
  guint32 n_layers;             /* of them */
  const VtrPixelFormat *format; /* by which the texels are read; NULL: not known */
  guint32 width, height, samples;
  gboolean bottom_up; /* its first row is the bottom one */
  VtrPlace read_at;   /* after which command to read: the one asked about, or one before it that left the same contents */
  guint32 word;       /* that only the API reads: of Vulkan, the image layout */
} VtrTarget;

/* What a picture is to show. */
typedef struct _VtrTargetQuery
{
  VtrPlace place;
  gboolean is_attachment; /* a target of the work at .place; else an image */
  VtrAttachmentKind kind; /* attachments */
  guint32 object;         /* images */
  VtrImagePart part;      /* attachments: .level and .slice are not used, .layer counts from the first */
} VtrTargetQuery;

G_END_DECLS
