/* How replays of the tiny API keep track of contexts, and build calls, reads and writes. */
#pragma once

#include "engine/replay-builder/vtr-transform.h"
#include "engine/replay-session/vtr-request-api.h"

#include "vtr-tiny-engine.h"

G_BEGIN_DECLS

extern const VtrApi vtr_api_tiny;

/* Reads a picture, or the window of a context, when it comes by. */
typedef struct
{
  VtrTransformRead parent;
  VtrIdentity context; /* in which it is read */
  VtrIdentity picture; /* .name: 0 for the window */
  gboolean is_bound;   /* it is what the context has bound, and may have no name */
  guint32 width, height;
  guint64 post;
} VtrTinyRead;

/* What is kept of a place in the trace: the size and the names of a picture. */
typedef struct
{
  VtrIdentity context;
  VtrIdentity picture;
  gboolean is_bound;
  guint32 width, height;
} VtrTinyPicture;

/* The identity of the context in which @command was called. Returns: FALSE outside of all contexts. */
gboolean vtr_tiny_get_stream_context (const VtrCommand *command,
                                      VtrIdentity      *out);

/**
 * VtrTinyWalk:
 *
 * Follows the commands of a trace: which pictures contexts have bound, and how large pictures are.
 */
typedef struct _VtrTinyWalk VtrTinyWalk;

VtrTinyWalk *vtr_tiny_walk_new (void);
void vtr_tiny_walk_free (VtrTinyWalk *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTinyWalk, vtr_tiny_walk_free)
void vtr_tiny_walk_add (VtrTinyWalk      *self,
                        const VtrCommand *command);
/* What the context of @command has bound, or its window. Returns: FALSE if it has none. */
gboolean vtr_tiny_walk_get_bound (VtrTinyWalk      *self,
                                  const VtrCommand *command,
                                  gboolean          window,
                                  VtrTinyPicture   *out);
/* The window of the context with this namespace. Returns: FALSE if nothing was called in it. */
gboolean vtr_tiny_walk_get_window (VtrTinyWalk    *self,
                                   guint32         namespace,
                                   VtrTinyPicture *out);
/* The picture of this name. Returns: FALSE if it has no texels. */
gboolean vtr_tiny_walk_get_named (VtrTinyWalk    *self,
                                  VtrIdentity     picture,
                                  VtrTinyPicture *out);

/* Of VtrBuildApi. */
VtrReplayDevice *vtr_tiny_device_read (gconstpointer bytes,
                                       gsize         size);
void vtr_tiny_device_describe (const VtrReplayDevice *device,
                               JsonBuilder           *builder);

extern const VtrRequestApi vtr_tiny_requests;
extern const VtrBuildApi vtr_tiny_build;

G_END_DECLS
