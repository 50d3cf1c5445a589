/* Turns the state in a GAPID capture from the middle of a run into calls that restore it. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "engine/format/vtr-content-record.h"
#include "engine/gapid/vtr-gapid-value.h"
#include "engine/vulkan/read/vtr-trace-device.h"

G_BEGIN_DECLS

/* One memory.Observation of the state: bytes of a pool. */
typedef struct
{
  guint32 pool;
  guint64 base;
  guint64 size;
  guint64 resource;
} VtrGapidPoolPart;

/* A call that was not made by the program: a message as Vitrine's own traces have them. */
typedef struct
{
  VtrCmdId id;
  gsize offset; /* in .messages */
  gsize size;
} VtrGapidInitialCommand;

/* A piece of content that is there before the first call. */
typedef struct
{
  VtrContentRecord write; /* without .data */
  guint64 resource;
  guint64 from; /* first byte of the resource */
} VtrGapidContent;

/**
 * VtrGapidInitial:
 *
 * Threading: immutable once built.
 */
typedef struct
{
  GArray *commands; /* VtrGapidInitialCommand */
  VtrBuffer messages;
  GArray *contents;   /* VtrGapidContent, in the order they are to be written */
  GPtrArray *devices; /* VtrTraceDevice; owned until stolen */
  GPtrArray *strings; /* what those point to */
  char *warning;      /* a sentence about what is not restored; NULL: nothing */
} VtrGapidInitial;

typedef gboolean (*VtrGapidReadResource) (gpointer data,
                                          guint64 number,
                                          VtrArena *arena,
                                          const guint8 **bytes,
                                          gsize *size);

/**
 * vtr_gapid_initial_build:
 * @state: a vulkan.State
 * @parts: (array length=n_parts): the observations beside it
 *
 * Anything may be in the message: what cannot be made again is left out and named in .warning, with
 * all that depends on it.
 */
VtrGapidInitial *vtr_gapid_initial_build (const VtrTraceTypes    *types,
                                          const VtrTraceType     *type,
                                          const guint8           *message,
                                          gsize                   size,
                                          const VtrGapidPoolPart *parts,
                                          gsize                   n_parts,
                                          VtrGapidReadResource    read,
                                          gpointer                data);
void vtr_gapid_initial_free (VtrGapidInitial *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrGapidInitial, vtr_gapid_initial_free)

G_END_DECLS
