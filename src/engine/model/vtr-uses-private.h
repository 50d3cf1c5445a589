/* Counting uses, for those that know an API. */
#pragma once

#include "engine/model/vtr-uses.h"

G_BEGIN_DECLS

/* To be counted up. @id: an object's */
VtrImageUses *vtr_uses_edit_image (VtrUses *self,
                                   guint32  id);
VtrPipelineUses *vtr_uses_edit_pipeline (VtrUses *self,
                                         guint32  id);
/* Command @index writes the image. */
void vtr_image_uses_note_write (VtrImageUses *self,
                                guint64       index);
/* Adds to a list of VtrUse, each image once. Nothing for image 0 or without flags. */
void vtr_use_list_add (GArray  *list,
                       guint32  image,
                       guint32  flags);

G_END_DECLS
