/* The inside of VtrApiState, for the mutator and for those who show it. */
#pragma once

#include "engine/vulkan/state/vtr-api-state.h"
#include "engine/vulkan/state/vtr-state-record.h"

G_BEGIN_DECLS

#define VTR_RECORDS_PER_PAGE 64

typedef struct
{
  gatomicrefcount refs;
  VtrStateRecord *records[VTR_RECORDS_PER_PAGE];
} VtrStatePage;

/* An image that a render pass instance works on. */
typedef struct
{
  guint32 view, image;           /* object ids; 0: unknown */
  VkImageSubresourceRange range; /* of the image's layouts; with all aspects it has */
  gboolean stencil_only;         /* dynamic rendering: the stencil attachment alone */
  gboolean depth_only;
} VtrPassImage;

/**
 * VtrStatePass:
 *
 * A render pass instance as it was begun. Immutable. Atomically reference-counted.
 */
typedef struct
{
  gatomicrefcount refs;
  guint32 begin;                    /* flat index of the command that began it */
  guint32 render_pass, framebuffer; /* object ids; 0 with dynamic rendering */
  const VtrRenderPassFact *fact;    /* NULL with dynamic rendering, or when unknown */
  gboolean dynamic, suspending, resuming;
  guint32 n_images;
  VtrPassImage *images;
  guint32 *layouts; /* dynamic rendering: of each image */
} VtrStatePass;

VtrStatePass *vtr_state_pass_ref (VtrStatePass *self);
void vtr_state_pass_unref (VtrStatePass *self);

struct _VtrApiState
{
  gatomicrefcount refs;
  VtrTimeline *timeline;
  VtrHistory *history;
  struct _VtrStateShared *shared; /* facts, ends: of the store, counted */

  guint64 index; /* state after this command; VTR_COMMAND_NO_INDEX: before the first */
  guint32 run;
  guint32 n_pages;
  VtrStatePage **pages; /* NULL: no record there */

  /* Of a recorded command in a run. */
  VtrStatePass *pass;
  guint32 subpass;
  gboolean suspended; /* .pass was suspended, and the next command buffer resumes it */

  VtrApiState *previous; /* before the command; NULL unless asked for by vtr_state_store_get() */
};

/* What all states of a store need, living as long as any of them. */
typedef struct _VtrStateShared
{
  gatomicrefcount refs;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrStateFacts *facts;
  guint32 n_objects;
  guint32 *children_start; /* [n_objects + 2]: of .children, by parent */
  guint32 *children;
  guint32 n_ends;
  guint32 *ends; /* ids of objects that end, by when */
  GMutex uses_lock;
  GHashTable *uses; /* recording → GArray of ids (vtr-state-uses.c); guarded by uses_lock */
} VtrStateShared;

VtrStateShared *vtr_state_shared_new (VtrTimeline *timeline,
                                      VtrHistory  *history);
VtrStateShared *vtr_state_shared_ref (VtrStateShared *self);
void vtr_state_shared_unref (VtrStateShared *self);

/* Before the first command. */
VtrApiState *vtr_api_state_new (VtrStateShared *shared);
/* Shares everything. */
VtrApiState *vtr_api_state_copy (VtrApiState *self);
/* What has changed in @id; NULL: nothing. */
const VtrStateRecord *vtr_api_state_peek (VtrApiState *self,
                                          guint32      id);
/* The record of @id, this state's own, made when there is none. NULL: no such object. */
gpointer vtr_api_state_edit (VtrApiState *self,
                             guint32      id);
void vtr_api_state_drop (VtrApiState *self,
                         guint32      id);
/* Bytes of pages and records that @before does not share. */
gsize vtr_api_state_measure (VtrApiState *self,
                             VtrApiState *before);
/* The last command that ran before the state's own position and is of one of @classes; and the last
   submission. VTR_COMMAND_NO_INDEX: none. */
guint64 vtr_api_state_find_last (VtrApiState *self,
                                 VtrApiClass  classes);
/* Children (objects made from @id) in order of creation, dead or alive. */
const guint32 *vtr_state_shared_get_children (VtrStateShared *self,
                                              guint32         id,
                                              guint32        *n);

/* For tests: a checkpoint after so much work. Before anything is asked. */
void vtr_state_store_set_distance (VtrStateStore *self,
                                   guint64        work);

G_END_DECLS
