/* Where in a trace a question is asked. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A command and, if it is inside a command list, the run of the list that is meant. */
typedef struct
{
  guint64 index; /* flat */
  guint32 run;   /* vtr_timeline_get_run (); VTR_NO_RECORDING: outside of lists, or the first run if there is one */
} VtrCommandAddress;

G_END_DECLS
