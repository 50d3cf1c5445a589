/* Property nodes on the stack, for those who walk a tree once. Threading: any. */
#pragma once

#include "api/vtr-api-print.h"
#include "api/vtr-api-slot-private.h"

typedef struct VtrPropertyRoot
{
  VtrCmdId cmd;
  const VtrDecoded *decoded; /* nullable */
  const VtrApiEnv *env;
} VtrPropertyRoot;

/**
 * VtrPropertyNode:
 *
 * A property with the data that it owns. Children refer to it by address: it must not move.
 */
typedef struct
{
  VtrProperty property; /* first */
  VtrScope inner;       /* of its members, for structs and arguments */
  char index_name[24];
} VtrPropertyNode;

void vtr_property_init_args (VtrPropertyNode       *self,
                             const VtrPropertyRoot *root,
                             const void            *args);
void vtr_property_init_struct (VtrPropertyNode       *self,
                               const VtrPropertyRoot *root,
                               VtrStructId            id,
                               const void            *base);

/* The value of a VTR_PROPERTY_HANDLE for people. */
static inline uint64_t
vtr_property_shown_handle (const VtrProperty *self)
{
  const VtrApiEnv *env = self->root->env;

  return self->value == 0 || env == NULL || env->shown_name == NULL
           ? self->value
           : env->shown_name (env->data, self->value);
}

/* Returns: false beyond the last child. */
bool vtr_property_init_child (VtrPropertyNode       *self,
                              const VtrPropertyNode *parent,
                              uint64_t               index);
