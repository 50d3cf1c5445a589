/* Formats numbers with digit grouping and shortens device names for labels. */
#include "vtr-config.h"

#include "session/vtr-text.h"

#include <string.h>

#include "engine/model/vtr-command-text.h"

char *
vtr_format_number (guint64 number)
{
  return vtr_format_count (number);
}

char *
vtr_short_device_name (const char *device)
{
  const char *end = strstr (device, " (");

  return end && end > device ? g_strndup (device, (gsize)(end - device)) : g_strdup (device);
}
