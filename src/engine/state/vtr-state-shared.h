/* The fields of VtrApiState, for the mutator, the APIs and the code that shows states. */
#pragma once

#include "engine/api/vtr-api.h"
#include "engine/state/vtr-api-state.h"
#include "engine/state/vtr-state-record.h"

G_BEGIN_DECLS

#define VTR_RECORDS_PER_PAGE 64

typedef struct
{
  gatomicrefcount refs;
  VtrStateRecord *records[VTR_RECORDS_PER_PAGE];
} VtrStatePage;

struct _VtrApiState
{
  gatomicrefcount refs;
  VtrTimeline *timeline;
  VtrHistory *history;
  struct _VtrStateShared *shared; /* of the store, counted */

  guint64 index; /* state after this command; VTR_COMMAND_NO_INDEX: before the first */
  guint32 run;
  guint32 n_pages;
  VtrStatePage **pages; /* NULL: no record there */

  VtrApiState *previous; /* before the command; NULL unless asked for by vtr_state_store_get() */
};

/* Data that all states of a store need; it lives as long as any of them. */
typedef struct _VtrStateShared
{
  gatomicrefcount refs;
  VtrTimeline *timeline;
  VtrHistory *history;
  gpointer parts[VTR_MAX_APIS]; /* of each API (VtrStateApi.shared_new), or NULL */
  guint32 n_objects;
  guint32 *children_start; /* [n_objects + 2]: of .children, by parent */
  guint32 *children;
  guint32 n_ends;
  guint32 *ends; /* ids of objects that end, by when */
} VtrStateShared;

VtrStateShared *vtr_state_shared_new (VtrTimeline *timeline,
                                      VtrHistory  *history);
VtrStateShared *vtr_state_shared_ref (VtrStateShared *self);
void vtr_state_shared_unref (VtrStateShared *self);

/* The state before the first command. */
VtrApiState *vtr_api_state_new (VtrStateShared *shared);
/* A copy that shares all records. */
VtrApiState *vtr_api_state_copy (VtrApiState *self);
/* The changes of @id; NULL: none. */
const VtrStateRecord *vtr_api_state_peek (VtrApiState *self,
                                          guint32      id);
/* This state's own record of @id, made when there is none. NULL: no such object. */
gpointer vtr_api_state_edit (VtrApiState *self,
                             guint32      id);
void vtr_api_state_drop (VtrApiState *self,
                         guint32      id);
/* Where the record of the API of @id that is no object's stands: behind those of all objects. */
static inline guint32
vtr_api_state_get_own (VtrApiState *self,
                       guint32      id)
{
  return self->shared->n_objects + 1 + vtr_api_get_number (id);
}

/* The record that the API of @id, one of the build, keeps in a state besides those of objects
 * (VTR_RECORD_OWN); NULL: none yet. */
static inline const VtrStateRecord *
vtr_api_state_peek_own (VtrApiState *self,
                        guint32      id)
{
  const guint32 own = vtr_api_state_get_own (self, id);
  const VtrStatePage *page = self->pages[own / VTR_RECORDS_PER_PAGE];

  return page != NULL ? page->records[own % VTR_RECORDS_PER_PAGE] : NULL;
}

/* This state's own copy of it, made when there is none. */
gpointer vtr_api_state_edit_own (VtrApiState *self,
                                 guint32      id);
/* The call at whose time objects are alive or not: for a recorded command in a run, the call that
 * submitted it. */
guint64 vtr_api_state_get_host_index (VtrApiState *self);
/* The size in bytes of pages and records that @before does not share. */
gsize vtr_api_state_measure (VtrApiState *self,
                             VtrApiState *before);
/* The data that the API of @id, one of the build, keeps for all states; NULL: none. (transfer
 * none) */
static inline gpointer
vtr_state_shared_get_part (VtrStateShared *self,
                           guint32         id)
{
  return self->parts[vtr_api_get_number (id)];
}

/* Children (objects made from @id) in order of creation, dead or alive. */
const guint32 *vtr_state_shared_get_children (VtrStateShared *self,
                                              guint32         id,
                                              guint32        *n);

G_END_DECLS
