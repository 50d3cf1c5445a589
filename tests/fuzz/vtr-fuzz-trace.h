/* Writes a small valid trace, and reads everything of a trace that may be damaged. */
#pragma once

#include <glib.h>

/* Writes a trace with a few commands of every kind to a new file. Returns: (transfer full): its
 * path */
char *vtr_fuzz_write_trace (void);

/* Opens @data as a file and asks for everything. */
void vtr_fuzz_read_trace (const guint8 *data,
                          gsize         size);
