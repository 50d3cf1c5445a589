/* Thumbnails for the rows of the command list: what the image drawn to looks like after each of
 * them. */
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
/* @session NULL: forgets the trace. */
void vtr_command_thumbs_set_session (VtrCommandThumbs *self,
                                     VtrSession       *session);
/* Rows of the selected frame only are replayed for: another frame would take away the state that
 * answers the next selection at once. What was seen of others stays. Call again when the frame
 * changes. */
void vtr_command_thumbs_show (VtrCommandThumbs  *self,
                              VtrThumb          *thumb,
                              const VtrTreeNode *node);
void vtr_command_thumbs_drop (VtrCommandThumbs *self,
                              VtrThumb         *thumb);

G_END_DECLS
