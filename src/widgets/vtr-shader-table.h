/* The shaders of a trace as a list with a filter. Those of the selected command come first. */
#pragma once

#include <gtk/gtk.h>

#include "engine/model/vtr-shader-list.h"
#include "session/vtr-edits.h"

G_BEGIN_DECLS

/* Signals: "selected" (VtrShader), by the user. Threading: main. */
#define VTR_TYPE_SHADER_TABLE (vtr_shader_table_get_type ())
G_DECLARE_FINAL_TYPE (VtrShaderTable, vtr_shader_table, VTR, SHADER_TABLE, GtkWidget)

GtkWidget *vtr_shader_table_new (void);
/* Shows @list (NULL: nothing), and clears the selection. @bound: VtrShader → number of its stage +
 * 1, for the shaders that the selected command runs; NULL: none. */
void vtr_shader_table_set_list (VtrShaderTable *self, VtrShaderList *list, GHashTable *bound);
/* Marks the shaders that @edits (nullable) replace. Empties the list. */
void vtr_shader_table_set_edits (VtrShaderTable *self, VtrEdits *edits);
/* Selects the row and scrolls to it; clears a filter that hides it. */
void vtr_shader_table_select (VtrShaderTable *self, VtrShader *shader);

G_END_DECLS
