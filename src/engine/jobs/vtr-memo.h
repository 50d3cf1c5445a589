/* Computed values by key: kept, shared by callers while they are computed, cancelled with the last
 * caller.
   */
#pragma once

#include "engine/jobs/vtr-scheduler.h"

G_BEGIN_DECLS

/**
 * VtrMemo:
 *
 * Values are reference-counted and immutable. Data passed to it must not own the memo's owner: a
 * worker could then drop the last reference, and the memo would wait for that worker. Errors are
 * not kept: the next request tries again. Threading: any. An asynchronous caller gets its answer in
 * the main context it called from.
 */
typedef struct _VtrMemo VtrMemo;

/* Computes a value on a worker. @cost: its size in bytes, for the limit; starts at 1. If
   @cancellable ended it in favour of something more urgent, it is called again later. Returns:
   (transfer full): or NULL with @error. */
typedef gpointer (*VtrMemoFunc) (gpointer data,
                                 GCancellable *cancellable,
                                 gsize *cost,
                                 GError **error);

/* @pool must outlive the memo. At most @max_cost is kept beyond what is in use; the least recently
   used goes first. */
VtrMemo *vtr_memo_new (VtrScheduler *pool,
                       gpointer (*ref) (gpointer value),
                       GDestroyNotify unref,
                       gsize max_cost);
/* Cancels running computations and waits for them. */
void vtr_memo_free (VtrMemo *self);

/* A caller whose value is being computed waits for the same result; if the caller's priority is
   higher, the computation gets it. Blocks. On a worker of the same pool @func runs in place.
   @data_free (nullable) is called once, when @data is no longer needed, whether @func ran or
   not. */
gpointer vtr_memo_get (VtrMemo         *self,
                       const char      *key,
                       int              priority,
                       VtrMemoFunc      func,
                       gpointer         data,
                       GDestroyNotify   data_free,
                       GCancellable    *cancellable,
                       GError         **error);
/* @source: (nullable): the GAsyncResult's source object. */
void vtr_memo_get_async (VtrMemo             *self,
                         const char          *key,
                         int                  priority,
                         VtrMemoFunc          func,
                         gpointer             data,
                         GDestroyNotify       data_free,
                         gpointer             source,
                         GCancellable        *cancellable,
                         GAsyncReadyCallback  callback,
                         gpointer             user_data);
/* (transfer full) */
gpointer vtr_memo_get_finish (GAsyncResult  *result,
                              GError       **error);

/* The value if it has been computed already. (transfer full) (nullable) */
gpointer vtr_memo_peek (VtrMemo    *self,
                        const char *key);

G_END_DECLS
