/* The button in the status bar that shows the state of the replay. A click lists the devices
 * that it can run on. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/**
 * VtrDeviceButton:
 *
 * Devices are asked for when the list is first opened, on a thread, and kept for the process.
 * Signal: "chosen" (const char *wish): what the user wants: a device as vtr_document_set_replay_device()
 * takes it, "" for whatever fits the trace best, and "?addresses=exact" or "?addresses=guess" where
 * that was chosen. Threading: main.
 */
#define VTR_TYPE_DEVICE_BUTTON (vtr_device_button_get_type ())
G_DECLARE_FINAL_TYPE (VtrDeviceButton, vtr_device_button, VTR, DEVICE_BUTTON, GtkWidget)

GtkWidget *vtr_device_button_new (void);
/* @icon NULL: none. @css_class: of the icon; NULL: none. */
void vtr_device_button_set_status (VtrDeviceButton *self,
                                   const char      *icon,
                                   const char      *css_class,
                                   const char      *text);
/* What was chosen for the trace that is shown. */
void vtr_device_button_set_device (VtrDeviceButton    *self,
                                   const char         *device,
                                   VtrReplayAddresses  addresses);
void vtr_device_button_popup (VtrDeviceButton *self);

G_END_DECLS
