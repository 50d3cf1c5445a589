/* Prints JSON that several threads share. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The text of @node. The answers of a document are shared: json_to_string () counts references to
 * them without atomic operations, so two threads that print one answer at a time would free it.
 *
 * Threading: any. Returns: (transfer full) */
char *vtr_json_to_text (JsonNode *node,
                        gboolean  pretty);

G_END_DECLS
