/* Log messages of the code that does without GLib. Threading: any. */
#pragma once

typedef enum
{
  VTR_LOG_ERROR,
  VTR_LOG_WARNING,
  VTR_LOG_INFO,
  VTR_LOG_DEBUG,
} VtrLogLevel;

/* Prints a line on standard error. Messages below VTR_LOG_WARNING are dropped unless VITRINE_LOG
 * (error, warning, info or debug) allows them. */
__attribute__ ((format (printf, 2, 3))) void vtr_log (VtrLogLevel level,
                                                      const char *format,
                                                      ...);
