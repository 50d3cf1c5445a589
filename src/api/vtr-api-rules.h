/* For the rules of an API (VtrApiModel.answer, .visit_data): the position of the walk, and the
 * visitors of other walkers. Threading: any. */
#pragma once

#include "api/vtr-api-program.h"
#include "api/vtr-api-walk.h"

struct VtrApiWalk
{
  const VtrScope *scope; /* the struct, or the arguments, that the question is about */
  const VtrApiEnv *env;  /* may be NULL */
  VtrPointee pointee;    /* of questions about a length */
};

/* Bytes of @self that a rule may look at, at most @wanted. Returns: 0 when none. */
static inline uint64_t
vtr_pointee_readable (const VtrPointee *self,
                      uint64_t          wanted)
{
  if (self->at == NULL)
    return 0;
  return wanted < self->limit ? wanted : self->limit;
}

/* The slot of @field in the struct of @scope. */
static inline const uint8_t *
vtr_scope_slot (const VtrScope    *scope,
                const VtrApiField *field)
{
  return scope->base + field->offset[VTR_ABI_NATIVE];
}

/* The scope of the arguments around @scope. */
static inline const VtrScope *
vtr_scope_root (const VtrScope *scope)
{
  while (scope->parent != NULL)
    scope = scope->parent;
  return scope;
}

/* The API whose struct or command this is. */
static inline const VtrApiModel *
vtr_scope_api (const VtrScope *scope)
{
#ifdef VTR_API_ONLY
  return vtr_api_models;
#else
  return vtr_api_pages[(scope->struct_id == VTR_STRUCT_NONE ? scope->cmd : scope->struct_id) >>
                       VTR_API_PAGE_BITS];
#endif
}

/* Visits the struct at @base and all below it. Returns: VtrObserveFlags. */
unsigned vtr_visit_struct (const VtrScope      *parent,
                           VtrStructId          id,
                           void                *base,
                           const VtrApiEnv     *env,
                           const VtrApiVisitor *visitor);
