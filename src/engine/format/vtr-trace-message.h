/* The fields of a Vitrine command message that readers and writers need without decoding it. */
#pragma once

#include <glib.h>

#include "engine/format/vtr-trace-tables.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 thread;    /* 0: the stream says it */
  guint32 namespace; /* 0: the stream says it */
  guint32 flags;     /* bits of field 7 */
  guint n_observations;
  guint64 ticket;   /* of a call whose result comes apart; 0: not said */
  gboolean damaged; /* not whole: the rest says what was found before that */
} VtrTraceFacts;

/* Type of the extra that keeps the ticket of a pending call, for whoever continues the file. */
#define VTR_TRACE_TICKET_EXTRA "vitrine.Ticket"

/* Threading: any. */
VtrTraceFacts vtr_trace_survey (const guint8 *message,
                                gsize         size);

/* The stream of a command with @self, behind a vitrine.Batch of @batch. */
static inline VtrTraceStream
vtr_trace_stream_of (const VtrTraceFacts  *self,
                     const VtrTraceStream *batch)
{
  VtrTraceStream stream = { self->thread, 0 };

  if (self->thread == 0)
    stream = *batch;
  if (self->namespace != 0)
    stream.namespace = self->namespace;
  return stream;
}

G_END_DECLS
