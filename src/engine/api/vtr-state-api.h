/* S: which objects an API's commands make, what their state is, and what a command finds bound (docs/design/api.md, 3.5). */
#pragma once

#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

/* Of src/engine/format and src/engine/state. */
typedef struct _VtrCommand VtrCommand;
typedef struct _VtrIdentity VtrIdentity;
typedef struct _VtrHistoryBuilder VtrHistoryBuilder;

struct _VtrStateApi
{
  /**
   * @objects_new, @objects_free: S1
   *
   * What the API keeps of a trace's objects besides their lifetimes. Made when a history is built, of a trace that has
   * commands of the API, then filled by @lifetimes, then only read. Freed with the history (vtr_history_get_part ()).
   */
  gpointer (*objects_new) (VtrHistoryBuilder *builder);
  void (*objects_free) (gpointer objects);
  /* S1. The history asks once per id, and gives @lifetimes each such command in its order, after what the tables say of
   * it has been done (T5): objects that begin or end besides, names, what the API keeps. NULL: the tables say all.
   * Threading: one worker. */
  gboolean (*wants_lifetimes) (VtrCmdId id);
  void (*lifetimes) (gpointer objects,
                     const VtrCommand *command);
  /* S1. In which namespace command @index looks up the name of @identity, whose kind and name are set: writes
   * .namespace. @objects: what is known up to that command. NULL: in namespace 0. Threading: any. */
  void (*identify) (gconstpointer objects,
                    guint64 index,
                    VtrIdentity *identity);
};

G_END_DECLS
