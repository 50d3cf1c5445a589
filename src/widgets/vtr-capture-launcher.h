/* The group of the capture form that chooses which processes to capture, also those that a
 * launcher starts. */
#pragma once

#include <adwaita.h>

#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

/* Property: "waits": the capture waits for a program instead of starting one. Threading: main. */
#define VTR_TYPE_CAPTURE_LAUNCHER (vtr_capture_launcher_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureLauncher, vtr_capture_launcher, VTR, CAPTURE_LAUNCHER, GtkWidget)

GtkWidget *vtr_capture_launcher_new (GSettings *settings);
gboolean vtr_capture_launcher_get_waits (VtrCaptureLauncher *self);
/* The names of programs to capture, with "*" for any characters; NULL: all programs. (transfer
 * full) */
char **vtr_capture_launcher_dup_only (VtrCaptureLauncher *self);
/* The names of programs never to capture; NULL: none. (transfer full) */
char **vtr_capture_launcher_dup_not (VtrCaptureLauncher *self);

G_END_DECLS
