/* The Memory pane: the memory that the selected command reads and writes, and any other bytes as
 * they are after it. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_MEMORY_PANE (vtr_memory_pane_get_type ())
G_DECLARE_FINAL_TYPE (VtrMemoryPane, vtr_memory_pane, VTR, MEMORY_PANE, PanelWidget)

GtkWidget *vtr_memory_pane_new (void);
void vtr_memory_pane_set_session (VtrMemoryPane *self,
                                  VtrSession    *session);
/* Shows [@offset, @offset + @size) of a byte space after the selected command. */
void vtr_memory_pane_show (VtrMemoryPane *self,
                           guint32        space,
                           guint64        offset,
                           guint64        size);

G_END_DECLS
