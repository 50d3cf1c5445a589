/* Everything known about one open trace: what the window, the command line and D-Bus ask. */
#pragma once

#include "engine/answers/vtr-answers.h"
#include "engine/jobs/vtr-scheduler.h"
#include "engine/picture/vtr-image.h"
#include "engine/replay-session/vtr-picture.h"
#include "engine/replay-session/vtr-replay-session.h"
#include "engine/replay/vtr-replay-backend.h"
#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-target.h"
#include "engine/state/vtr-resolve-error.h"

G_BEGIN_DECLS

/**
 * VtrDocument:
 *
 * An open trace with its derived data. The derived data is made on first use, kept, and shared.
 *
 * Threading: main for the _async calls (results come in the caller's main context); the plain calls
 * block and may be made from any thread.
 */
#define VTR_TYPE_DOCUMENT (vtr_document_get_type ())
G_DECLARE_FINAL_TYPE (VtrDocument, vtr_document, VTR, DOCUMENT, GObject)

/* Opens a trace; builds timeline and history. @progress counts thousandths of the whole; it is
   called in the caller's main context, not for every step. */
void vtr_document_open_async (const char          *path,
                              VtrTraceProgress     progress,
                              gpointer             progress_data,
                              GCancellable        *cancellable,
                              GAsyncReadyCallback  callback,
                              gpointer             data);
VtrDocument *vtr_document_open_finish (GAsyncResult  *result,
                                       GError       **error);
VtrDocument *vtr_document_open (const char        *path,
                                VtrTraceProgress   progress,
                                gpointer           progress_data,
                                GCancellable      *cancellable,
                                GError           **error);

/* The data derived from the trace without a replay; may outlive @self. */
VtrAnalysis *vtr_document_get_analysis (VtrDocument *self);
VtrTrace *vtr_document_get_trace (VtrDocument *self);
VtrTimeline *vtr_document_get_timeline (VtrDocument *self);
VtrHistory *vtr_document_get_history (VtrDocument *self);
/* The session that replays the trace. (transfer none) */
VtrReplaySession *vtr_document_get_replay_session (VtrDocument *self);
/* Answers paths as JSON. (transfer none) */
VtrAnswers *vtr_document_get_answers (VtrDocument *self);

/* The API states of the trace (transfer none). Made on first use; its pass over the trace then
   continues in the background. Any thread. */
VtrStateStore *vtr_document_get_state_store (VtrDocument *self);

/* The answer to a path, as vtr_answers_get (). Images are answered by vtr_document_get_image (). */
JsonNode *vtr_document_get (VtrDocument   *self,
                            const char    *path,
                            GCancellable  *cancellable,
                            GError       **error);
void vtr_document_get_async (VtrDocument         *self,
                             const char          *path,
                             GCancellable        *cancellable,
                             GAsyncReadyCallback  callback,
                             gpointer             data);
JsonNode *vtr_document_get_finish (VtrDocument   *self,
                                   GAsyncResult  *result,
                                   GError       **error);

/* The targets at command @index (VtrTarget), as vtr_targets_list (). */
GArray *vtr_document_list_attachments (VtrDocument  *self,
                                       guint64       index,
                                       GError      **error);

/* The framebuffer after command @index, by replay. Results are kept, and equal requests share one
   replay, which ends when all callers have cancelled. @priority: VtrPriority; thumbnails and
   prefetched images stop for more urgent requests and continue later. */
void vtr_document_get_framebuffer_async (VtrDocument         *self,
                                         guint64              index,
                                         VtrAttachmentKind    attachment,
                                         int                  priority,
                                         GCancellable        *cancellable,
                                         GAsyncReadyCallback  callback,
                                         gpointer             data);
VtrImage *vtr_document_get_framebuffer_finish (VtrDocument   *self,
                                               GAsyncResult  *result,
                                               GError       **error);
VtrImage *vtr_document_get_framebuffer (VtrDocument        *self,
                                        guint64             index,
                                        VtrAttachmentKind   attachment,
                                        GCancellable       *cancellable,
                                        GError            **error);

/* Adds a SPIR-V module. Returns: (transfer full): the name that paths may use for it instead of the
 * name of a file. */
char *vtr_document_add_shader (VtrDocument *self,
                               GBytes      *code);

/* Reads the options after the question mark of a picture's path ("disable=12,15&shader=41:…");
   *@out: NULL when they change nothing. Errors: VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_document_parse_edit (VtrDocument           *self,
                                  const char            *options,
                                  const VtrPictureEdit **out,
                                  GError               **error);

/* Whether @code can replace the shader @object, by the same check as before a replay with it.
 * @stage: of a pipeline; VTR_SHADER_MODULE for a module. Blocks; runs the shader tool. */
gboolean vtr_document_check_shader (VtrDocument   *self,
                                    guint32        object,
                                    guint32        stage,
                                    GBytes        *code,
                                    GCancellable  *cancellable,
                                    GError       **error);

/* Whether the trace can be replayed without command @index. Errors: VTR_RESOLVE_ERROR_PATH with the
   reason. */
gboolean vtr_document_can_disable (VtrDocument  *self,
                                   guint64       index,
                                   GError      **error);

/* For tests: whether replays fill memory that is unknown from the trace with a pattern. Call it
   before the first replay. */
void vtr_document_set_poison (VtrDocument *self,
                              gboolean     poison);

/* The contents of an image after any command, by replay; kept, shared and cancelled like the
   framebuffer. Errors: VTR_RESOLVE_ERROR_NOTHING with the reason (not alive then, never written, no
   such mip level, …), those of a replay. */
void vtr_document_get_texture_async (VtrDocument         *self,
                                     const VtrImageQuery *query,
                                     GCancellable        *cancellable,
                                     GAsyncReadyCallback  callback,
                                     gpointer             data);
VtrImage *vtr_document_get_texture_finish (VtrDocument   *self,
                                           GAsyncResult  *result,
                                           GError       **error);

/* An image by its path, by replay: "commands/12@3/framebuffer/depth" (the depth after command
 * 12 in the fourth submission of its command buffer), "commands/12" (color0), "frames/3" (the presented image),
 * "commands/12/images/41?mip=1&layer=0", "objects/41/texture?after=12". What may follow the question mark:
 * layer, slice, sample (a number or "resolve"), aspect (color, depth, stencil, plane0, …), mip; overlay, disable
 * and shader (vtr-picture-edit.h). Errors: also VTR_RESOLVE_ERROR_PATH. */
VtrImage *vtr_document_get_image (VtrDocument   *self,
                                  const char    *path,
                                  GCancellable  *cancellable,
                                  GError       **error);
void vtr_document_get_image_async (VtrDocument         *self,
                                   const char          *path,
                                   int                  priority,
                                   GCancellable        *cancellable,
                                   GAsyncReadyCallback  callback,
                                   gpointer             data);
VtrImage *vtr_document_get_image_finish (VtrDocument   *self,
                                         GAsyncResult  *result,
                                         GError       **error);

/* Replays, with VTR_PRIORITY_BACKGROUND, the image at @path for the draws before and after its
   command in the same command buffer, because the user is likely to look at these next. */
void vtr_document_fetch_neighbours (VtrDocument  *self,
                                    const char   *path,
                                    GCancellable *cancellable);

/* Sets the device to replay on: its name, part of its name, or its number in the list; NULL: the
   captured one, else the best. Call it before the first replay. */
void vtr_document_set_replay_device (VtrDocument *self,
                                     const char  *device);

/* Sets how device addresses in the program's data are replayed; AUTO: exact, or guessed if that is
   impossible. Call it before the first replay. */
void vtr_document_set_replay_addresses (VtrDocument        *self,
                                        VtrReplayAddresses  addresses);
/* Whether device addresses are guessed: then the results of replays are not guaranteed. Any
 * thread. */
gboolean vtr_document_guesses_addresses (VtrDocument *self);

/* Starts the replayer, so that the first picture does not wait for it. Call it after opening, and
   after vtr_document_set_replay_device(). Errors are reported by the first request that needs a
   replay. */
void vtr_document_prepare_replay (VtrDocument *self);

/* State of the replayer for the status bar: "Replay on llvmpipe", "Replayer restarted 2 times", … Signal
   "replay-changed". (transfer full) */
char *vtr_document_describe_replay (VtrDocument *self);

VtrReplayActivity vtr_document_get_replay_activity (VtrDocument *self);
/* The command at which the last failed replay failed; VTR_COMMAND_NO_INDEX: none failed at a
 * command.
   */
guint64 vtr_document_get_failed_command (VtrDocument *self);

/**
 * vtr_document_make_thumbnail:
 *
 * Replays the trace up to the end of its last frame. Blocks.
 *
 * Returns: (transfer full): a PNG as of vtr_thumbnail_encode(), or NULL with @error. Threading: any.
 */
GBytes *vtr_document_make_thumbnail (VtrDocument   *document,
                                     GCancellable  *cancellable,
                                     GError       **error);

G_END_DECLS
