/* Thumbnails for the rows of the command list: the image that was drawn to, after each command. */
#pragma once

#include "engine/model/vtr-command-tree.h"
#include "session/vtr-session.h"
#include "widgets/vtr-thumb.h"

G_BEGIN_DECLS

#define VTR_COMMAND_THUMB_WIDTH 36
#define VTR_COMMAND_THUMB_HEIGHT 20

/* Threading: main. */
typedef struct _VtrCommandThumbs VtrCommandThumbs;

VtrCommandThumbs *vtr_command_thumbs_new (void);
void vtr_command_thumbs_free (VtrCommandThumbs *self);
/* Loads thumbnails of the trace of @session; NULL: drops all. */
void vtr_command_thumbs_set_session (VtrCommandThumbs *self,
                                     VtrSession       *session);
/* Loads thumbnails for the rows of the selected frame only. Replaying another frame would drop the
 * snapshot that answers the next selection at once. Thumbnails of other frames stay if they were
 * loaded. Call it again when the frame changes. */
void vtr_command_thumbs_show (VtrCommandThumbs  *self,
                              VtrThumb          *thumb,
                              const VtrTreeNode *node);
void vtr_command_thumbs_drop (VtrCommandThumbs *self,
                              VtrThumb         *thumb);

G_END_DECLS
