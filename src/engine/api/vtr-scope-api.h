/* P: how an API's commands nest, and which command lists it has (docs/design/api.md, 3.4). */
#pragma once

#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

/* src/engine/state/vtr-timeline-builder.h */
typedef struct _VtrTimelineBuilder VtrTimelineBuilder;

/* What an API says of its commands while a trace's timeline is made. NULL: none of them is in a command list. */
struct _VtrScopeApi
{
  /**
   * @scan_new, @scan, @scan_free: P1
   *
   * Makes what the API keeps during one pass over a trace; gets each command of the API in their order and tells
   * @builder which command lists are recorded and run; and frees it. @scan returns FALSE when the trace turns out to
   * list the commands of several recordings mixed: then the pass begins again, with vtr_timeline_builder_is_mixed ().
   * A trace asks each API only if it has commands of it. Threading: one worker.
   */
  gpointer (*scan_new) (VtrTimelineBuilder *builder);
  gboolean (*scan) (gpointer self,
                    guint64 index,
                    VtrCmdId id);
  void (*scan_free) (gpointer self);
};

G_END_DECLS
