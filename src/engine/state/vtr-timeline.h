/* What ran when: command lists, their recordings, and the calls that ran them. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

/**
 * VtrTimeline:
 *
 * Built by one pass over a trace, in which each of its APIs says what its commands mean for command lists (P1 of
 * src/engine/api/vtr-scope-api.h). A trace of APIs without command lists has no recordings and no runs.
 * In a Vitrine file a recording is a contiguous run of flat indices [first, last], such as
 * vkBeginCommandBuffer … vkEndCommandBuffer, because a block is published as a whole. In files
 * that list calls as they were made (GAPID) recordings may be interleaved with each other and with
 * other calls: vtr_timeline_find_recording() tells which commands between first and last are part
 * of it.
 *
 * Threading: any (immutable once built). Atomically reference-counted.
 */
typedef struct _VtrTimeline VtrTimeline;

VtrTimeline *vtr_timeline_build (VtrTrace          *trace,
                                 VtrTraceProgress   progress,
                                 gpointer           data,
                                 GCancellable      *cancellable,
                                 GError           **error);
VtrTimeline *vtr_timeline_ref (VtrTimeline *self);
void vtr_timeline_unref (VtrTimeline *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTimeline, vtr_timeline_unref)

VtrTrace *vtr_timeline_get_trace (VtrTimeline *self);

/* Whether each recording is a run of flat indices without gaps. */
gboolean vtr_timeline_is_contiguous (VtrTimeline *self);

#define VTR_NO_RECORDING G_MAXUINT32

/* One recording of a command list, such as a command buffer. */
typedef struct
{
  guint64 list;        /* its name */
  guint64 first, last; /* flat indices */
  guint32 word;        /* the API's; of Vulkan the queue family of the list's pool, G_MAXUINT32: unknown */
  gboolean nested;     /* it runs only inside of others (a secondary command buffer) */
  guint32 first_run;   /* first of its runs in vtr_timeline_get_run() order; VTR_NO_RUN: it never ran */
  guint32 n_runs;
  guint32 n_draws, n_dispatches, n_transfers; /* with those of the lists that it runs */
  guint32 n_passes;                           /* scopes begun that a frame numbers, with those of the lists that it runs */
  gboolean complete;                          /* ended; not abandoned or unfinished */
} VtrRecording;

/* One execution of a recording: list @position of batch @batch of the submission. */
typedef struct
{
  guint32 recording;
  guint64 submit;      /* flat index of the call outside of lists that made it run (vkQueueSubmit) */
  guint32 batch;       /* of the submission (VkSubmitInfo) */
  guint32 position;    /* in the batch; nested: among those that the command runs */
  guint64 executed_by; /* nested: flat index of the command in a list that runs it; else VTR_COMMAND_NO_INDEX */
  guint32 parent;      /* nested: run of the list that runs it; else VTR_NO_RUN */
  guint32 first_child; /* runs of the lists that it runs, by executed_by, then position */
  guint32 n_children;
} VtrRun;

/* A call that runs lists. */
typedef struct
{
  guint64 submit;   /* flat index */
  guint64 executor; /* name of what they run on (VkQueue); 0: nothing that has a name */
  guint32 first_run;
  guint32 n_runs; /* without nested ones, in execution order; none for a call that failed */
} VtrSubmission;

guint32 vtr_timeline_get_n_recordings (VtrTimeline *self);
/* In the order of their first commands. */
const VtrRecording *vtr_timeline_get_recording (VtrTimeline *self,
                                                guint32      nth);
/* The recording that holds @index, or VTR_NO_RECORDING. O(log n). */
guint32 vtr_timeline_find_recording (VtrTimeline *self,
                                     guint64      index);
/* The recording that running @list at @submit would run. O(log n). */
guint32 vtr_timeline_find_recording_at (VtrTimeline *self,
                                        guint64      list,
                                        guint64      submit);
/* The recordings that command @index of a list runs, VTR_NO_RECORDING for those that are
   not in the trace. Returns: (array length=n) (transfer none): NULL when @index is no such command.
   O(log n). */
const guint32 *vtr_timeline_get_executed (VtrTimeline *self,
                                          guint64      index,
                                          guint32     *n);

/* All submissions: first those of the initial commands, which re-create the state before the
   first call, then those of the program. */
guint32 vtr_timeline_get_n_submissions (VtrTimeline *self);
guint32 vtr_timeline_get_n_initial_submissions (VtrTimeline *self);
const VtrSubmission *vtr_timeline_get_submission (VtrTimeline *self,
                                                  guint32      nth);
/* Which submission the call at @index is; VTR_NO_RECORDING when it is none. O(log n). */
guint32 vtr_timeline_find_submission (VtrTimeline *self,
                                      guint64      index);
guint32 vtr_timeline_get_n_runs (VtrTimeline *self);
const VtrRun *vtr_timeline_get_run (VtrTimeline *self,
                                    guint32      nth);
/* The run that the list at @position of batch @batch is, of the submission at @submit; VTR_NO_RUN: there
 * is none. O(lists of the submission). */
guint32 vtr_timeline_find_run_in (VtrTimeline *self,
                                  guint64      submit,
                                  guint64      batch,
                                  guint64      position);
/* Which run is the @k-th of its recording, from 0; VTR_NO_RUN: not submitted that often. */
guint32 vtr_timeline_find_run_index (VtrTimeline *self,
                                     guint32      recording,
                                     guint32      k);
/* That run, or NULL. */
const VtrRun *vtr_timeline_find_run (VtrTimeline *self,
                                     guint32      recording,
                                     guint32      k);

/* Which run of its recording run @nth is, from 0: the reverse of find_run(). O(log n). */
guint32 vtr_timeline_get_run_number (VtrTimeline *self,
                                     guint32      nth);

/* Which run of its recording @address means. VTR_NO_RUN: the command is in no recording, or the
 * recording never ran. */
guint32 vtr_timeline_get_run_of (VtrTimeline    *self,
                                 const VtrPlace *address);
/* The command at which a replay for @address stops: the submission, for what is inside a list. */
guint64 vtr_timeline_get_stop (VtrTimeline    *self,
                               const VtrPlace *address);
/* The command before @index in its recording. VTR_COMMAND_NO_INDEX: none. */
guint64 vtr_timeline_find_previous (VtrTimeline *self,
                                    guint64      index);

/* Draws and dispatches that the program ran: those of every run of every recording, and those in no list; without what
   the initial commands run. */
guint64 vtr_timeline_get_n_draws (VtrTimeline *self);
guint64 vtr_timeline_get_n_dispatches (VtrTimeline *self);
/* Whether some draw or dispatch of the trace is in no list. */
gboolean vtr_timeline_has_direct_work (VtrTimeline *self);

G_END_DECLS
