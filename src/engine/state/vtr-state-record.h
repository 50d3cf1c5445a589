/* Records: the changes of an object since its creation, shared by all states in which they are
 * equal. */
#pragma once

#include <glib.h>

#include "engine/api/vtr-state-api.h"
#include "engine/state/vtr-lifetimes.h"

G_BEGIN_DECLS

/* First member of every record; the API's members follow (VtrStateApi.record_size). Threading: a
 * record with several references is immutable. */
typedef struct _VtrStateRecord
{
  gatomicrefcount refs;
  guint32 type;    /* of its object, or VTR_RECORD_OWN */
  guint32 command; /* that changed it last */
} VtrStateRecord;

/* .type of the one record that an API has in each state besides those of objects; @id: any of the API's. */
#define VTR_RECORD_OWN(id) (0x10000u | ((id)&0xf000u))

/* The record of @object right after its creation. @shared: the data that its API keeps for all
 * states (VtrStateApi.shared_new). (transfer full) */
VtrStateRecord *vtr_state_record_new (gpointer         shared,
                                      const VtrObject *object);
/* The record of the API of @id that belongs to no object, all zero. (transfer full) */
VtrStateRecord *vtr_state_record_new_own (guint32 id);
VtrStateRecord *vtr_state_record_copy (const VtrStateRecord *self);
VtrStateRecord *vtr_state_record_ref (VtrStateRecord *self);
void vtr_state_record_unref (VtrStateRecord *self);
/* Its size in bytes. */
gsize vtr_state_record_measure (const VtrStateRecord *self);

G_END_DECLS
