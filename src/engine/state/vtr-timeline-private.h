/* The fields of VtrTimeline, for its builder. */
#pragma once

#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/* A command in a list that runs other lists. */
typedef struct
{
  guint64 index;
  guint32 recording;    /* that it belongs to */
  guint32 first, count; /* of VtrTimeline.executed */
} VtrExecute;

struct _VtrTimeline
{
  gatomicrefcount refs;
  VtrTrace *trace;
  GArray *recordings;            /* of VtrRecording */
  GArray *executes;              /* of VtrExecute, by index */
  GArray *executed;              /* of guint32, recordings */
  GArray *submissions;           /* of VtrSubmission */
  GArray *runs;                  /* of VtrRun */
  guint32 *run_order;            /* runs sorted by recording, then age */
  guint32 *run_start;            /* of each recording in run_order */
  guint32 *membership;           /* of each command, when recordings are interleaved; else NULL */
  GHashTable *by_list;           /* list (guint64 *) → GArray of guint32, recordings in order */
  guint64 n_draws, n_dispatches; /* of the program; not those of the initial commands */
  gboolean has_direct_work;      /* some draw or dispatch is in no list */
  guint32 n_initial_submissions; /* made by the initial commands; they come first */
};

#define vtr_timeline_recording_at(self, nth) (&g_array_index ((self)->recordings, VtrRecording, (nth)))
#define vtr_timeline_run_at(self, nth) (&g_array_index ((self)->runs, VtrRun, (nth)))

/* Index of the first of .executes at or after command @index. */
guint32 vtr_timeline_find_execute (VtrTimeline *self,
                                   guint64      index);

G_END_DECLS
