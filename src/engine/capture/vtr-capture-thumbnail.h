/* The picture of a captured frame, in its trace. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Replays the first frame of a trace that is complete and puts a small picture of it into the
 * trace's header. Blocks; on errors, and when cancelled, the trace stays as it is. A replay that
 * does not end when it is cancelled is left to a thread of its own: returns at once all the same.
 * Threading: any. */
gboolean vtr_capture_thumbnail_add (const char    *path,
                                    GCancellable  *cancellable,
                                    GError       **error);

G_END_DECLS
