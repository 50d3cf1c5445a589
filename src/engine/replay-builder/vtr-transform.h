/* Steps that change a command stream on its way to the replay builder. */
#pragma once

#include "engine/replay-builder/vtr-replay-builder.h"
#include "engine/format/vtr-content-record.h"

G_BEGIN_DECLS

typedef struct _VtrHistory VtrHistory;

/* Something to read back now, or to do between commands. Embed it first: the rest is the API's, which builds it
 * (VtrBuildApi.read). */
typedef struct _VtrTransformRead
{
  const VtrApi *api;
} VtrTransformRead;

typedef struct _VtrTransform VtrTransform;

typedef struct _VtrTransformStart VtrTransformStart;

/* The start of a stream that is resumed: commands [0, .index) went through .chain before, and their
 * effects are in the replayer. */
struct _VtrTransformStart
{
  VtrTrace *trace;
  VtrHistory *history;
  guint64 index;
  VtrTransform *chain;        /* as it was left */
  GHashTable *known;          /* (nullable): what an API's transforms keep for it */
  VtrTransformStart *earlier; /* (nullable): one on the way */
};

/* Each function may be NULL: then the item goes on unchanged. Returns: FALSE with @error ends the
 * request. */
typedef struct
{
  const char *name;
  /* @command may be changed in place, kept from going on, and others may be sent on before and
   * after it. Its arena lives until the call returns. */
  gboolean (*command) (VtrTransform *self,
                       VtrCommand *command,
                       GError **error);
  /* Contents: the @nth before command @index. */
  gboolean (*write) (VtrTransform *self,
                     guint64 index,
                     gsize nth,
                     VtrContentRecord *write,
                     GError **error);
  gboolean (*read) (VtrTransform *self,
                    VtrTransformRead *read,
                    GError **error);
  /* The stream ended (or was cut). */
  gboolean (*end) (VtrTransform *self,
                   GError **error);
  void (*free) (VtrTransform *self);
  /* Called if the stream begins at @start instead of at the beginning of the trace: brings the
   * transform into the state that it would have by then. NULL: it cannot, and requests with it
   * run from the beginning. vtr_transform_resume_plain (): it has no state. */
  gboolean (*resume) (VtrTransform *self,
                      VtrTransformStart *start,
                      GError **error);
  /* @command ran before the stream began, which is in the middle of its command buffer or submission;
   * its effects are in the replayer. NULL: not needed. */
  void (*skipped) (VtrTransform *self,
                   VtrCommand *command);
} VtrTransformClass;

/**
 * VtrTransform:
 *
 * Embed it first. A chain is linked by vtr_transform_chain() and owned by its first element; the
 * last one is the builder. Threading: one at a time.
 */
struct _VtrTransform
{
  const VtrTransformClass *klass;
  VtrTransform *next; /* owned */
};

/* Links (transfer full) transforms, NULL-terminated, in the order commands pass through them. */
VtrTransform *vtr_transform_chain (VtrTransform *first,
                                   ...) G_GNUC_NULL_TERMINATED;
/* Frees the whole chain. */
void vtr_transform_free (VtrTransform *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTransform, vtr_transform_free)

/* Give an item to @self. */
gboolean vtr_transform_command (VtrTransform  *self,
                                VtrCommand    *command,
                                GError       **error);
gboolean vtr_transform_write (VtrTransform      *self,
                              guint64            index,
                              gsize              nth,
                              VtrContentRecord  *write,
                              GError           **error);
gboolean vtr_transform_read (VtrTransform      *self,
                             VtrTransformRead  *read,
                             GError           **error);
gboolean vtr_transform_end (VtrTransform  *self,
                            GError       **error);

/* A command that is not in the trace, with @args on the caller's stack or arena. */
gboolean vtr_transform_emit (VtrTransform  *self,
                             VtrCmdId       id,
                             gpointer       args,
                             guint64        index,
                             GError       **error);

/* The .resume of a transform that needs nothing from earlier commands. */
gboolean vtr_transform_resume_plain (VtrTransform       *self,
                                     VtrTransformStart  *start,
                                     GError            **error);

/* Prepares all transforms of the chain to begin at @start. Errors: VTR_REPLAY_ERROR_UNSUPPORTED when one cannot. */
gboolean vtr_transform_resume (VtrTransform       *self,
                               VtrTransformStart  *start,
                               GError            **error);

/* Tells @self and those behind it of a command that is not repeated. */
void vtr_transform_skipped (VtrTransform *self,
                            VtrCommand   *command);

/* The first transform of @klass in @chain; NULL: none. */
VtrTransform *vtr_transform_find (VtrTransform            *chain,
                                  const VtrTransformClass *klass);

/* Values for handles that only the replay has; never those of a capture's (they are odd and have
 * the top bit set). */
guint64 vtr_transform_new_handle (void);
gboolean vtr_transform_is_new_handle (guint64 handle);

/* The end of every chain. @builder is borrowed. */
VtrTransform *vtr_transform_build_new (VtrReplayBuilder *builder);

/* Gives a chain trace commands [begin, end) and the writes before them. @progress every 1024
 * commands. */
gboolean vtr_transform_drive (VtrTransform      *self,
                              VtrTrace          *trace,
                              guint64            begin,
                              guint64            end,
                              VtrTraceProgress   progress,
                              gpointer           progress_data,
                              GCancellable      *cancellable,
                              GError           **error);

/* Gives a chain one command of the trace, without the writes before it; or only those. */
gboolean vtr_transform_feed (VtrTransform  *self,
                             VtrTrace      *trace,
                             guint64        index,
                             GError       **error);
gboolean vtr_transform_drive_writes (VtrTransform  *self,
                                     VtrTrace      *trace,
                                     guint64        index,
                                     GError       **error);

/* Drives a chain over trace commands [0, end), then calls vtr_transform_end(). @progress every
 * 1024 commands. */
gboolean vtr_transform_run (VtrTransform      *self,
                            VtrTrace          *trace,
                            guint64            end,
                            VtrTraceProgress   progress,
                            gpointer           progress_data,
                            GCancellable      *cancellable,
                            GError           **error);

G_END_DECLS
