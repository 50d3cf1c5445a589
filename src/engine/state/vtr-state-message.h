/* The errors that the model of an API finds in a trace. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How much a message of the model's checks matters. */
typedef enum
{
  VTR_STATE_INFO,
  VTR_STATE_WARNING,
  VTR_STATE_ERROR,
} VtrStateLevel;

/* An error of a command, as far as the trace alone can tell. */
typedef struct
{
  VtrStateLevel level;
  guint64 index;     /* flat index of the command */
  const char *check; /* "image-layout", "query", …: static */
  char *text;        /* a sentence */
} VtrStateMessage;

G_END_DECLS
