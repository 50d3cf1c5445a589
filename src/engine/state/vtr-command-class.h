/* What commands are, by the classes of the tables, or by what their API says. Threading: any. */
#pragma once

#include "engine/api/vtr-scope-api.h"
#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* Which icon a command gets. */
VtrCommandKind vtr_command_kind (VtrCmdId id);
/* As what command @index is counted. */
VtrCommandCount vtr_command_count (VtrTrace *trace,
                                   guint64   index);

G_END_DECLS
