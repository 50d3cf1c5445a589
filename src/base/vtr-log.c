/* Prints warnings and debug messages of the code that does without GLib to standard error. */
#include "vtr-log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

  if (level > threshold ())
    return;

  va_start (args, format);
  vsnprintf (message, sizeof message, format, args);
  va_end (args);

  fprintf (stderr, "vitrine: %s\n", message);
}
