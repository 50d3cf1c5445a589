/* Diagnostics of the S0 core, which has no GLib. Threading: any. */
#pragma once

typedef enum
{
  VTR_LOG_ERROR,
  VTR_LOG_WARNING,
  VTR_LOG_INFO,
  VTR_LOG_DEBUG,
} VtrLogLevel;

typedef void (*VtrLogSink) (VtrLogLevel level,
                            const char *message,
                            void *data);

/* Replaces the sink (standard error, silent below VTR_LOG_WARNING unless VITRINE_LOG says more:
 * error, warning, info or debug). Call before other threads start. */
void vtr_log_set_sink (VtrLogSink  sink,
                       void       *data);

__attribute__ ((format (printf, 2, 3))) void vtr_log (VtrLogLevel level,
                                                      const char *format,
                                                      ...);
