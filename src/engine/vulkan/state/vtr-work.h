/* What commands make the device do: draw, dispatch or trace rays.
 *
 * The class of a command tells, except for commands that run device-generated commands
 * (VTR_CLASS_GENERATED): there only the arguments do. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* VTR_CLASS_DRAW, VTR_CLASS_DISPATCH or VTR_CLASS_TRACE_RAYS; 0: none of them. */
VtrApiClass vtr_work_of (VtrCmdId    id,
                         const void *args);

/* Like vtr_work_of(), for command @index; decodes it only if needed. Threading: that of @trace. */
VtrApiClass vtr_work_at (VtrTrace *trace,
                         guint64   index);

/* The index of the bind point that @work uses, as vtr_bind_point_index (). Returns: 3 for 0. */
guint vtr_work_get_point (VtrApiClass work);

G_END_DECLS
