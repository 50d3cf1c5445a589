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

typedef struct
{
  guint64 queue, fence;
  GArray *signals, *waits; /* VtrPendingPoint; NULL: none */
  gpointer data;           /* whoever added it */
  gboolean done;           /* about to be dropped */
} VtrPendingSubmission;

/* @data is not needed any more: it is done as far as the program knows, or may be. */
typedef void (*VtrPendingDone) (gpointer data,
                                gpointer user_data);

/**
 * VtrPending:
 *
 * What the program was told by fences, values of timeline semaphores and waits decides, along its queues
 * and the semaphores between them. Presents, events that it did not set itself and query results
 * count as told of all, because what they stand for is not followed.
 *
 * Threading: one at a time. Source: Vulkan 1.3, 7.4 "Semaphores".
 */
typedef struct
{
  GPtrArray *submissions; /* VtrPendingSubmission, oldest first */
  GHashTable *acquires;   /* VkFence that an acquire was given last, not a submission */
  GHashTable *timelines;  /* VkSemaphore */
  GHashTable *serials;    /* binary VkSemaphore → how often it was to be signalled */
  GHashTable *host_set;   /* VkEvent that the program set */
  VtrPendingDone done;
  gpointer user_data;
} VtrPending;

void vtr_pending_init (VtrPending     *self,
                       VtrPendingDone  done,
                       gpointer        user_data);
/* Without a word to .done. */
void vtr_pending_finish (VtrPending *self);

/* Batch @nth of a submission, which is done by itself; the call's fence comes with the last one. @data:
 * (nullable): nothing but what it tells of others is of interest. Of a call without batches, the
 * first. */
void vtr_pending_add (VtrPending                  *self,
                      const VtrArgs_vkQueueSubmit *args,
                      guint32                      nth,
                      gpointer                     data);
void vtr_pending_add2 (VtrPending                   *self,
                       const VtrArgs_vkQueueSubmit2 *args,
                       guint32                       nth,
                       gpointer                      data);

/* Whether vtr_pending_note() does anything with such a call. */
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

G_END_DECLS
