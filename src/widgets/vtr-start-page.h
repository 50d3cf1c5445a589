/* The start page: recent traces as cards, Open and Capture. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-recent-store.h"

G_BEGIN_DECLS

/* Signal: "open" (GFile *file, gboolean new_window). */
#define VTR_TYPE_START_PAGE (vtr_start_page_get_type ())
G_DECLARE_FINAL_TYPE (VtrStartPage, vtr_start_page, VTR, START_PAGE, GtkWidget)

GtkWidget *vtr_start_page_new (void);
void vtr_start_page_set_store (VtrStartPage   *self,
                               VtrRecentStore *store);

G_END_DECLS
