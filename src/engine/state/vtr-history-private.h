/* The fields of VtrHistory, for the builder that fills it. */
#pragma once

#include "engine/api/vtr-state-api.h"
#include "engine/state/vtr-history.h"

G_BEGIN_DECLS

struct _VtrHistory
{
  gatomicrefcount refs;
  VtrTrace *trace;
  VtrLifetimes *lifetimes;
  gboolean has_namespaces;      /* the trace has any */
  gpointer parts[VTR_MAX_APIS]; /* of each API; NULL: it has no command in the trace, or keeps nothing */
};

G_END_DECLS
