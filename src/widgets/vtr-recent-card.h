/* A card of the start page: thumbnail, name, facts, menu. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-recent-store.h"

G_BEGIN_DECLS

/* Signals: "open" (gboolean new_window), "remove" (). */
#define VTR_TYPE_RECENT_CARD (vtr_recent_card_get_type ())
G_DECLARE_FINAL_TYPE (VtrRecentCard, vtr_recent_card, VTR, RECENT_CARD, GtkWidget)

GtkWidget *vtr_recent_card_new (VtrRecent *recent);
VtrRecent *vtr_recent_card_get_recent (VtrRecentCard *self);

/* Shows @file in the file manager. @widget: any widget of the window. */
void vtr_show_in_files (GtkWidget *widget,
                        GFile     *file);

G_END_DECLS
