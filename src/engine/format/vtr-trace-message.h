/* What readers and writers need to know of a Vitrine command message without decoding it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 thread;
  guint32 flags; /* bits of field 7 */
  guint n_observations;
  gboolean damaged; /* not whole: the rest says what was found before that */
} VtrTraceFacts;

/* Threading: any. */
VtrTraceFacts vtr_trace_survey (const guint8 *message,
                                gsize         size);

G_END_DECLS
