/* The rows of the capture form for the working directory and the environment variables of the program. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/**
 * VtrCaptureEnvironment:
 *
 * Signals: "environment-changed" whenever something in it was edited. Threading: main thread.
 */
#define VTR_TYPE_CAPTURE_ENVIRONMENT (vtr_capture_environment_get_type ())
G_DECLARE_FINAL_TYPE (
  VtrCaptureEnvironment, vtr_capture_environment, VTR, CAPTURE_ENVIRONMENT, AdwExpanderRow)

GtkWidget *vtr_capture_environment_new (void);

/* "NAME=value", those that are valid. (transfer full) */
GStrv vtr_capture_environment_dup_variables (VtrCaptureEnvironment *self);
/* Adds a row for each. */
void vtr_capture_environment_add_variables (VtrCaptureEnvironment        *self,
                                            const char            *const *variables);

/* "": that of Vitrine. (transfer none) */
const char *vtr_capture_environment_get_directory (VtrCaptureEnvironment *self);
void vtr_capture_environment_set_directory (VtrCaptureEnvironment *self,
                                            const char            *directory);

G_END_DECLS
