/* Which bytes of memory may hold tokens.
 *
 * A token is a few bytes that the driver gave the program, that the program puts into memory, and
 * that mean something to that driver in that process only: the handle of a shader group in a shader
 * binding table, or a descriptor in a descriptor buffer. A replay gets other bytes. This plan lists
 * the memory to search for the captured ones: buffers of the right usage, and what is copied to
 * them. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_TOKEN_GROUP,      /* of vkGetRayTracingShaderGroupHandlesKHR */
  VTR_TOKEN_DESCRIPTOR, /* of vkGetDescriptorEXT */
  VTR_N_TOKEN_KINDS,
} VtrTokenKind;

/* [.begin, .end) of an allocation. */
typedef struct
{
  guint64 allocation; /* index of its vkAllocateMemory */
  guint64 begin, end;
  guint64 phase; /* offset of any token modulo the step of the plan */
} VtrTokenRange;

/**
 * VtrTokenPlan:
 *
 * Made by one pass over a trace. Threading: any (immutable).
 */
typedef struct _VtrTokenPlan VtrTokenPlan;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. Returns: *@out NULL where no program asked
 * for tokens of this kind. */
gboolean vtr_token_plan_new (VtrTrace      *trace,
                             VtrTokenKind   kind,
                             VtrTokenPlan **out,
                             GCancellable  *cancellable,
                             GError       **error);
void vtr_token_plan_free (VtrTokenPlan *self);

VtrTokenKind vtr_token_plan_get_kind (const VtrTokenPlan *self);

/* The distance of the places where a token can begin, in bytes. */
guint vtr_token_plan_get_step (const VtrTokenPlan *self);

/* Those that overlap bytes of an allocation; by .begin. Returns: of VtrTokenRange. (transfer full) */
GArray *vtr_token_plan_find (const VtrTokenPlan *self,
                             guint64             allocation,
                             guint64             begin,
                             guint64             end);

G_END_DECLS
