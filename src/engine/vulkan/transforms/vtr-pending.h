/* Submissions that may still be running, as far as the program knows. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/* A value of a timeline semaphore; of a binary semaphore, the number of signal operations submitted so far. */
typedef struct
{
  guint64 semaphore, value;
} VtrPendingPoint;

/* A recorded query or event whose result the host can see. */
typedef struct
{
  guint64 object; /* VkQueryPool, VkEvent */
  guint32 first, n;
  guint64 index;     /* flat index of the command */
  gboolean whole;    /* once the result is seen, all work before it is done */
  gboolean last;     /* no work comes after it in the submission */
  gboolean fresh;    /* the result comes from this submission or a later one, not from an earlier one */
  gboolean is_query; /* a query other than a timestamp: its result says nothing of other work */
} VtrPendingMark;

/* What the program knows about a submission. */
typedef enum
{
  VTR_PENDING_UNDER_WAY,
  /* The program has seen a result of the submission, but the specification does not say that the rest is
   * done. The results may be there, and the program may have overwritten them since. */
  VTR_PENDING_PERHAPS,
  VTR_PENDING_DONE /* about to be dropped */
} VtrPendingTold;

typedef struct
{
  guint64 queue; /* 0: an image acquire or a sparse binding, which is not ordered with other work */
  guint64 fence;
  GArray *signals, *waits; /* VtrPendingPoint; NULL: none */
  GArray *marks;           /* VtrPendingMark; NULL: none */
  GArray *commands;        /* VkCommandBuffer; NULL: none */
  gpointer data;           /* of vtr_pending_add (); NULL: none */
  VtrPendingTold told;
} VtrPendingSubmission;

/* Called when the submission that was added with @data is dropped. */
typedef void (*VtrPendingDone) (gpointer data,
                                gpointer user_data);

/**
 * VtrPending:
 *
 * Follows what the program learned about its submissions: from fences (also those that it resets),
 * values of timeline semaphores, waits, command buffers that it records again, presents that it waits
 * for, and acquired images, which show that what their last present waited for is done. When one
 * submission is done, so are the earlier ones of its queue and those whose semaphores it waited for.
 *
 * A timestamp or an event shows that earlier work of its queue is done if it waits for all stages, and if
 * the result cannot come from an earlier submission. Other queries and events prove nothing: their
 * submissions become PERHAPS.
 *
 * Two errors are possible. If a submission counts as under way for too long, writes of the program over
 * its results are mistaken for the results and are missing in every replay. If it counts as done too
 * early, its results are written as if the program had written them, which rarely shows. For PERHAPS,
 * bytes are compared with what was recorded before (vtr-uncertain-writes.h): unchanged bytes are left
 * alone; changed bytes are written once the replay has finished the pending work, and are reported. This
 * is wrong only where the program restores the earlier bytes.
 *
 * Threading: one at a time. Source: Vulkan 1.3, 7.4 "Semaphores", 7.3 "Fences", 7.5 "Events", 18
 * "Queries".
 */
typedef struct
{
  GPtrArray *submissions; /* VtrPendingSubmission, oldest first */
  GHashTable *timelines;  /* VkSemaphore */
  GHashTable *serials;    /* binary VkSemaphore → number of its signal operations */
  GHashTable *host_set;   /* VkEvent that the program set; a set */
  GHashTable *recorded;   /* VkCommandBuffer → GArray of VtrPendingMark */
  GHashTable *seen;       /* VkQueryPool, VkEvent → VtrRangeSet with results of earlier submissions */
  GPtrArray *presents;    /* the last present of each image of each swapchain */
  VtrPendingDone done;
  gpointer user_data;
} VtrPending;

void vtr_pending_init (VtrPending     *self,
                       VtrPendingDone  done,
                       gpointer        user_data);
/* Drops all submissions without calling .done. */
void vtr_pending_finish (VtrPending *self);

/* Adds batch @nth of a submission in its newer form (vtr-newer-form.h). Each batch is done by itself; the fence of the
 * call belongs to the last one. A call without batches is added once, with @nth 0. @data: (nullable): NULL if only what
 * the batch shows about other submissions matters. */
void vtr_pending_add (VtrPending                   *self,
                      const VtrArgs_vkQueueSubmit2 *args,
                      guint32                       nth,
                      gpointer                      data);

/* Whether vtr_pending_note () does anything with commands of @id, recorded ones among them. */
gboolean vtr_pending_wants (VtrCmdId id);
/* A command other than a submission, from which the program may learn that submissions are done. */
void vtr_pending_note (VtrPending       *self,
                       const VtrCommand *command);

/* Fills the initialised @self with a copy of @other. @copy: copies the data of one submission. */
void vtr_pending_copy (VtrPending *self,
                       const VtrPending *other,
                       gpointer (*copy) (gpointer data));

/* The data of submission @nth, the oldest first; NULL: none. */
static inline gpointer
vtr_pending_get (const VtrPending *self,
                 guint             nth)
{
  return ((const VtrPendingSubmission *)g_ptr_array_index (self->submissions, nth))->data;
}

static inline VtrPendingTold
vtr_pending_get_told (const VtrPending *self,
                      guint             nth)
{
  return ((const VtrPendingSubmission *)g_ptr_array_index (self->submissions, nth))->told;
}

G_END_DECLS
