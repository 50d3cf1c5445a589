/* Why a capture failed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VTR_CAPTURE_ERROR (vtr_capture_error_quark ())
GQuark vtr_capture_error_quark (void);

typedef enum
{
  VTR_CAPTURE_ERROR_PROGRAM,    /* not found, not executable, could not be started */
  VTR_CAPTURE_ERROR_NOT_LOADED, /* ended without ever loading the layer */
  VTR_CAPTURE_ERROR_ENDED,      /* a signal ended it before it loaded the layer */
  VTR_CAPTURE_ERROR_NO_DRIVER,  /* no Vulkan driver is installed, or the instance/device could not be made */
  VTR_CAPTURE_ERROR_NOTHING,    /* ended before any call was recorded */
  VTR_CAPTURE_ERROR_LAYER,      /* the layer is missing or of another version */
  VTR_CAPTURE_ERROR_SPACE,      /* no space for the ring or the trace; data written so far is
                                   kept */
  VTR_CAPTURE_ERROR_OPTIONS,    /* options that do not go together */
  VTR_CAPTURE_ERROR_DECLINED,   /* the program's state could not be taken in the middle of its run */
  VTR_CAPTURE_ERROR_FAILED,
} VtrCaptureError;

G_END_DECLS
