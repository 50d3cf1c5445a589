/* Follows which memory is mapped while a GAPID trace is read: the program's writes there come as
 * observations of its addresses. */
#pragma once

#include "engine/gapid/vtr-gapid-initial.h"

G_BEGIN_DECLS

/**
 * VtrGapidMapper:
 *
 * Threading: one at a time.
 */
typedef struct _VtrGapidMapper VtrGapidMapper;

VtrGapidMapper *vtr_gapid_mapper_new (void);
void vtr_gapid_mapper_free (VtrGapidMapper *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrGapidMapper, vtr_gapid_mapper_free)

/* Appends to @writes (of VtrGapidContent) those parts of an observed range that lie in mapped
 * memory. */
void vtr_gapid_mapper_cut (VtrGapidMapper *self,
                           guint64         base,
                           guint64         size,
                           guint64         resource,
                           GArray         *writes);

/* Follows a call that allocates, frees, maps or unmaps; others mean nothing. */
void vtr_gapid_mapper_follow (VtrGapidMapper   *self,
                              const VtrCommand *command);

/* Whether vtr_gapid_mapper_follow() wants to see calls of @id. */
gboolean vtr_gapid_mapper_wants (VtrCmdId id);

G_END_DECLS
