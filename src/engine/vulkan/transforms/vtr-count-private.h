/* The parts of the transform that counts how often pixels are drawn to: objects, passes, locations, pipelines. Handles are
 * captured-side ones. Functions return FALSE with VTR_REPLAY_ERROR_UNSUPPORTED if something cannot be changed, and pass on the
 * errors of the next transform. Threading: one at a time. */
#pragma once

#include "engine/vulkan/transforms/vtr-count.h"

G_BEGIN_DECLS

/* The copy of a recording in which draws count. */
typedef struct
{
  VkCommandBuffer buffer;
  guint64 label;    /* index for all its commands; VTR_COMMAND_NO_INDEX: each has its own */
  guint64 executed; /* the vkCmdExecuteCommands that runs it; VTR_COMMAND_NO_INDEX: none */
  gboolean inside;  /* the current command is in the pass */
  guint32 subpass;
  guint64 pipeline, pipeline_at; /* the captured pipeline bound last, and by which command; 0: none */
  guint64 bound;                 /* the replacement pipeline that is bound; 0: none yet */
  gboolean bound_counts;         /* .bound counts */
} VtrCountCopy;

typedef struct
{
  VtrTransform parent;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrCountPlan plan;
  guint32 recording;     /* the recording that begins the pass */
  GHashTable *inner;     /* recording, from the pass down to the cut → guint64: the
                          vkCmdExecuteCommands in .recording */
  guint64 position;      /* of the stream: objects destroyed before it no longer exist */
  VtrArena arena;        /* for data that lives as long as the transform */
  GHashTable *copies;    /* handle → VtrCountCopy */
  GHashTable *remade;    /* object id → guint64: handle of the object that was created again */
  GHashTable *pipelines; /* object id * 2 + whether it counts → guint64: handle */
  VtrCommand clone;      /* the creation of the pass that is cut; .args NULL: not seen */
  guint32 n_colors[64];  /* colour attachments of each subpass, without the counts */
  guint32 n_subpasses;
  guint64 pass;        /* the render pass with the counts; 0: not created yet */
  guint64 image, view; /* of the counts */
  guint64 pool;        /* for copies of secondaries */
} VtrCount;

#define VTR_COUNT_HANDLE(type, value) ((type)(gsize)(value))

/* --- Objects --------------------------------------------------------------------------------- */

/* Passes a new command on to the next transform. */
gboolean vtr_count_emit (VtrCount  *self,
                         VtrCmdId   id,
                         gpointer   args,
                         GError   **error);

/* @handle: (inout): an object of command @at; afterwards a handle by which it can be used now. If the object was destroyed
 * since, it is created again. 0 stays 0. Returns: FALSE with @error if that is impossible. */
gboolean vtr_count_name (VtrCount  *self,
                         guint32    type,
                         guint64   *handle,
                         guint64    at,
                         GError   **error);

/* Calls vtr_count_name () for all handles in the arguments of @command. */
gboolean vtr_count_name_all (VtrCount    *self,
                             VtrCommand  *command,
                             guint64      at,
                             GError     **error);

/* Creates the image of the counts. */
gboolean vtr_count_make_image (VtrCount  *self,
                               GError   **error);

/* Fills the image of the counts with zeros and leaves it in VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL. */
gboolean vtr_count_clear_image (VtrCount         *self,
                                VkCommandBuffer   buffer,
                                GError          **error);

/* Allocates a secondary command buffer for a copy of the recording @like. */
gboolean vtr_count_make_secondary (VtrCount            *self,
                                   const VtrRecording  *like,
                                   VkCommandBuffer     *out,
                                   GError             **error);

/* Removes the structures of type @s_type from a chain, in place. */
void vtr_count_unlink (const void      **next,
                       VkStructureType   s_type);

gboolean vtr_count_unsupported (GError     **error,
                                const char  *message);

/* --- Passes ---------------------------------------------------------------------------------- */

/* Whether draws of @subpass count. */
gboolean vtr_count_has_subpass (const VtrCount *self,
                                guint32         subpass);

/* Creates .pass and fills .n_colors. */
gboolean vtr_count_make_pass (VtrCount  *self,
                              GError   **error);

/* Begins the pass with the attachment for the counts, instead of @command. */
gboolean vtr_count_begin_pass (VtrCount      *self,
                               VtrCountCopy  *copy,
                               VtrCommand    *command,
                               GError       **error);

/* Adds the attachment for the counts to the inheritance of a secondary. @command: its vkBeginCommandBuffer. */
gboolean vtr_count_inherit (VtrCount      *self,
                            VtrCountCopy  *copy,
                            VtrCommand    *command,
                            VtrArena      *arena,
                            GError       **error);

/* --- Locations (VK_KHR_dynamic_rendering_local_read) --- */

/* Adds the image of the counts to the structures in the chain @next that map attachments to shader locations. The chain is
 * changed; @arena has to live as long as it. */
gboolean vtr_count_extend_chain (const VtrCount  *self,
                                 const void      *next,
                                 VtrArena        *arena,
                                 GError         **error);

/* Like vtr_count_extend_chain (), for a command of the pass that sets such a map. */
gboolean vtr_count_extend_command (const VtrCount    *self,
                                   const VtrCommand  *command,
                                   VtrArena          *arena,
                                   GError           **error);

/* --- Pipelines ------------------------------------------------------------------------------- */

/* The replacement for pipeline @handle, which command @at binds. @counts: a draw that counts follows. */
gboolean vtr_count_get_pipeline (VtrCount  *self,
                                 guint64    handle,
                                 guint64    at,
                                 gboolean   counts,
                                 guint64   *out,
                                 GError   **error);

/* Whether @id sets state that is not dynamic in replacement pipelines, so that the command has to be left out. */
gboolean vtr_count_is_ours (const VtrCount *self,
                            VtrCmdId        id,
                            gboolean        counts);

G_END_DECLS
