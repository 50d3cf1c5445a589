/* Submissions that nothing has told the program of yet that they are done. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/* A value of a timeline semaphore; of a binary one, how often it was to be signalled so far. */
typedef struct
{
  guint64 semaphore, value;
} VtrPendingPoint;

/* Something that was recorded, and that the host can see: a query or an event. */
typedef struct
{
  guint64 object; /* VkQueryPool, VkEvent */
  guint32 first, n;
  guint64 index;     /* flat index of the command */
  gboolean whole;    /* nothing before it is under way any more when it is seen */
  gboolean last;     /* nothing comes after it */
  gboolean fresh;    /* what is seen is of this submission, or a later one */
  gboolean is_query; /* that only says that it was counted */
} VtrPendingMark;

/* What the program knows of a submission. */
typedef enum
{
  VTR_PENDING_UNDER_WAY,
  /* It has seen something that the submission does, from which nothing follows that the specification
   * grants: what the submission writes may be there, and may have been written over since. */
  VTR_PENDING_PERHAPS,
  VTR_PENDING_DONE /* about to be dropped */
} VtrPendingTold;

typedef struct
{
  guint64 queue; /* 0: an acquire or a binding, in no order with others */
  guint64 fence;
  GArray *signals, *waits; /* VtrPendingPoint; NULL: none */
  GArray *marks;           /* VtrPendingMark; NULL: none */
  GArray *commands;        /* VkCommandBuffer; NULL: none */
  gpointer data;           /* whoever added it; NULL: nothing */
  VtrPendingTold told;
} VtrPendingSubmission;

/* @data is not needed any more: it is done as far as the program knows, or may be. */
typedef void (*VtrPendingDone) (gpointer data,
                                gpointer user_data);

/**
 * VtrPending:
 *
 * What the program was told decides, along its queues and the semaphores between them: by fences, also
 * those it resets, values of timeline semaphores, waits, command buffers that it records anew,
 * presents that it waits for, and images that it gets back, which tell of what their presents waited for.
 *
 * A timestamp, or an event, tells of what comes before it in its queue if its stages are all, and if
 * what was seen cannot be older. Any other query or event tells for certain of nothing, and leaves
 * submissions that way: PERHAPS.
 *
 * Of the two errors, a submission that counts as under way for too long costs more: what the
 * program writes over its results is taken for them, and lost in every replay. One that counts as done
 * too early is written beside, which now and then makes a difference. Bytes that a submission of which
 * PERHAPS is known writes are told from the program's by what they were (vtr-uncertain-writes.h): they are
 * left alone where they have not changed, else written once the replay is through with
 * what is pending, and told of. That is wrong only where the program sets back what was there before.
 *
 * Threading: one at a time. Source: Vulkan 1.3, 7.4 "Semaphores", 7.3 "Fences", 7.5 "Events", 18
 * "Queries".
 */
typedef struct
{
  GPtrArray *submissions; /* VtrPendingSubmission, oldest first */
  GHashTable *timelines;  /* VkSemaphore */
  GHashTable *serials;    /* binary VkSemaphore → how often it was to be signalled */
  GHashTable *host_set;   /* VkEvent that the program set */
  GHashTable *recorded;   /* VkCommandBuffer → GArray of VtrPendingMark */
  GHashTable *seen;       /* VkQueryPool, VkEvent → VtrRangeSet that older submissions made seen */
  GPtrArray *presents;    /* of each image of each swapchain, the last */
  VtrPendingDone done;
  gpointer user_data;
} VtrPending;

void vtr_pending_init (VtrPending     *self,
                       VtrPendingDone  done,
                       gpointer        user_data);
/* Without a word to .done. */
void vtr_pending_finish (VtrPending *self);

/* Batch @nth of a submission (vtr-newer-form.h), which is done by itself; the call's fence comes with the last one. @data:
 * (nullable): nothing but what it tells of others is of interest. Of a call without batches, the
 * first. */
void vtr_pending_add (VtrPending                   *self,
                      const VtrArgs_vkQueueSubmit2 *args,
                      guint32                       nth,
                      gpointer                      data);

/* Whether vtr_pending_note() does anything with such a call; some are recorded. */
gboolean vtr_pending_wants (VtrCmdId id);
/* Any other call: it may be one that tells. */
void vtr_pending_note (VtrPending       *self,
                       const VtrCommand *command);

/* Takes over what @other knows; @copy makes data from data. */
void vtr_pending_copy (VtrPending *self,
                       const VtrPending *other,
                       gpointer (*copy) (gpointer data));

/* Data of the @nth; NULL: none. */
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
