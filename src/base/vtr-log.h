/* Log messages of the code that does without GLib. Threading: any. */
#pragma once

typedef enum
{
  VTR_LOG_ERROR,
  VTR_LOG_WARNING,
  VTR_LOG_INFO,
  VTR_LOG_DEBUG,
} VtrLogLevel;

/* A line on standard error; silent below VTR_LOG_WARNING unless VITRINE_LOG says more: error, warning,
 * info or debug. */
__attribute__ ((format (printf, 2, 3))) void vtr_log (VtrLogLevel level,
                                                      const char *format,
                                                      ...);
