/* What the parts of vtr-count.h share. Threading: one at a time. */
#pragma once

#include "engine/vulkan/transforms/vtr-count.h"

G_BEGIN_DECLS

/* A recording that is changed. */
typedef struct
{
  VkCommandBuffer buffer; /* captured-side handle of the copy */
  guint64 label;          /* index its commands go by; VTR_COMMAND_NO_INDEX: their own */
  guint64 executed;       /* the vkCmdExecuteCommands that runs it; VTR_COMMAND_NO_INDEX: none */
  gboolean inside;        /* the pass */
  guint32 subpass;
  guint64 pipeline, pipeline_at; /* bound last, by which command; 0: none */
  guint64 bound;                 /* of ours: what stands for it; 0: not bound yet */
  gboolean bound_counts;         /* with counting */
} VtrCountCopy;

typedef struct
{
  VtrTransform parent;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrCountPlan plan;
  guint32 recording;     /* that begins the pass */
  GHashTable *inner;     /* recording, from the pass down to the cut → guint64: the
                          vkCmdExecuteCommands in .recording */
  guint64 position;      /* how far the stream is: what was destroyed before is gone */
  VtrArena arena;        /* of what is kept */
  GHashTable *copies;    /* handle → VtrCountCopy */
  GHashTable *remade;    /* object id → guint64 */
  GHashTable *pipelines; /* object id * 2 + whether it counts → guint64 */
  VtrCommand clone;      /* the creation of the pass that is cut; .args NULL: not seen */
  guint32 n_colors[64];  /* of each subpass, without ours */
  guint32 n_subpasses;
  guint64 pass;        /* compatible with what begins; 0: not made yet */
  guint64 image, view; /* ours */
  guint64 pool;        /* for copies of secondaries */
} VtrCount;

#define VTR_COUNT_HANDLE(type, value) ((type)(gsize)(value))

/* --- Objects --------------------------------------------------------------------------------- */

/* Sends on a command of our own. */
gboolean vtr_count_emit (VtrCount  *self,
                         VtrCmdId   id,
                         gpointer   args,
                         GError   **error);

/* What @handle meant to command @at, as it can be named now: the object may be gone since, and is made
 * again. 0 stays 0. Returns: FALSE with @error when that cannot be. */
gboolean vtr_count_name (VtrCount  *self,
                         guint32    type,
                         guint64   *handle,
                         guint64    at,
                         GError   **error);

/* The same for all that @command refers to. */
gboolean vtr_count_name_all (VtrCount    *self,
                             VtrCommand  *command,
                             guint64      at,
                             GError     **error);

/* Makes the image of the counts. */
gboolean vtr_count_make_image (VtrCount  *self,
                               GError   **error);

/* Fills it with zeroes; it is in VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL then. */
gboolean vtr_count_clear_image (VtrCount         *self,
                                VkCommandBuffer   buffer,
                                GError          **error);

/* A secondary command buffer, for @like (captured). */
gboolean vtr_count_make_secondary (VtrCount            *self,
                                   const VtrRecording  *like,
                                   VkCommandBuffer     *out,
                                   GError             **error);

/* Takes the structures of type @s_type out of a chain; changes it in place. */
void vtr_count_unlink (const void      **next,
                       VkStructureType   s_type);

gboolean vtr_count_unsupported (GError     **error,
                                const char  *message);

/* --- Passes ---------------------------------------------------------------------------------- */

/* Whether draws of @subpass count. */
gboolean vtr_count_has_subpass (const VtrCount *self,
                                guint32         subpass);

/* Makes .pass, finds .n_colors. */
gboolean vtr_count_make_pass (VtrCount  *self,
                              GError   **error);

/* Begins the pass, with our attachment, instead of @command. */
gboolean vtr_count_begin_pass (VtrCount      *self,
                               VtrCountCopy  *copy,
                               VtrCommand    *command,
                               GError       **error);

/* Changes what a secondary (vkBeginCommandBuffer) says of the pass it goes on with. */
gboolean vtr_count_inherit (VtrCount      *self,
                            VtrCountCopy  *copy,
                            VtrCommand    *command,
                            VtrArena      *arena,
                            GError       **error);

/* --- Locations (VK_KHR_dynamic_rendering_local_read) --- */

/* Changes the structures in the chain @next, which is ours to change, that say where shaders write or
 * read attachments of the pass: the image of the counts is one more. @arena: as long as the chain. */
gboolean vtr_count_extend_chain (const VtrCount  *self,
                                 const void      *next,
                                 VtrArena        *arena,
                                 GError         **error);

/* The same for what a command of the pass says. */
gboolean vtr_count_extend_command (const VtrCount    *self,
                                   const VtrCommand  *command,
                                   VtrArena          *arena,
                                   GError           **error);

/* --- Pipelines ------------------------------------------------------------------------------- */

/* What stands for the pipeline @handle, bound by command @at. @counts: a draw that counts follows. */
gboolean vtr_count_get_pipeline (VtrCount  *self,
                                 guint64    handle,
                                 guint64    at,
                                 gboolean   counts,
                                 guint64   *out,
                                 GError   **error);

/* Whether @id sets state that no pipeline of ours has dynamic. */
gboolean vtr_count_is_ours (const VtrCount *self,
                            VtrCmdId        id,
                            gboolean        counts);

G_END_DECLS
