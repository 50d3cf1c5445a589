/* Finds out from a program's file why layers cannot be loaded into it.
 *
 * Threading: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  VTR_CAPTURE_HINDRANCE_NONE,
  VTR_CAPTURE_HINDRANCE_STATIC,  /* no dynamic linker, so no Vulkan loader: the ELF specification, PT_INTERP */
  VTR_CAPTURE_HINDRANCE_RIGHTS,  /* set-user-id, set-group-id, capabilities: loaders then do not follow the environment */
  VTR_CAPTURE_HINDRANCE_MACHINE, /* built for another machine or for 32 bits, unlike the layer */
} VtrCaptureHindrance;

/* @path: a file that can be run. What cannot be read hinders nothing. */
VtrCaptureHindrance vtr_capture_find_hindrance (const char *path);

G_END_DECLS
