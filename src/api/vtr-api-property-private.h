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
 * A property with what it owns. Children refer to it by address: it must not move.
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

/* Returns: false beyond the last child. */
bool vtr_property_init_child (VtrPropertyNode       *self,
                              const VtrPropertyNode *parent,
                              uint64_t               index);
