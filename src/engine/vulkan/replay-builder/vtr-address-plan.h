/* The addresses of device memory that a program asked for. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/**
 * VtrAddressPlan:
 *
 * Made by one pass over the commands that allocate, bind and ask for addresses; empty when the
 * program never asks. Threading: any (immutable).
 */
typedef struct _VtrAddressPlan VtrAddressPlan;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrAddressPlan *vtr_address_plan_new (VtrTrace      *trace,
                                      GCancellable  *cancellable,
                                      GError       **error);
void vtr_address_plan_free (VtrAddressPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrAddressPlan, vtr_address_plan_free)

/* Whether the program asked for no address. */
gboolean vtr_address_plan_is_empty (const VtrAddressPlan *self);

/* The address of the memory that command @index allocated; 0: the program never asked. */
guint64 vtr_address_plan_find (const VtrAddressPlan *self,
                               guint64               index);

/* The address that the program got for the acceleration structure that command @index created; 0:
 * it never asked. */
guint64 vtr_address_plan_find_structure (const VtrAddressPlan *self,
                                         guint64               index);

/* Whether what command @index created, a buffer or an image, lies in such memory. */
gboolean vtr_address_plan_has_tenant (const VtrAddressPlan *self,
                                      guint64               index);

G_END_DECLS
