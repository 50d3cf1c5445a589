/* The Trace Information window: what a trace contains and where it comes from. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

/* Shows the window above @parent. */
void vtr_trace_information_show (GtkWindow  *parent,
                                 VtrSession *session);

G_END_DECLS
