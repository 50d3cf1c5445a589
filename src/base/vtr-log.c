#include "vtr-log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static VtrLogSink log_sink;
static void *log_data;

void
vtr_log_set_sink (VtrLogSink  sink,
                  void       *data)
{
  log_sink = sink;
  log_data = data;
}

static VtrLogLevel
threshold (void)
{
  static const char *const names[] = { "error", "warning", "info", "debug" };
  const char *wish = getenv ("VITRINE_LOG");

  if (wish != NULL)
    for (int i = 0; i < 4; i++)
      if (strcmp (wish, names[i]) == 0)
        return (VtrLogLevel)i;
  return VTR_LOG_WARNING;
}

void
vtr_log (VtrLogLevel level,
         const char *format,
         ...)
{
  char message[1024];
  va_list args;

  if (log_sink == NULL && level > threshold ())
    return;

  va_start (args, format);
  vsnprintf (message, sizeof message, format, args);
  va_end (args);

  if (log_sink != NULL)
    log_sink (level, message, log_data);
  else
    fprintf (stderr, "vitrine: %s\n", message);
}
