/* Validation messages with the names and numbers that objects have in the trace.
 *
 * Threading: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Puts @names where @text has @handles, the replay's own, with their types before and their names
 * behind: "VkImage 0x7[]" becomes "image 12". Handles come from the replayer and names from the trace,
 * so names are cut, and inserted names are not searched again. (transfer full) */
char *vtr_complaint_text_new (const char           *text,
                              const guint64        *handles,
                              const char    *const *names,
                              gsize                 n);

G_END_DECLS
