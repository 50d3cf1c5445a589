/* A shader's reflection as groups of property rows. */
#pragma once

#include <gtk/gtk.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* @reflection: what "objects/ID/shader/reflection" answers (FORMAT.md). Returns: a box of groups, for a scrolled window. */
GtkWidget *vtr_reflection_rows_new (JsonNode *reflection);

G_END_DECLS
