/* A small pool of worker threads with a priority queue. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * VtrScheduler:
 *
 * Threads start with the first job and end with the pool. Jobs of smaller priority numbers run
 * first, equal ones in order. Threading: any.
 */
typedef struct _VtrScheduler VtrScheduler;

typedef enum
{
  VTR_PRIORITY_INTERACTIVE = 0, /* somebody looks at the place where the answer goes */
  VTR_PRIORITY_NORMAL = 10,
  VTR_PRIORITY_BACKGROUND = 100, /* prefetch, thumbnails */
} VtrPriority;

/* @n_threads: 0 for one fewer than the processors, at least one. @name: of the threads. */
VtrScheduler *vtr_scheduler_new (const char *name,
                                 guint       n_threads);
/* Runs what is queued to its end, then frees. Not from one of its own workers. */
void vtr_scheduler_free (VtrScheduler *self);

/* Pools of the process, never freed: "resolve" (processors − 1) and "io" (2). */
VtrScheduler *vtr_scheduler_get_resolve (void);
VtrScheduler *vtr_scheduler_get_io (void);

/* Returns: a number to cancel the job by. @func gets @data once, on a worker. */
guint64 vtr_scheduler_push (VtrScheduler *self,
                            int           priority,
                            GFunc         func,
                            gpointer      data);
/* Takes a job that has not started out of the queue. Returns: FALSE when it runs, ran or is
   unknown. */
gboolean vtr_scheduler_remove (VtrScheduler *self,
                               guint64       job);
/* Drops a worker's reference to a task it has answered, in the task's own context: what the task
   owns must not end on a worker. */
void vtr_scheduler_release_task (GTask *task);
/* Whether the calling thread is one of @self's workers. */
gboolean vtr_scheduler_is_worker (VtrScheduler *self);

G_END_DECLS
