/* A cell of the Command column: indentation, expander, icon, text, a mark if the replay failed
 * there, thumbnail. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-session.h"
#include "widgets/vtr-command-item.h"
#include "widgets/vtr-thumb.h"

G_BEGIN_DECLS

/* Signal: "toggle" () when the expander is clicked. */
#define VTR_TYPE_COMMAND_ROW (vtr_command_row_get_type ())
G_DECLARE_FINAL_TYPE (VtrCommandRow, vtr_command_row, VTR, COMMAND_ROW, GtkWidget)

GtkWidget *vtr_command_row_new (void);
/* Shows @item; NULL: shows nothing. */
void vtr_command_row_set_item (VtrCommandRow  *self,
                               VtrSession     *session,
                               VtrCommandItem *item,
                               gboolean        prefix);
VtrCommandItem *vtr_command_row_get_item (VtrCommandRow *self);
/* The thumbnail at the end of the row; hidden until a caller shows it. */
VtrThumb *vtr_command_row_get_thumb (VtrCommandRow *self);
/* Marks the row if the replay failed at its command, which may become known while the row is on
 * screen. */
void vtr_command_row_update_failed (VtrCommandRow *self);
/* Marks the row if its command is disabled. */
void vtr_command_row_update_edited (VtrCommandRow *self);

G_END_DECLS
