/* The list on the capture page of the Vulkan devices that a program would find here. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_CAPTURE_DEVICES (vtr_capture_devices_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureDevices, vtr_capture_devices, VTR, CAPTURE_DEVICES, GtkWidget)

GtkWidget *vtr_capture_devices_new (void);
/* The environment variables that the user sets for the program, each as "NAME=value". */
void vtr_capture_devices_set_environment (VtrCaptureDevices        *self,
                                          const char        *const *environment);

G_END_DECLS
