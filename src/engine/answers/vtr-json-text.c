/* Prints JSON under a lock, because json-glib counts references without atomic operations. */
#include "vtr-config.h"

#include "engine/answers/vtr-json-text.h"

static GMutex lock;

char *
vtr_json_to_text (JsonNode *node,
                  gboolean  pretty)
{
  char *text;

  g_mutex_lock (&lock);
  text = json_to_string (node, pretty);
  g_mutex_unlock (&lock);
  return text;
}
