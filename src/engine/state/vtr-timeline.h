/* What ran when: submissions, the command buffers they ran, passes and markers inside them. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

/**
 * VtrTimeline:
 *
 * Built by one pass over a trace that decodes only allocations, begins, executes and submissions.
 * In a Vitrine file a recorded command buffer is a contiguous run of flat indices [first, last]
 * (vkBeginCommandBuffer … vkEndCommandBuffer), because a block is published as a whole. In files
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

/* One recording of a command buffer. */
typedef struct
{
  guint64 command_buffer; /* VkCommandBuffer */
  guint64 first, last;    /* flat indices */
  guint32 level;          /* VkCommandBufferLevel */
  guint32 queue_family;   /* of its pool; G_MAXUINT32: unknown */
  guint32
    first_run;                                /* first of its runs in vtr_timeline_get_run() order; VTR_NO_RUN: never submitted */
  guint32 n_runs;                             /* how often it was submitted (or executed, for secondaries) */
  guint32 n_draws, n_dispatches, n_transfers; /* with those of the secondaries it executes */
  guint32 n_passes;                           /* begun; likewise */
  gboolean complete;                          /* ended; not abandoned or unfinished */
} VtrRecording;

/* One execution of a recording: command buffer @position of batch @batch of the submission. */
typedef struct
{
  guint32 recording;
  guint64 submit;   /* flat index of vkQueueSubmit, vkQueueSubmit2 */
  guint32 batch;    /* VkSubmitInfo */
  guint32 position; /* in the batch; secondaries: in the vkCmdExecuteCommands */
  guint64
    executed_by;       /* secondaries: flat index of the vkCmdExecuteCommands; else VTR_COMMAND_NO_INDEX */
  guint32 parent;      /* secondaries: run of the executing recording; else VTR_NO_RUN */
  guint32 first_child; /* runs of the secondaries it executes, by executed_by, then position */
  guint32 n_children;
} VtrRun;

typedef struct
{
  guint64 submit; /* flat index */
  guint64 queue;  /* VkQueue */
  guint32 first_run,
    n_runs; /* primaries only, in execution order; none for a submission that failed */
} VtrSubmission;

guint32 vtr_timeline_get_n_recordings (VtrTimeline *self);
/* In the order of their first commands. */
const VtrRecording *vtr_timeline_get_recording (VtrTimeline *self,
                                                guint32      nth);
/* The recording that holds @index (a vkCmd*, vkBegin/EndCommandBuffer), or VTR_NO_RECORDING. O(log
   n). */
guint32 vtr_timeline_find_recording (VtrTimeline *self,
                                     guint64      index);
/* The recording that executing @command_buffer at @submit would run. O(log n). */
guint32 vtr_timeline_find_recording_at (VtrTimeline *self,
                                        guint64      command_buffer,
                                        guint64      submit);
/* The recordings that the vkCmdExecuteCommands at @index runs, VTR_NO_RECORDING for those that are
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
/* Which submission the vkQueueSubmit… at @index is; VTR_NO_RECORDING when it is none. O(log n). */
guint32 vtr_timeline_find_submission (VtrTimeline *self,
                                      guint64      index);
guint32 vtr_timeline_get_n_runs (VtrTimeline *self);
const VtrRun *vtr_timeline_get_run (VtrTimeline *self,
                                    guint32      nth);
/* The run that the command buffer at @position of batch @batch is, of the submission at @submit; VTR_NO_RUN: there
 * is none. O(command buffers of the submission). */
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
/* The command at which a replay for @address stops: the submission, for what is inside a command
 * buffer. */
guint64 vtr_timeline_get_stop (VtrTimeline    *self,
                               const VtrPlace *address);
/* The command before @index in its recording. VTR_COMMAND_NO_INDEX: none. */
guint64 vtr_timeline_find_previous (VtrTimeline *self,
                                    guint64      index);

/* Draws and dispatches that the program ran: those of every run of every recording, without what
   the initial commands submit. */
guint64 vtr_timeline_get_n_draws (VtrTimeline *self);
guint64 vtr_timeline_get_n_dispatches (VtrTimeline *self);

G_END_DECLS
