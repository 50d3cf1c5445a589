/* Contents of objects that no command of a trace writes.
 *
 * They stand before the command from which on the device sees them: what the program wrote to mapped memory, and what
 * objects held when the recording began. Threading: as VtrTrace. */
#pragma once

#include <glib.h>

#include "api/vtr-api-model.h"
#include "base/vtr-arena.h"
#include "pixels/vtr-pixel-format.h"

G_BEGIN_DECLS

typedef struct _VtrTrace VtrTrace;

/* What contents are. The last two are initial state only. */
typedef enum
{
  VTR_CONTENT_BYTES,  /* bytes of a byte space */
  VTR_CONTENT_TEXELS, /* texels of an image part */
  VTR_CONTENT_OPAQUE, /* a form of an object that only the driver reads */
} VtrContentClass;

/* What texels are of, in messages that any API may use: vitrine.TexelContents (FORMAT.md §5). Rows have no gaps and stand
 * in the order in which the API counts them. */
typedef struct
{
  guint32 namespace; /* of the image's name: its number */
  guint64 name;
  const char *format; /* "RGBA8_UNORM" */
  guint32 level, layer;
  guint32 width, height, depth; /* 1 at least */
  guint32 word;                 /* what only the API reads */
} VtrTexelContents;

/* Contents of one object. The numbers that are an API's mean what they mean in its commands. */
typedef struct _VtrContentRecord
{
  guint64 owner;      /* object that .object is looked up in; 0: none */
  guint64 object;     /* its name, as decoded commands have it */
  guint64 offset;     /* of .data, in the space or the whole form */
  guint64 address;    /* where the program had the bytes mapped; 0: they are not of mapped memory */
  const guint8 *data; /* in the arena */
  gsize size;
  VtrContentClass what;
  VtrHandleId kind;               /* of .object; its API builds the write. VTR_HANDLE_NONE: unknown to this build */
  const VtrTexelContents *texels; /* (nullable): then only .what, .kind, .data and .size have a meaning beside it */

  /* Of texels. */
  VtrPixelAspect aspect;
  guint32 level;
  guint32 layer;
  guint32 sample; /* of a multisampled image */
  guint32 word;   /* of the image part before and after, only the API reads it */
  guint32 format; /* of the image, the API's number */
  guint32 width;  /* of what is here, texels of the image */
  guint32 height;
  guint32 depth;
  guint64 row_pitch;   /* bytes from row to row; 0: no gaps */
  guint64 depth_pitch; /* bytes from slice to slice; 0: no gaps */
  guint32 x, y, z;     /* first column, row and slice */

  guint64 whole; /* of an opaque form: bytes of all its parts */
} VtrContentRecord;

/* Visits the contents before command @index, in order; @nth counts them from 0. @load: with
 * .data, which is valid until the visitor returns. Returns: FALSE with @error, the visitor's or its
 * own. */
typedef gboolean (*VtrTraceContentVisitor) (const VtrContentRecord *content,
                                            gsize nth,
                                            gpointer data,
                                            GError **error);
gboolean vtr_trace_each_content (VtrTrace                *self,
                                 guint64                  index,
                                 gboolean                 load,
                                 VtrTraceContentVisitor   visit,
                                 gpointer                 data,
                                 GError                 **error);

/* The end of a search, so that the next one, for later contents, can continue there.
 * Zero-initialised. */
typedef struct
{
  guint64 index;
  guint mark;
  gsize nth;
} VtrContentCursor;

/* Finds the @nth of them, with .data in @arena. Returns: FALSE (without @error: there is none). */
gboolean vtr_trace_find_content (VtrTrace          *self,
                                 guint64            index,
                                 gsize              nth,
                                 VtrContentCursor  *cursor,
                                 VtrArena          *arena,
                                 VtrContentRecord  *out,
                                 GError           **error);

/* Lists them all, contents in @arena: not for what may be large. Returns: how many; G_MAXSIZE with
 * @error. */
gsize vtr_trace_get_contents (VtrTrace                *self,
                              guint64                  index,
                              VtrArena                *arena,
                              const VtrContentRecord **out,
                              GError                 **error);

G_END_DECLS
