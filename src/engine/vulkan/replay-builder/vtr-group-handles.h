/* The data that gives shader groups their captured handles again, as the layer kept it
 * (VTR_EXTRA_GROUP_HANDLES).
 *
 * A library has no query for the handles of its groups: they are known from the first pipeline that
 * uses it, which comes later. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/**
 * VtrGroupHandles:
 *
 * Made by one pass over the commands that make pipelines with such groups. Threading: any (immutable).
 */
typedef struct _VtrGroupHandles VtrGroupHandles;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. Returns: *@out NULL where no library has
 * handles. */
gboolean vtr_group_handles_new (VtrTrace         *trace,
                                VtrGroupHandles **out,
                                GCancellable     *cancellable,
                                GError          **error);
void vtr_group_handles_free (VtrGroupHandles *self);

/* The handles of all groups in the pCreateInfos of the vkCreateRayTracingPipelinesKHR @command, one
 * after the other, or no bytes where not all are known. @self: (nullable). *@size: bytes of a
 * handle. Returns: (transfer full) (nullable): the pipelines were not made so that they had any. */
GByteArray *vtr_group_handles_find (const VtrGroupHandles *self,
                                    const VtrCommand      *command,
                                    guint32               *size);

G_END_DECLS
