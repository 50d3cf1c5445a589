/* Which bytes of memory become shader binding tables.
 *
 * Handles of shader groups are the driver's own, and may be others in a replay. What lies in buffers
 * that can be tables, and what is copied there, has to be looked through for them. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* Handles begin at least so far apart: the smallest alignment that drivers ask for. */
#define VTR_TOKEN_STEP 16u

/* [.begin, .end) of an allocation. */
typedef struct
{
  guint64 allocation; /* index of its vkAllocateMemory */
  guint64 begin, end;
  guint64 phase; /* offset of any handle modulo VTR_TOKEN_STEP */
} VtrTokenRange;

/**
 * VtrTokenPlan:
 *
 * Made by one pass over a trace. Threading: any (immutable).
 */
typedef struct _VtrTokenPlan VtrTokenPlan;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. Returns: *@out NULL where no program asked
 * for such handles. */
gboolean vtr_token_plan_new (VtrTrace      *trace,
                             VtrTokenPlan **out,
                             GCancellable  *cancellable,
                             GError       **error);
void vtr_token_plan_free (VtrTokenPlan *self);

/* Those that overlap bytes of an allocation; by .begin. Returns: of VtrTokenRange. (transfer full) */
GArray *vtr_token_plan_find (const VtrTokenPlan *self,
                             guint64             allocation,
                             guint64             begin,
                             guint64             end);

G_END_DECLS
