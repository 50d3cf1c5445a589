/* Submissions that nothing has told the program of yet that they are done. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 queue, fence;
  gpointer data; /* whoever added it */
} VtrPendingSubmission;

/* @data is not needed any more: it is done as far as the program knows, or may be. */
typedef void (*VtrPendingDone) (gpointer data,
                                gpointer user_data);

/**
 * VtrPending:
 *
 * What the program was told by fences, waits and queries decides; presents, events, values of
 * semaphores and query results count as told of all, because what they stand for is not followed.
 * Threading: one at a time.
 */
typedef struct
{
  GPtrArray *submissions; /* VtrPendingSubmission, oldest first */
  GHashTable *acquires;   /* VkFence that an acquire was given last, not a submission */
  VtrPendingDone done;
  gpointer user_data;
} VtrPending;

void vtr_pending_init (VtrPending     *self,
                       VtrPendingDone  done,
                       gpointer        user_data);
/* Without a word to .done. */
void vtr_pending_finish (VtrPending *self);

/* A submission. @data: (nullable): nothing but its fence is of interest, as far as that tells of
 * earlier ones. */
void vtr_pending_add (VtrPending *self,
                      VkQueue     queue,
                      VkFence     fence,
                      gpointer    data);

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
