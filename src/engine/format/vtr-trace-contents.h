/* Contents of images of any API that were there before the first call: vitrine.TexelContents (FORMAT.md §5). */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* Texels of a part of an image, rows without gaps, in the order in which the API counts them. */
typedef struct
{
  guint32 namespace; /* of the image's name: its number */
  guint32 kind;      /* VtrHandleId; VTR_HANDLE_NONE: unknown to this build */
  guint64 name;
  const char *format; /* "RGBA8_UNORM"; in the arena */
  guint32 level, layer;
  guint32 width, height, depth; /* 1 at least */
  guint32 word;                 /* what only the API reads */
  const guint8 *data;           /* in the arena */
  gsize size;
} VtrTexelContents;

/* Lists those that stand before command @index, in order. Returns: how many; G_MAXSIZE with @error. */
gsize vtr_trace_get_texel_contents (VtrTrace                *self,
                                    guint64                  index,
                                    VtrArena                *arena,
                                    const VtrTexelContents **out,
                                    GError                 **error);

G_END_DECLS
