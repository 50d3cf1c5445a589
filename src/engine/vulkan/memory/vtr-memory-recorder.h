/* The writes of recorded command buffers, in terms of objects, until a submission shows where these
 * lie.
   For files of this folder. */
#pragma once

#include "engine/memory/vtr-memory-events.h"
#include "engine/vulkan/memory/vtr-memory-objects.h"

G_BEGIN_DECLS

/**
 * VtrMemoryDraft:
 *
 * One recording. Its writes are kept as references to buffers, images and descriptor sets; draws
 * and
 * dispatches that find the same bound share an entry. Threading: one at a time.
 */
typedef struct _VtrMemoryDraft VtrMemoryDraft;

VtrMemoryDraft *vtr_memory_draft_new (void);
void vtr_memory_draft_free (VtrMemoryDraft *self);

/* Whether vtr_memory_draft_apply() needs a recorded command decoded; of others (draws) it wants
 * only
   the id. */
gboolean vtr_memory_draft_wants (const VtrMemoryObjects *objects,
                                 VtrCmdId                id);
/* @draws_store: shaders of drawing stages may store, by the features of the device. */
void vtr_memory_draft_apply (VtrMemoryDraft   *self,
                             VtrMemoryObjects *objects,
                             VtrTimeline      *timeline,
                             gboolean          draws_store,
                             VtrCmdId          id,
                             guint64           index,
                             const VtrCommand *command);

/* Finds the draft of a recording; NULL: there is none. */
typedef VtrMemoryDraft *(*VtrMemoryDraftFunc) (gpointer data, guint32 recording);

/* The writes if it runs now, in the store. Made again only when descriptors or addresses have
   changed since. *@exact, *@maybe: (transfer none): all of it, as sorted, disjoint VtrRange. */
guint32 vtr_memory_draft_resolve (VtrMemoryDraft      *self,
                                  VtrMemoryObjects    *objects,
                                  VtrMemoryDraftFunc   find,
                                  gpointer             find_data,
                                  VtrBuffer           *store,
                                  const GArray       **exact,
                                  const GArray       **maybe);

G_END_DECLS
