/* A row of the command tree. */
#pragma once

#include "engine/api/vtr-scope-api.h"

G_BEGIN_DECLS

/**
 * VtrTreeNode:
 *
 * A value: copy freely. Children are computed on demand and never stored per command, so a
 * million-command trace costs nothing until it is unfolded.
 */
struct _VtrTreeNode
{
  VtrNodeKind kind;
  VtrCommandKind icon;
  guint64
    command;           /* flat index that selecting this row means (of a group: its last command); always valid but for ROOT */
  guint64 first, last; /* flat range of what the row stands for, inside its run or frame */
  guint32 run;         /* run (vtr_timeline_get_run) it belongs to; VTR_NO_RUN outside */
  guint32 depth;       /* 0 for frames */
  guint32 n_children;
};

G_END_DECLS
