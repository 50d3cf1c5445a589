/* The kind of work that a command makes the device do: draw, dispatch or trace rays.
 *
 * The class of a command tells the kind, except for commands that run device-generated commands (VTR_CLASS_GENERATED): their
 * arguments tell it. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* Returns: VTR_CLASS_DRAW, VTR_CLASS_DISPATCH or VTR_CLASS_TRACE_RAYS; 0: the command does no such work. */
VtrApiClass vtr_work_of (VtrCmdId    id,
                         const void *args);

/* Like vtr_work_of(), for command @index; decodes it only if needed. Threading: that of @trace. */
VtrApiClass vtr_work_at (VtrTrace *trace,
                         guint64   index);

/* The index of the bind point for @work, as returned by vtr_bind_point_index (); 3 if @work is 0. */
guint vtr_work_get_point (VtrApiClass work);

G_END_DECLS
