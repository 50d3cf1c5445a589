/* Shared by the files that make up VtrSession. */
#pragma once

#include "session/vtr-session.h"

G_BEGIN_DECLS

struct _VtrSession
{
  GObject parent_instance;

  VtrDocument *document;
  VtrEdits *edits;
  VtrCommandTree *tree;
  char *path;
  guint64 command;
  GArray *history; /* Visit; [cursor] is the selection */
  guint cursor;
  GListStore *report;
  gboolean compared;    /* what the replay's device lacks was asked for */
  gboolean guesses;     /* when it was: addresses are guessed */
  gboolean told;        /* it was answered */
  gboolean report_read; /* what the document finds is in the report, or why it cannot be found */
  gboolean validated;   /* the report holds what a validated replay said */
  GListStore *log;
  GCancellable *cancellable;
  GHashTable *failed; /* guint64 *: commands that ended a replay */
};

/* Begins log and report: what is known of the trace now, and what the document finds. */
void vtr_session_read_report (VtrSession *self);
/* Once a replay has begun its device is known; and later perhaps that addresses must be guessed:
 * adds
 * what that means to the report. */
void vtr_session_compare_devices (VtrSession *self);

G_END_DECLS
