/* A small pool of worker threads with a priority queue. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * VtrScheduler:
 *
 * Threads start with the first job and end with the pool. Jobs of smaller priority numbers run
 * first, equal ones in order. A job that has waited for long goes before all others, but so do few
 * of them, and rarely. Threading: any.
 */
typedef struct _VtrScheduler VtrScheduler;

typedef enum
{
  VTR_PRIORITY_INTERACTIVE = 0, /* the result is visible to the user */
  VTR_PRIORITY_NORMAL = 10,
  /* From here on jobs yield to more urgent ones even while they run. */
  VTR_PRIORITY_THUMBNAIL = 50,   /* thumbnails beside the visible result */
  VTR_PRIORITY_BACKGROUND = 100, /* what may be asked for next */
} VtrPriority;

/* @n_threads: 0 for one fewer than the processors, at least one. @name: of the threads. */
VtrScheduler *vtr_scheduler_new (const char *name,
                                 guint       n_threads);
/* Runs all queued jobs, then frees. Not to be called from one of its own workers. */
void vtr_scheduler_free (VtrScheduler *self);

/* Pools of the process, never freed: "resolve" (processors − 1) and "io" (2). */
VtrScheduler *vtr_scheduler_get_resolve (void);
VtrScheduler *vtr_scheduler_get_io (void);

/* Returns: a number to cancel the job by. @func gets @data once, on a worker. */
guint64 vtr_scheduler_push (VtrScheduler *self,
                            int           priority,
                            GFunc         func,
                            gpointer      data);
/* Like vtr_scheduler_push (), for a job that can yield: @stop is cancelled when it runs with a priority that
 * yields and vtr_scheduler_make_room() finds that something more urgent waits. The job then returns soon, and
 * its caller pushes it again. */
guint64 vtr_scheduler_push_yielding (VtrScheduler *self,
                                     int           priority,
                                     GFunc         func,
                                     gpointer      data,
                                     GCancellable *stop);
/* Makes a job as urgent as @priority if it is less, be it queued or running. Ended ones stay as they
   are. */
void vtr_scheduler_raise (VtrScheduler *self,
                          guint64       job,
                          int           priority);
/* To be called after a push or raise, without locks: handlers of the cancellables run in it. */
void vtr_scheduler_make_room (VtrScheduler *self);
/* How long a job waits until it goes before others, and how much time at least is between two that
   do; in microseconds. For tests. */
void vtr_scheduler_set_patience (VtrScheduler *self,
                                 gint64        microseconds);
/* Takes a job that has not started out of the queue. Returns: FALSE when it runs, ran or is
   unknown. */
gboolean vtr_scheduler_remove (VtrScheduler *self,
                               guint64       job);
/* Drops a worker's reference to a task it has answered, in the task's own context: what the task
   owns must not end on a worker. */
void vtr_scheduler_release_task (GTask *task);
/* Whether a job was ever pushed, so that there are threads to end. */
gboolean vtr_scheduler_is_started (VtrScheduler *self);
/* Whether the calling thread is one of @self's workers. */
gboolean vtr_scheduler_is_worker (VtrScheduler *self);

G_END_DECLS
