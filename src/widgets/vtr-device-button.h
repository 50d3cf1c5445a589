/* The button in the status bar that shows the state of the replay. A click lists the devices
 * that it can run on. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/**
 * VtrDeviceButton:
 *
 * A thread lists the devices when the list is first opened; they are kept for the process. Signal:
 * "chosen" (const char *wish): the user's choice: a device as vtr_document_set_replay_device()
 * takes it ("": the best one for the trace), with "?addresses=exact" or "?addresses=guess" appended
 * where that was chosen. Threading: main.
 */
#define VTR_TYPE_DEVICE_BUTTON (vtr_device_button_get_type ())
G_DECLARE_FINAL_TYPE (VtrDeviceButton, vtr_device_button, VTR, DEVICE_BUTTON, GtkWidget)

GtkWidget *vtr_device_button_new (void);
/* @icon NULL: none. @css_class: of the icon; NULL: none. */
void vtr_device_button_set_status (VtrDeviceButton *self,
                                   const char      *icon,
                                   const char      *css_class,
                                   const char      *text);
/* Shows the choice for the current trace. */
void vtr_device_button_set_device (VtrDeviceButton    *self,
                                   const char         *device,
                                   VtrReplayAddresses  addresses);
void vtr_device_button_popup (VtrDeviceButton *self);

G_END_DECLS
