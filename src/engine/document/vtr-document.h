/* Everything known about one open trace: what the window, the command line and D-Bus ask. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/jobs/vtr-scheduler.h"
#include "engine/picture/vtr-image.h"
#include "engine/replay-session/vtr-replay-session.h"
#include "engine/replay/vtr-replay-backend.h"
#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-attachment-kind.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/vulkan/state/vtr-api-state.h"
#include "engine/vulkan/transforms/vtr-uncertain-writes.h"

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

/* Opens; builds timeline and history. @progress counts thousandths of the whole; it is called in
   the caller's main context, coalesced. */
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

/* What was derived of the trace without a replay; may outlive @self. */
VtrAnalysis *vtr_document_get_analysis (VtrDocument *self);
VtrTrace *vtr_document_get_trace (VtrDocument *self);
VtrTimeline *vtr_document_get_timeline (VtrDocument *self);
VtrHistory *vtr_document_get_history (VtrDocument *self);
/* What replays the trace. (transfer none) */
VtrReplaySession *vtr_document_get_replay_session (VtrDocument *self);

/* What is bound after command @index, as vtr_bound_state_at(); the last recording asked for is
   kept, so walking through one is cheap. */
gboolean vtr_document_get_bound_state (VtrDocument    *self,
                                       guint64         index,
                                       VtrBoundState  *out,
                                       GError        **error);

/* The API states of the trace (transfer none). Made on first use; its pass over the trace then goes
   on in the background. Any thread. */
VtrStateStore *vtr_document_get_state_store (VtrDocument *self);

/* The answer to any path as JSON: "commands/12",
   "commands/12/parameters/pCreateInfo/extent/width", "commands/12/state", "frames/3", "report", …
   Images are answered by vtr_document_get_image(). */
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

/* One attachment that command @index can show, for the attachment strip. */
typedef struct
{
  VtrAttachmentKind kind;
  VkFormat format;
  guint32 width, height;
  guint32 image; /* object id */
  guint32 samples;
  guint32 mip;      /* of the image */
  guint32 layer;    /* first one of the view; slice of a 3-D image */
  guint32 n_layers; /* of the view */
  VkImageAspectFlagBits aspect;
} VtrAttachmentInfo;

/* The attachments at @index: those of its pass; for a command outside a pass the last pass' before
   it in the same command buffer or frame; for a submission or present the image presented or last
   drawn. Cheap (no replay). Returns: a GArray of VtrAttachmentInfo (transfer full); empty with a
   VTR_RESOLVE_ERROR_NOTHING when there is nothing. */
GArray *vtr_document_list_attachments (VtrDocument  *self,
                                       guint64       index,
                                       GError      **error);

/* The same for one run of the command's recording (VTR_NO_RUN: its first), with the
   attachments that the pass reads as input and resolves into. */
GArray *vtr_document_list_all_attachments (VtrDocument  *self,
                                           guint64       index,
                                           guint32       run,
                                           GError      **error);

/* The framebuffer after command @index, by replay. Memoised; same requests are joined; what is
   cancelled by all who asked for it ends, also while it runs. @priority: VtrPriority; thumbnails and
   what is fetched ahead stop for more urgent requests and are taken up again. */
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

/* Which contents of an image. Start from VTR_IMAGE_QUERY_INIT. */
typedef struct
{
  guint32 object;               /* id of a VkImage */
  guint32 mip, layer, slice;    /* .slice: of a 3-D image; .layer: of any other (cubes: 6 each) */
  guint32 sample;               /* VTR_SAMPLE_RESOLVE; depth and stencil then show their first */
  VkImageAspectFlagBits aspect; /* 0: colour, else depth, else stencil, else the first plane */
  /* after this command; VTR_COMMAND_NO_INDEX: at the end of its life */
  guint64 index;
  /* vtr_timeline_get_run() of the command's recording; VTR_NO_RUN: the first */
  guint32 run;
  const VtrPictureEdit *edit; /* (nullable): as the trace has it */
  int priority;               /* VtrPriority, of asynchronous calls */
} VtrImageQuery;

#define VTR_IMAGE_QUERY_INIT \
  ((VtrImageQuery){ \
    .sample = VTR_SAMPLE_RESOLVE, .index = VTR_COMMAND_NO_INDEX, .run = VTR_NO_RUN })

/* A SPIR-V module by the name that paths may use for it instead of a file's. (transfer full) */
char *vtr_document_add_shader (VtrDocument *self,
                               GBytes      *code);

/* @options as they may follow the question mark of a picture's path ("disable=12,15&shader=41:…");
   *@out: NULL when they change nothing. Errors: VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_document_parse_edit (VtrDocument           *self,
                                  const char            *options,
                                  const VtrPictureEdit **out,
                                  GError               **error);

/* Whether @code can stand for the shader @object (@stage: of a pipeline; VTR_SHADER_MODULE), as it
   is checked before a picture is replayed with it. Blocks; runs the shader tool. */
gboolean vtr_document_check_shader (VtrDocument   *self,
                                    guint32        object,
                                    guint32        stage,
                                    GBytes        *code,
                                    GCancellable  *cancellable,
                                    GError       **error);

/* Whether pictures can be had without command @index. Errors: VTR_RESOLVE_ERROR_PATH with the
   reason. */
gboolean vtr_document_can_disable (VtrDocument  *self,
                                   guint64       index,
                                   GError      **error);

/* Whether pictures are replayed with memory that the trace does not tell of filled with a pattern,
   for tests. Before the first picture. */
void vtr_document_set_poison (VtrDocument *self,
                              gboolean     poison);

/* What an image holds after any command, by replay; memoised, joined and cancelled as the
   framebuffer is. Errors: VTR_RESOLVE_ERROR_NOTHING with the reason (not alive then, nothing was
   ever put into it, no such mip level, …), those of a replay. */
void vtr_document_get_texture_async (VtrDocument         *self,
                                     const VtrImageQuery *query,
                                     GCancellable        *cancellable,
                                     GAsyncReadyCallback  callback,
                                     gpointer             data);
VtrImage *vtr_document_get_texture_finish (VtrDocument   *self,
                                           GAsyncResult  *result,
                                           GError       **error);

/* The same by path: "commands/12@3/framebuffer/depth" (the depth after command 12 in the fourth
   submission of its command buffer), "commands/12" (color0), "frames/3" (the presented image),
   "commands/12/images/41?mip=1&layer=0", "objects/41/texture?after=12". What may follow the
   question mark: layer, slice, sample (a number or "resolve"), aspect (color, depth, stencil,
   plane0, …), mip; overlay, disable and shader (vtr-picture-edit.h). Errors: also
   VTR_RESOLVE_ERROR_PATH. */
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

/* Replays, with VTR_PRIORITY_BACKGROUND, what the image at @path is at the draws before and after its
   command in the same command buffer: whoever looks at one is likely to ask for the next. */
void vtr_document_fetch_neighbours (VtrDocument  *self,
                                    const char   *path,
                                    GCancellable *cancellable);

/* Replays the whole trace (or up to @to, inclusive). For every present @frame is called with the
   presented image. */
typedef struct
{
  guint64 to; /* VTR_COMMAND_NO_INDEX: all */
  gboolean poison;
  gboolean images; /* read back presented images */
  void (*frame) (guint64 frame, VtrImage *image, gpointer data);
  void (*progress) (guint64 command, guint64 total, gpointer data);
  gpointer data;
  const VtrPictureEdit *edit;  /* (nullable): as the trace has it */
  const guint64 *read_objects; /* VkBuffer or VkDeviceMemory, to read at the end */
  guint n_read_objects;
  GBytes **read_results; /* (out) one each */
} VtrReplayAllOptions;

gboolean vtr_document_replay_all (VtrDocument                *self,
                                  const VtrReplayAllOptions  *options,
                                  VtrReplayOutcome           *outcome,
                                  GCancellable               *cancellable,
                                  GError                    **error);

/* The same of object @object, a VkBuffer or VkDeviceMemory, in run @run (vtr_timeline_get_run()) of
   the recording that holds @index; VTR_NO_RUN: its first. @edit: (nullable). */
GBytes *vtr_document_read_object (VtrDocument           *self,
                                  guint64                index,
                                  guint32                run,
                                  guint32                object,
                                  guint64                offset,
                                  guint64                size,
                                  const VtrPictureEdit  *edit,
                                  GCancellable          *cancellable,
                                  GError               **error);

/* The device to replay on: by name, part of a name, or place; NULL: the captured one, else the best.
   To be said before the first replay. */
void vtr_document_set_replay_device (VtrDocument *self,
                                     const char  *device);

/* What becomes of device addresses in the program's data; AUTO: exact, and guessed where that turns
   out to be impossible. To be said before the first replay. */
void vtr_document_set_replay_addresses (VtrDocument        *self,
                                        VtrReplayAddresses  addresses);
/* Whether they are guessed: what is replayed from now on is not guaranteed. Any thread. */
gboolean vtr_document_guesses_addresses (VtrDocument *self);

/* Whether the trace can replay on its device, found without running it. @plan: (out): (nullable):
   (transfer full). Blocks. Errors: VTR_REPLAY_ERROR_START, _DRIVER; those of the trace. */
VtrCompatibility *vtr_document_get_compatibility (VtrDocument    *self,
                                                  VtrReplayPlan **plan,
                                                  GCancellable   *cancellable,
                                                  GError        **error);

/* What of the memory that the program maps may be the GPU's; lives as long as the document. Blocks.
   Errors: those of the trace. */
const VtrUncertainWrites *vtr_document_get_uncertain_writes (VtrDocument   *self,
                                                             GCancellable  *cancellable,
                                                             GError       **error);

/* Starts the replayer, so that the first picture does not wait for that. At once after opening, and
   after vtr_document_set_replay_device(). What goes wrong is told by whatever needs it. */
void vtr_document_prepare_replay (VtrDocument *self);

/* State of the replayer for the status bar: "Replay on llvmpipe", "Replayer restarted 2 times", … Signal
   "replay-changed". (transfer full) */
char *vtr_document_describe_replay (VtrDocument *self);

VtrReplayActivity vtr_document_get_replay_activity (VtrDocument *self);
/* The command that the last failed replay blames; VTR_COMMAND_NO_INDEX: none failed at a command.
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
