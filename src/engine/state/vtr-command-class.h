/* The kinds of commands, by the classes of the tables or by their API. Threading: any. */
#pragma once

#include "engine/api/vtr-scope-api.h"
#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* The icon of a command. */
VtrCommandKind vtr_command_kind (VtrCmdId id);
/* The statistic in which command @index is counted. */
VtrCommandCount vtr_command_count (VtrTrace *trace,
                                   guint64   index);

G_END_DECLS
