/* VtrSession itself, and how it fills its report. */
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
  gboolean compared;    /* the compatibility report was requested */
  gboolean guesses;     /* addresses were estimated when it was requested */
  gboolean told;        /* it was answered */
  gboolean report_read; /* the report contains the findings of the document, or the reason why there
                           are none */
  gboolean validated;   /* the report contains the messages of a validated replay */
  GListStore *log;
  GCancellable *cancellable;
  GHashTable *failed; /* guint64 *: commands that ended a replay */
};

/* Starts the log and the report, with facts about the trace and the findings of the document. */
void vtr_session_read_report (VtrSession *self);
/* Adds the compatibility problems to the report once a replay has started, because its device is
 * known then; again if addresses turn out to be estimated. */
void vtr_session_compare_devices (VtrSession *self);

G_END_DECLS
