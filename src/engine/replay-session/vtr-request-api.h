/* B5 to B12: how an API answers requests: chains, snapshots, overlays, measurements (docs/design/api.md, 3.6).
 *
 * Each member may be NULL unless its comment says otherwise. Threading: the session's worker, unless a comment says
 * otherwise. */
#pragma once

#include "engine/api/vtr-build-api.h"
#include "engine/picture/vtr-image.h"
#include "engine/replay-session/vtr-picture.h"
#include "engine/replay-session/vtr-replay-request.h"
#include "engine/replay-session/vtr-timings-measure.h"
#include "engine/replay-session/vtr-uncertain-writes.h"
#include "engine/state/vtr-state-message.h"
#include "engine/state/vtr-target.h"

G_BEGIN_DECLS

/* What a question is about. */
typedef enum
{
  VTR_ASK_TARGETS, /* the contents of image parts after .place */
  VTR_ASK_SPACE,   /* the contents of an array of bytes after .place */
  VTR_ASK_FRAMES,  /* all commands, or those up to .place; with .images the image of each frame end; .spaces at the end */
} VtrReplayWhat;

/* Bytes [.offset, .offset + .size) of an object that is an array of bytes. */
typedef struct
{
  guint32 object; /* id; 0: by .name */
  guint64 name;   /* the last such object of this name */
  guint64 offset, size;
  guint64 post; /* id of the post */
} VtrReplaySpace;

/* A question to an API. Has to outlive the chain that answers it. */
typedef struct _VtrReplayQuestion
{
  VtrReplayWhat what;
  VtrReplaySession *session;
  VtrReplayRequest *request;
  VtrPlace place; /* .index: VTR_COMMAND_NO_INDEX for all commands */
  gboolean poison;
  const VtrTarget *const *targets; /* .n_targets; posted with the ids 0, 1, …; all but the first may have no contents */
  guint n_targets;
  const VtrReplaySpace *spaces;
  guint n_spaces;
  gboolean images;
  /* With .images: before the part @what of an image is posted as @post, after command @index. */
  void (*found) (guint64 post,
                 const VtrTarget *what,
                 guint64 index,
                 gpointer data);
  gpointer data;
} VtrReplayQuestion;

struct _VtrRequestApi
{
  /* The API's findings about a trace, for its replays; made when they are first needed. prepare () finds out everything that every
   * replay needs; it may block. */
  gpointer (*data_new) (VtrReplaySession *session);
  void (*data_free) (gpointer data);
  gboolean (*prepare) (VtrReplaySession *session,
                       GCancellable *cancellable,
                       GError **error);

  /* B5, B6. Required. The chain of transforms that answers @question. *@end: the number of commands that pass through it.
   * complete () appends the transforms that every replay with commands of the API needs, including the request's edit. */
  VtrTransform *(*chain) (VtrReplayQuestion  *question,
                          guint64            *end,
                          GCancellable       *cancellable,
                          GError            **error);
  VtrTransform *(*complete) (const VtrReplayRequest *request,
                             VtrTransform           *chain,
                             VtrReplayBuilder       *builder);

  /* (nullable): FALSE with the reason in @error if @question, a SPACE, has no answer. */
  gboolean (*check_space) (const VtrReplayQuestion *question,
                           GError **error);

  /* B8. How often each pixel of the attachment @picture was drawn to, as one float for each pixel. @question: the key of the
   * request. NULL: draws cannot be counted. */
  VtrImage *(*count) (VtrReplaySession  *session,
                      const VtrPicture  *picture,
                      const char        *question,
                      GCancellable      *cancellable,
                      GError           **error);

  /* B9, B10. Like vtr_replay_request_answer (), from snapshots in the replayer. NULL: every request runs from the beginning of
   * the trace. The API's data about snapshots is in VtrSessionReplayer.kept; drop () drops only the snapshots. */
  gboolean (*answer) (VtrReplayRequest *request,
                      const VtrPlace *place,
                      VtrReplayMakeChain make,
                      guint32 flags,
                      VtrReplayOutcome *outcome,
                      GCancellable *cancellable,
                      GError **error);
  void (*drop) (gpointer kept);
  void (*kept_free) (gpointer kept);

  /* (nullable): recorded writes to mapped memory that may have been made by the device. (transfer none): valid as long as the
   * session. */
  const VtrUncertainWrites *(*get_uncertain_writes) (VtrReplaySession  *session,
                                                     GCancellable      *cancellable,
                                                     GError           **error);

  /* (nullable): what of the trace a replay does not repeat as captured: appends VtrStateMessage. */
  gboolean (*find_unrepeatable) (VtrReplaySession *session,
                                 GArray *messages,
                                 GCancellable *cancellable,
                                 GError **error);

  /* B12. Like vtr_replay_session_measure (), on its thread. */
  VtrTimings *(*measure) (VtrReplaySession       *session,
                          const VtrTimingsQuery  *query,
                          VtrTimingsProgress      progress,
                          gpointer                data,
                          GCancellable           *cancellable,
                          GError                **error);
};

/* The table of the API of @id. Returns: a table of NULLs if no API of this build has the id. */
const VtrRequestApi *vtr_request_api_get (guint32 id);
/* The APIs of the session's trace that answer requests, one after the other; *@nth is 0 before the first. Returns: NULL:
 * there are no more. */
const VtrRequestApi *vtr_request_api_next (VtrReplaySession *session,
                                           guint            *nth);
/* The table of the API of a picture: that of its object, or of its command. */
const VtrRequestApi *vtr_request_api_of_picture (const VtrReplayBasis *basis,
                                                 const VtrPicture     *picture);
/* The chain that answers @question, from the API of its targets, objects or commands. */
VtrTransform *vtr_replay_ask (VtrReplayQuestion  *question,
                              guint64            *end,
                              GCancellable       *cancellable,
                              GError            **error);

/* Makes an image from the @texels that were read from @target, with the top row first. (transfer full). Errors:
 * VTR_IMAGE_ERROR. */
VtrImage *vtr_target_make_image (const VtrTarget  *target,
                                 GBytes           *texels,
                                 GError          **error);
/* The number of bytes that are posted for @target; 0: none. */
gsize vtr_target_get_size (const VtrTarget *target);

G_END_DECLS
