/* The group of the capture form that chooses when a capture starts. It stores the choice in
 * GSettings. */
#pragma once

#include <adwaita.h>

#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

/* Property: "trigger" (VtrCaptureTrigger). Threading: main. */
#define VTR_TYPE_CAPTURE_BEGIN (vtr_capture_begin_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureBegin, vtr_capture_begin, VTR, CAPTURE_BEGIN, GtkWidget)

GtkWidget *vtr_capture_begin_new (GSettings *settings);
VtrCaptureTrigger vtr_capture_begin_get_trigger (VtrCaptureBegin *self);
/* Fills in the trigger and its options. For captures from launch, another row has the number of
 * frames. */
void vtr_capture_begin_fill (VtrCaptureBegin   *self,
                             VtrCaptureOptions *options);

G_END_DECLS
