/* The place in a trace that a request is about. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VTR_NO_RUN G_MAXUINT32

/* A command and, if it is inside a command list, the run of the list that is meant. */
typedef struct _VtrPlace
{
  guint64 index; /* flat */
  guint32 run;   /* vtr_timeline_get_run (); VTR_NO_RUN: outside of lists, or the first run if there is one */
} VtrPlace;

G_END_DECLS
