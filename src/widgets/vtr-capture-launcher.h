/* The group of the capture form that chooses which processes to capture, also those that a
 * launcher starts. */
#pragma once

#include <adwaita.h>

#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

/* Property: "waits": a program is waited for instead of started. Threading: main. */
#define VTR_TYPE_CAPTURE_LAUNCHER (vtr_capture_launcher_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureLauncher, vtr_capture_launcher, VTR, CAPTURE_LAUNCHER, GtkWidget)

GtkWidget *vtr_capture_launcher_new (GSettings *settings);
gboolean vtr_capture_launcher_get_waits (VtrCaptureLauncher *self);
/* Names of programs, "*" for anything; NULL: all. (transfer full) */
char **vtr_capture_launcher_dup_only (VtrCaptureLauncher *self);
/* Those never to capture; NULL: none. (transfer full) */
char **vtr_capture_launcher_dup_not (VtrCaptureLauncher *self);

G_END_DECLS
