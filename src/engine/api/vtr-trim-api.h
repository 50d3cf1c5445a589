/* X2: the initial commands and contents of an API that the program's calls need. Trimming a trace of a mid-run capture leaves out
 * the others (engine/trim/vtr-trim.h).
 *
 * Threading: the caller's thread; the result of find () belongs to one thread. */
#pragma once

#include <gio/gio.h>

#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

typedef struct _VtrHistory VtrHistory;
typedef struct _VtrTrace VtrTrace;
typedef struct _VtrTraceFilter VtrTraceFilter;

/* Without this table everything of the API stays, because only the API knows which objects its calls use without naming them. */
struct _VtrTrimApi
{
  /* X2. Looks through @trace and sets kept[i] for each initial command i of the API that stays; those of other APIs
   * are not touched. Returns: (transfer full): its findings, NULL with @error. */
  gpointer (*find) (VtrTrace *trace,
                    VtrHistory *history,
                    guint8 *kept,
                    GCancellable *cancellable,
                    GError **error);
  /* Returns: (transfer none): further decisions on commands that stay, contents, and kinds of the
   * API. */
  const VtrTraceFilter *(*get_filter) (gpointer found);
  void (*free) (gpointer found);
};

G_END_DECLS
