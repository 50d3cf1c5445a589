/* How VtrPending learns that submissions are done: fences and semaphores (vtr-pending.c), queries and events
 * (vtr-pending-marks.c), presents and sparse bindings (vtr-pending-presents.c).
 *
 * Threading: one at a time. */
#pragma once

#include "engine/vulkan/transforms/vtr-pending.h"

G_BEGIN_DECLS

#define VTR_PENDING_KEY(handle) ((gpointer)(gsize)(handle))
#define VTR_PENDING_VALUE(handle) ((guint64)(gsize)(handle))

/* The last present of an image. */
typedef struct
{
  guint64 swapchain;
  guint32 image;
  guint64 id;    /* VkPresentIdKHR; 0: none */
  GArray *waits; /* VtrPendingPoint; NULL: none */
} VtrPendingPresent;

/* --- vtr-pending.c */

static inline VtrPendingSubmission *
vtr_pending_nth (const VtrPending *self,
                 guint             nth)
{
  return g_ptr_array_index (self->submissions, nth);
}

/* Marks submission @nth as @told, and with it all earlier ones of its queue and those that these waited for. */
void vtr_pending_tell (VtrPending     *self,
                       guint           nth,
                       VtrPendingTold  told);
/* Marks as @told every submission that signals one of @points or an earlier value, as vtr_pending_tell () does. */
void vtr_pending_tell_points (VtrPending     *self,
                              const GArray   *points,
                              VtrPendingTold  told);
/* Drops the submissions that are done. */
void vtr_pending_sweep (VtrPending *self);
void vtr_pending_add_wait (VtrPending   *self,
                           GArray      **points,
                           VkSemaphore   semaphore,
                           guint64       value);
void vtr_pending_add_signal (VtrPending   *self,
                             GArray      **points,
                             VkSemaphore   semaphore,
                             guint64       value);
/* Adds @submission and takes over its arrays. */
void vtr_pending_take (VtrPending           *self,
                       VtrPendingSubmission  submission);
guint64 vtr_pending_value_at (const guint64 *values,
                              guint32        n,
                              guint32        nth);

/* --- vtr-pending-marks.c: recorded queries and events */

/* Adds the marks of the next command buffer in the batch @submission. */
void vtr_pending_add_commands (VtrPending           *self,
                               VtrPendingSubmission *submission,
                               VkCommandBuffer       commands);
gboolean vtr_pending_wants_mark (VtrCmdId id);
/* Returns: FALSE if @command has nothing to do with recorded queries and events. */
gboolean vtr_pending_note_mark (VtrPending       *self,
                                const VtrCommand *command,
                                gint32            result);

/* --- vtr-pending-presents.c: swapchains, and bindings of sparse memory */

void vtr_pending_present_free (gpointer data);
gboolean vtr_pending_wants_present (VtrCmdId id);
gboolean vtr_pending_note_present (VtrPending       *self,
                                   const VtrCommand *command,
                                   gint32            result);

G_END_DECLS
